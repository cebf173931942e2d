package query

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/release"
)

// A cursor is the index of the first match of the next part, with a digest that
// binds it to the release and the filters. The digest needs no secret: it
// protects against mistakes, and all data is public.

const (
	digestSize = 12
	tokenSize  = binary.MaxVarintLen64 + digestSize
	cursorSize = (tokenSize*8 + 5) / 6
)

var cursorEncoding = base64.RawURLEncoding.Strict()

// cursor returns the cursor of the part that starts at match start.
func (f *filter) cursor(r *release.Release, start int) string {
	token := binary.AppendUvarint(nil, uint64(start))
	return cursorEncoding.EncodeToString(append(token, f.digest(r, start)...))
}

// readCursor returns the start of the part that a cursor refers to.
func (f *filter) readCursor(cursor string, r *release.Release, total int) (int, error) {
	if len(cursor) > cursorSize {
		return 0, invalidCursor()
	}
	token, err := cursorEncoding.DecodeString(cursor)
	if err != nil {
		return 0, invalidCursor()
	}
	start, n := binary.Uvarint(token)
	if n <= 0 || start == 0 || start >= uint64(total) {
		return 0, invalidCursor()
	}
	// Comparing encoded cursors rejects other encodings of the same position.
	if f.cursor(r, int(start)) != cursor {
		return 0, invalidCursor()
	}
	return int(start), nil
}

func (f *filter) digest(r *release.Release, start int) []byte {
	parts := [...]string{r.Name(), r.Hash(), f.categoryID, f.search, strings.ToLower(f.locale)}
	b := make([]byte, 0, 256)
	for _, part := range parts {
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	sum := sha256.Sum256(binary.AppendUvarint(b, uint64(start)))
	return sum[:digestSize]
}

func invalidCursor() error {
	return problem.New(problem.BadRequest, "Invalid pagination cursor.").
		In(problem.Root.Field("cursor")).
		Hint("Omit the cursor to start at the first page. A cursor is valid for one version and one set of filters.").
		See(problem.ListElements(""))
}
