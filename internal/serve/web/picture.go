package web

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/budget"
	"placard/internal/serve/query"
	"placard/internal/show/raster"
)

// pictureCacheSize is the size of the cache of pictures in bytes. It is separate, so
// that pictures do not evict pages.
const pictureCacheSize = 16 << 20

// pictureRoute is one kind of PNG image. It depends on a release, but not on a
// language.
type pictureRoute struct {
	pattern string
	draw    func(q *request, step func() error) ([]byte, error)
}

func pictureRoutes() []pictureRoute {
	return []pictureRoute{
		{"/explore/{version}/preview.png", (*request).versionPreview},
		{"/explore/{version}/{element}/preview.png", (*request).elementPreview},
		{"/explore/{version}/{element}/png/{size}/{file}", (*request).iconPNG},
	}
}

// picture returns a picture, from the cache if possible. Pictures that are drawn are
// charged as reads.
func (rt pictureRoute) picture(q *request) (file, error) {
	if err := q.open(); err != nil {
		return file{}, err
	}
	key := strings.Join([]string{rt.pattern, q.releases[0].Fingerprint(), q.PathValue("element"), q.PathValue("size"), q.PathValue("file")}, "\x00")
	b, ok := q.handler.pictures.Get(cacheKey{page: key})
	if !ok {
		if err := q.charge(); err != nil {
			return file{}, err
		}
		meter, err := q.handler.Work.Start(q.Context(), q.client, q.budget(budget.Read))
		if err != nil {
			return file{}, err
		}
		defer meter.Stop()
		data, err := rt.draw(q, func() error {
			if err := q.Context().Err(); err != nil {
				return err // nobody waits for the picture
			}
			return meter.Step()
		})
		if err != nil {
			return file{}, err
		}
		b = newPNG(data)
		q.handler.pictures.Put(cacheKey{page: key}, b)
	}
	return file{body: b, contentType: typePNG}, nil
}

// pngSizes are the widths of icons as PNG images.
var pngSizes = []int{64, 256, 1024}

// pngPath returns the path of an icon as a PNG image.
func pngPath(version, element, variant string, size int) string {
	return elementPath(version, element) + "/png/" + strconv.Itoa(size) + "/" + variant + ".png"
}

// iconPNG draws an icon of an element in one of its variants.
func (q *request) iconPNG(step func() error) ([]byte, error) {
	size, err := strconv.Atoi(q.PathValue("size"))
	variant, isPNG := strings.CutSuffix(q.PathValue("file"), ".png")
	// Other spellings of a size, such as +64, must not become pictures of their own.
	isCanonical := err == nil && strconv.Itoa(size) == q.PathValue("size")
	if !isCanonical || !isPNG || !slices.Contains(pngSizes, size) {
		return nil, errNoPage
	}
	r := q.releases[0]
	n, err := query.Element(r, q.PathValue("element"))
	if err != nil {
		return nil, err
	}
	drawing, err := parseIcon(r, n, variant, step)
	if err != nil {
		return nil, err
	}
	return drawing.PNG(size, step)
}

// parseIcon returns the icon of the n-th element of r in a variant.
func parseIcon(r *release.Release, n int, variant string, step func() error) (*raster.Drawing, error) {
	svg, _, err := r.IconStep(n, variant, step)
	if err != nil {
		return nil, err
	}
	if svg == nil {
		e := &r.Taxonomy.Elements[n]
		return nil, problem.New(problem.NotFound, "Element %q has no icon variant %q.", e.ID, problem.Clip(variant)).
			Hint("Its variants are %s.", problem.And(e.IconVariants))
	}
	return raster.Parse(svg)
}

// Previews of links have the size that most sites expect.
const (
	previewWidth  = 1200
	previewHeight = 630
	previewBar    = 28 // the height of the bar at the top
)

var (
	paper = image.NewUniform(color.White)
	ink   = image.NewUniform(color.RGBA{0x14, 0x16, 0x1a, 0xff})
)

// linkPreview is a picture that is shown with links to a page: icons on paper, below the
// bar that all pages have.
type linkPreview struct {
	image *image.RGBA
	step  func() error
}

func newLinkPreview(step func() error) *linkPreview {
	p := &linkPreview{image.NewRGBA(image.Rect(0, 0, previewWidth, previewHeight)), step}
	draw.Draw(p.image, p.image.Rect, paper, image.Point{}, draw.Src)
	draw.Draw(p.image, image.Rect(0, 0, previewWidth, previewBar), ink, image.Point{}, draw.Src)
	return p
}

// icon draws an icon with its centre at x and y. The centre of the area below the bar
// is at 0 and 0.
func (p *linkPreview) icon(r *release.Release, n, x, y, size int) error {
	drawing, err := parseIcon(r, n, taxonomy.VariantDefault, p.step)
	if err != nil {
		return err
	}
	img, err := drawing.Image(size, p.step)
	if err != nil {
		return err
	}
	at := image.Pt(previewWidth/2+x-size/2, (previewHeight+previewBar)/2+y-size/2)
	draw.Draw(p.image, img.Rect.Add(at), img, image.Point{}, draw.Over)
	return nil
}

func (p *linkPreview) png() ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, p.image); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// elementPreview draws the icon of an element.
func (q *request) elementPreview(step func() error) ([]byte, error) {
	const size = 420
	r := q.releases[0]
	n, err := query.Element(r, q.PathValue("element"))
	if err != nil {
		return nil, err
	}
	p := newLinkPreview(step)
	if err := p.icon(r, n, 0, 0, size); err != nil {
		return nil, err
	}
	return p.png()
}

// versionPreview draws icons of a release in a grid.
func (q *request) versionPreview(step func() error) ([]byte, error) {
	const columns, maxRows, size, pitchX, pitchY = 6, 3, 124, 172, 176
	r := q.releases[0]
	shown := representatives(r.Taxonomy, columns*maxRows)
	rows := (len(shown) + columns - 1) / columns
	p := newLinkPreview(step)
	for i, n := range shown {
		inRow := min(columns, len(shown)-i/columns*columns)
		x := (2*(i%columns) - inRow + 1) * pitchX / 2
		y := (2*(i/columns) - rows + 1) * pitchY / 2
		if err := p.icon(r, n, x, y, size); err != nil {
			return nil, err
		}
	}
	return p.png()
}
