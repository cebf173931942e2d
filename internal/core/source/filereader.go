package source

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"path"
	"unicode/utf8"

	"placard/internal/core/icon"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// fileReader reads and parses files, and collects the findings that depend only on
// the file in which they are.
type fileReader struct {
	fsys     fs.FS
	id       taxonomy.ID
	contents map[string][]byte // of the files that were read, for excerpts
	buffer   bytes.Buffer      // of the last file that was read
	found    problem.List
}

func newFileReader(fsys fs.FS, id taxonomy.ID) fileReader {
	return fileReader{fsys: fsys, id: id, contents: make(map[string][]byte)}
}

// report adds a finding. The caller may modify the result until the next call.
func (r *fileReader) report(rule rule, pos problem.Pos, format string, args ...any) *problem.Problem {
	p := rule.Found(format, args...).At(pos)
	if rule.errorInStable && r.id.Status == taxonomy.Stable {
		p.Severity = problem.Error
	}
	r.found = append(r.found, p)
	return &r.found[len(r.found)-1]
}

// batchSize is the number of files that one fileReader reads.
const batchSize = 64

// readFiles calls read for each of the given files of a folder, in parallel. The
// results and the findings are in the order of the files.
func readFiles[T any](r *fileReader, folder string, files []fs.DirEntry, read func(*fileReader, string, fs.DirEntry) T) []T {
	results := make([]T, len(files))
	readers := make([]fileReader, (len(files)+batchSize-1)/batchSize)
	taxonomy.Parallel(len(readers), func(n int) {
		batch := newFileReader(r.fsys, r.id)
		for i := n * batchSize; i < min((n+1)*batchSize, len(files)); i++ {
			results[i] = read(&batch, path.Join(folder, files[i].Name()), files[i])
		}
		readers[n] = batch
	})
	for i := range readers {
		r.merge(&readers[i])
	}
	return results
}

// merge adds the findings of another reader and the files that it read.
func (r *fileReader) merge(other *fileReader) {
	r.found = append(r.found, other.found...)
	maps.Copy(r.contents, other.contents)
}

// readFile returns the content of a file. If the file cannot be read, it reports
// a finding and returns false.
func (r *fileReader) readFile(file string, entry fs.DirEntry) ([]byte, bool) {
	pos := problem.Pos{File: file}
	if !entry.Type().IsRegular() {
		r.report(fileUnreadable, pos, "%q is not a regular file.", path.Base(file)).
			FixHint = "Replace the link or folder with the file itself."
		return nil, false
	}
	f, err := r.fsys.Open(file)
	if err != nil {
		r.report(fileUnreadable, pos, "The file cannot be opened.").FixHint = "Check that you have permission to read it."
		return nil, false
	}
	defer f.Close()
	r.buffer.Reset()
	_, err = r.buffer.ReadFrom(io.LimitReader(f, MaxFileSize+1))
	data := bytes.Clone(r.buffer.Bytes())
	switch {
	case err != nil:
		r.report(fileUnreadable, pos, "The file could not be read completely.").FixHint = "Check the disk or network share that it is stored on."
	case len(data) > MaxFileSize:
		r.report(fileTooLarge, pos, "The file is larger than %d MiB.", MaxFileSize>>20).FixHint = "Remove any content that does not belong in it."
	default:
		data = normalise(data)
		r.contents[file] = data
		return data, true
	}
	return nil, false
}

// normalise returns a text file without byte order mark and with LF at the end of its
// lines, so that a checkout on another system has the same content hash.
func normalise(data []byte) []byte {
	if !utf8.Valid(data) {
		return data // not text
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if bytes.IndexByte(data, '\r') < 0 {
		return data
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}

// symbol is one file in the symbols folder.
type symbol struct {
	file string
	id   string
}

// drawing is the content of the file of a symbol.
type drawing struct {
	svg    []byte       // nil if the file cannot be read
	parsed *icon.Symbol // nil if it has errors
}

func (r *fileReader) readDrawing(file string, entry fs.DirEntry) drawing {
	svg, ok := r.readFile(file, entry)
	if !ok {
		return drawing{}
	}
	parsed, found := icon.ParseSymbol(svg)
	for _, p := range found {
		p.Pos.File = file
		r.found = append(r.found, p)
	}
	return drawing{svg, parsed}
}
