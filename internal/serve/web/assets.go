package web

import (
	"embed"
	"iter"
	"path"
	"strings"
	"sync"

	"placard/internal/show/diffview"
	"placard/internal/show/view"
)

//go:generate go run ./generate

var (
	//go:embed css/*.css
	styleFiles embed.FS
	//go:embed script/bundle/*.js
	scriptFiles embed.FS
)

// assetPath is the path of the files that all pages share.
const assetPath = "/assets/"

// previewStyle is the style sheet of the banner of a preview.
const previewStyle = "90-preview.css"

// asset is a style sheet or a script. Its address contains a digest of its content,
// so that clients can cache it forever.
type asset struct {
	url         string
	contentType []string
	body        *body
}

// assets returns the files by name.
var assets = sync.OnceValue(func() map[string]asset {
	all := make(map[string]asset)
	add := func(name, contentType string, text []byte) {
		b := newRepeatedBody(text)
		extension := path.Ext(name)
		url := assetPath + strings.TrimSuffix(name, extension) + "." + strings.Trim(b.Tag, `"`) + extension
		all[name] = asset{url, []string{contentType}, b}
	}
	// The style sheets are parts of one, in the order of their names.
	css := view.CommonStyle + diffview.Style
	for name, text := range embedded(styleFiles, "css") {
		css += string(text)
		if name == previewStyle {
			add("preview.css", "text/css; charset=utf-8", text) // for example documents, which have a style of their own
		}
	}
	add("site.css", "text/css; charset=utf-8", []byte(css))
	for name, text := range embedded(scriptFiles, "script/bundle") {
		add(name, "text/javascript; charset=utf-8", text)
	}
	return all
})

// embedded yields the names and contents of the files in a folder, ordered by name.
func embedded(files embed.FS, folder string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		entries, err := files.ReadDir(folder)
		if err != nil {
			panic(err)
		}
		for _, entry := range entries {
			text, err := files.ReadFile(path.Join(folder, entry.Name()))
			if err != nil {
				panic(err)
			}
			if !yield(entry.Name(), text) {
				return
			}
		}
	}
}

// assetURL returns the address of the file with the given name.
func assetURL(name string) string {
	a, ok := assets()[name]
	if !ok {
		panic("web: there is no file " + name)
	}
	return a.url
}

// asset returns the file with the name in the path.
func (q *request) asset() (file, error) {
	for _, a := range assets() {
		if a.url == q.URL.Path {
			return file{a.body, a.contentType, immutableYear}, nil
		}
	}
	return file{}, errNoPage
}
