package raster

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/icon"
)

// node is an element of an icon.
type node struct {
	name     string
	attrs    map[string]string
	parent   *node
	children []*node
}

// Parse parses an icon.
func Parse(svg []byte) (*Drawing, error) {
	d := &Drawing{ids: make(map[string]*node)}
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	var open *node
	for {
		token, err := decoder.Token()
		if err == io.EOF && d.root != nil {
			return d, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			n := &node{name: t.Name.Local, attrs: make(map[string]string, len(t.Attr)), parent: open}
			for _, a := range t.Attr {
				n.attrs[a.Name.Local] = strings.TrimSpace(a.Value)
			}
			if id := n.attrs["id"]; id != "" {
				d.ids[id] = n
			}
			switch {
			case open != nil:
				open.children = append(open.children, n)
			case d.root == nil && n.name == "svg":
				d.root = n
			default:
				return nil, errors.New("the root element is not a single svg element")
			}
			open = n
		case xml.EndElement:
			open = open.parent
		}
	}
}

// length returns the length in an attribute, or missing if n does not have it.
// Percentages refer to whole.
func (n *node) length(name string, whole, missing float64) float64 {
	if v, ok := icon.ParseLength(n.attrs[name], whole); ok {
		return v
	}
	return missing
}

// reference returns the element that an attribute refers to as #id or url(#id), or
// nil. If names are given, it has one of them.
func (d *Drawing) reference(value string, names ...string) *node {
	_, id, _ := strings.Cut(value, "#")
	id, _, _ = strings.Cut(id, ")")
	n := d.ids[id]
	if n != nil && len(names) > 0 && !slices.Contains(names, n.name) {
		return nil
	}
	return n
}

// view is the coordinate system inside an svg element.
type view struct {
	matrix icon.Matrix
	size   icon.Point // for percentages
}

// viewBox returns the coordinate system inside an svg element of the given size.
func viewBox(n *node, size icon.Point) view {
	fields := strings.Fields(n.attrs["viewBox"])
	if len(fields) != 4 {
		return view{icon.Identity, size}
	}
	var box [4]float64
	for i, f := range fields {
		box[i], _ = strconv.ParseFloat(f, 64) // package icon has checked it
	}
	scaleX, scaleY := size.X/box[2], size.Y/box[3]
	align, fit, _ := strings.Cut(n.attrs["preserveAspectRatio"], " ")
	switch {
	case align == "none":
	case fit == "slice":
		scaleX = math.Max(scaleX, scaleY)
		scaleY = scaleX
	default:
		scaleX = math.Min(scaleX, scaleY)
		scaleY = scaleX
	}
	// factor returns the share of the free space before the drawing.
	factor := func(axis string) float64 {
		switch {
		case align == "none" || strings.Contains(align, axis+"Min"):
			return 0
		case strings.Contains(align, axis+"Max"):
			return 1
		}
		return 0.5
	}
	return view{
		icon.Matrix{
			A: scaleX, D: scaleY,
			E: factor("x")*(size.X-box[2]*scaleX) - box[0]*scaleX,
			F: factor("Y")*(size.Y-box[3]*scaleY) - box[1]*scaleY,
		},
		icon.Point{X: box[2], Y: box[3]},
	}
}
