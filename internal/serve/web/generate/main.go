// Command generate bundles the script of the pages: script/*.ts into script/bundle.
// It is run by go generate in internal/serve/web.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	log.SetFlags(0)
	if err := write("."); err != nil {
		log.Fatal(err)
	}
}

// entries are the scripts that pages load. The frame of the pages names them.
var entries = []string{"theme", "site", "preview-page"}

// write bundles the scripts of package web, which is in the given folder.
func write(folder string) error {
	files, err := bundle(folder)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, "script", "bundle", name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// bundle returns the bundled scripts by file name.
func bundle(folder string) (map[string][]byte, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, entry := range entries {
		result := api.Build(api.BuildOptions{
			AbsWorkingDir:     absolute,
			EntryPoints:       []string{filepath.Join("script", entry+".ts")},
			Bundle:            true,
			Format:            api.FormatIIFE,
			Target:            api.ES2022,
			Charset:           api.CharsetUTF8,
			MinifyWhitespace:  true,
			MinifySyntax:      true,
			MinifyIdentifiers: true,
			LegalComments:     api.LegalCommentsNone,
		})
		for _, message := range result.Errors {
			err = errors.Join(err, fmt.Errorf("%s: %s", entry, message.Text))
		}
		if err != nil {
			return nil, err
		}
		files[entry+".js"] = result.OutputFiles[0].Contents
	}
	return files, nil
}
