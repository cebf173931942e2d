package query

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"placard.dev/problem"
	"placard.dev/release"
)

// A cursor is the number of the first match of the next page and a digest that
// binds it to the release and the filters. The digest needs no secret: it
// guards against mistakes, and a cursor opens nothing that is not public.

const digestSize = 12

var cursorEncoding = base64.RawURLEncoding.Strict()

func (q *Elements) cursor(r *release.Release, start int) string {
	digest := q.digest(r, start)
	token := binary.AppendUvarint(make([]byte, 0, 32), uint64(start))
	return string(cursorEncoding.AppendEncode(make([]byte, 0, 64), append(token, digest[:]...)))
}

func (q *Elements) readCursor(r *release.Release, total int) (int, error) {
	token, err := cursorEncoding.DecodeString(q.Cursor)
	if err != nil {
		return 0, badCursor()
	}
	start, n := binary.Uvarint(token)
	if n <= 0 || start == 0 || start >= uint64(total) {
		return 0, badCursor()
	}
	// Comparing whole cursors leaves no other spelling of the same one.
	if q.cursor(r, int(start)) != q.Cursor {
		return 0, badCursor()
	}
	return int(start), nil
}

func (q *Elements) digest(r *release.Release, start int) [digestSize]byte {
	parts := [...]string{r.Name(), r.Hash(), q.CategoryID, q.Search, strings.ToLower(q.Locale)}
	b := make([]byte, 0, 256)
	for _, part := range parts {
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	sum := sha256.Sum256(binary.AppendUvarint(b, uint64(start)))
	return [digestSize]byte(sum[:])
}

func badCursor() error {
	return problem.New(problem.BadRequest, "Invalid pagination cursor.").
		In(problem.Root.Field("cursor")).
		Hint("Retry without a cursor; cursors hold for one version and one set of filters.")
}
