// Package qr draws web addresses as QR codes for print. It knows neither the
// documents nor the pages that contain the codes.
package qr

import (
	"strconv"

	"rsc.io/qr"

	"placard/internal/core/link"
	"placard/internal/core/problem"
)

// MaxLength is the maximum length of an address in bytes. The codes of longer
// addresses have modules that are too small to be read from a printed page.
const MaxLength = 151

// QuietZone is the width of the white border that the standard requires, in
// modules.
const QuietZone = 4

// Code is a QR code with its quiet zone.
type Code struct {
	Address string // the address in the code, in its ASCII form
	Size    int    // width and height in modules, including the quiet zone
	Path    string // the black modules as SVG path data; one unit is one module
}

// Encode returns the code of an http: or https: address. It can still be read when
// a quarter of it is damaged (level Q). Errors are of type [problem.Problem].
func Encode(address string) (Code, error) {
	if address == "" {
		return Code{}, problem.New(problem.BadRequest, "The address of the page is missing.").Hint("Use its complete address, such as https://example.org/sensors/crossing.")
	}
	printed := link.Printed(address)
	if printed == "" {
		return Code{}, problem.New(problem.BadRequest, "%q is not a web address.", problem.Clip(address)).
			Hint("Use the complete address of the page, such as https://example.org/sensors/crossing.")
	}
	if len(printed) > MaxLength {
		return Code{}, problem.New(problem.BadRequest, "The address has %d characters; a code that can be read from a print has at most %d.", len(printed), MaxLength).
			Hint("Use a shorter address that redirects to the page.")
	}
	code, err := qr.Encode(printed, qr.Q)
	if err != nil {
		return Code{}, err
	}
	return Code{Address: printed, Size: code.Size + 2*QuietZone, Path: path(code)}, nil
}

// path returns the black modules of a code as horizontal bars.
func path(code *qr.Code) string {
	var b []byte
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			start := x
			for code.Black(x, y) {
				x++
			}
			if x == start {
				continue
			}
			b = append(b, 'M')
			b = strconv.AppendInt(b, int64(start+QuietZone), 10)
			b = append(b, ' ')
			b = strconv.AppendInt(b, int64(y+QuietZone), 10)
			b = append(b, 'h')
			b = strconv.AppendInt(b, int64(x-start), 10)
			b = append(b, "v1H"...)
			b = strconv.AppendInt(b, int64(start+QuietZone), 10)
			b = append(b, 'z')
		}
	}
	return string(b)
}
