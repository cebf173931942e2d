package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// frame is a function as it was called on one way from the outermost.
type frame struct {
	name  string
	total time.Duration // with what it calls
	calls map[string]*frame
}

func (f *frame) call(name string) *frame {
	if f.calls[name] == nil {
		if f.calls == nil {
			f.calls = make(map[string]*frame)
		}
		f.calls[name] = &frame{name: name}
	}
	return f.calls[name]
}

// readTraces reads what "go tool pprof -traces" prints of a CPU profile: stacks
// that are set apart by lines, the innermost function first, before it the time.
func readTraces(r io.Reader) (*frame, error) {
	root := &frame{name: "all"}
	var stack []string
	var spent time.Duration
	begun := false
	finish := func() {
		root.total += spent
		f := root
		for _, name := range slices.Backward(stack) {
			f = f.call(name)
			f.total += spent
		}
		stack, spent = nil, 0
	}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "-----------+") {
			finish()
			begun = true
			continue
		}
		if !begun {
			continue
		}
		if len(stack) == 0 {
			first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			var err error
			if spent, err = time.ParseDuration(strings.Replace(first, "mins", "m", 1)); err != nil {
				return nil, err
			}
			line = rest
		}
		stack = append(stack, strings.TrimSuffix(strings.TrimSpace(line), " (inline)"))
	}
	finish()
	return root, lines.Err()
}

// Measures of a drawing, in pixels.
const (
	flameWidth  = 1200.0
	flameRow    = 17
	flameLetter = 6.1 // how wide a letter is, about
	flameLeast  = 0.4 // narrower frames are left out
	flameHeader = 44
)

// owner is who has written a function.
type owner struct {
	name, colour, prefix string
	// serves says that its time is counted to the one who calls it.
	serves bool
}

var owners = []owner{
	{"Placard", "#f4a259", "placard.dev/", false},
	{"net/http", "#7fb7e6", "net/", false},
	{"system calls", "#b8b8c8", "internal/runtime/syscall", false},
	{"runtime and collector", "#d9d9d9", "runtime.", true},
	{"other libraries", "#e6d5f2", "", true},
}

func ownerOf(function string) *owner {
	for i := range owners {
		if strings.HasPrefix(function, owners[i].prefix) {
			return &owners[i]
		}
	}
	return nil
}

// drawFlame draws a tree of frames: callers above what they call, each as wide
// as the time it took.
func drawFlame(title string, root *frame) []byte {
	d := drawing{scale: flameWidth / float64(root.total), spent: make(map[string]time.Duration)}
	d.frames(root, nil, 0, 0)
	height := flameHeader + (d.deepest+1)*flameRow + 4
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="sans-serif" font-size="11">`+"\n", flameWidth, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n")
	fmt.Fprintf(&b, `<text x="4" y="15" font-size="13">%s</text>`+"\n", escape(title))
	x := 4
	for _, o := range owners {
		label := fmt.Sprintf("%s %.0f %%", o.name, 100*float64(d.spent[o.name])/float64(root.total))
		fmt.Fprintf(&b, `<rect x="%d" y="23" width="11" height="11" fill="%s"/><text x="%d" y="33">%s</text>`+"\n", x, o.colour, x+15, escape(label))
		x += 40 + int(flameLetter*float64(len(label)))
	}
	b.Write(d.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

type drawing struct {
	scale   float64
	deepest int
	spent   map[string]time.Duration // by owners, and by what serves them
	body    bytes.Buffer
}

// frames draws f and what it calls. The time of f itself is counted to its
// owner, or to who it is called by if it only serves.
func (d *drawing) frames(f *frame, by *owner, depth int, left float64) {
	width := float64(f.total) * d.scale
	if depth > 0 {
		of := ownerOf(f.name)
		if by == nil || !of.serves {
			by = of
		}
		own := f.total
		for _, callee := range f.calls {
			own -= callee.total
		}
		d.spent[by.name] += own
		if width >= flameLeast {
			d.deepest = max(d.deepest, depth-1)
			d.box(f, of, depth-1, left, width)
		}
	}
	callees := slices.SortedFunc(maps.Values(f.calls), func(a, b *frame) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.name, b.name))
	})
	for _, callee := range callees {
		d.frames(callee, by, depth+1, left)
		left += float64(callee.total) * d.scale
	}
}

func (d *drawing) box(f *frame, o *owner, row int, left, width float64) {
	y := flameHeader + row*flameRow
	share := 100 * float64(f.total) * d.scale / flameWidth
	fmt.Fprintf(&d.body, `<g><title>%s %.1f %%</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" stroke="#ffffff" stroke-width="0.5"/>`,
		escape(f.name), share, left, y, width, flameRow-1, o.colour)
	if room := int((width - 6) / flameLetter); room >= 4 {
		fmt.Fprintf(&d.body, `<text x="%.1f" y="%d">%s</text>`, left+3, y+12, escape(shortened(f.name, room)))
	}
	d.body.WriteString("</g>\n")
}

// shortened leaves out the path of a package, and then the end.
func shortened(name string, letters int) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if len(name) > letters {
		return name[:letters-1] + "…"
	}
	return name
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// flame draws a CPU profile.
func flame(title, profile string) ([]byte, error) {
	traces, err := exec.Command("go", "tool", "pprof", "-traces", profile).Output()
	if err != nil {
		return nil, fmt.Errorf("go tool pprof: %w", failed(err))
	}
	root, err := readTraces(bytes.NewReader(traces))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", profile, err)
	}
	if root.total == 0 {
		return nil, fmt.Errorf("%s: nothing was sampled", profile)
	}
	return drawFlame(title, root), nil
}
