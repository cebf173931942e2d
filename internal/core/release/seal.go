package release

import (
	"bytes"
	"errors"
)

// A sealed file is a JSON object whose last member is the checksum of all bytes
// before it, so that a change to any byte of the file is detected without
// another file.

const (
	sealOpen  = ",\n  \"checksum\": \""
	sealClose = "\"\n}\n"
)

var errSeal = errors.New("the checksum at its end does not match its content")

// Seal adds the checksum to a JSON object with an indent of two spaces.
func Seal(object []byte) []byte {
	body := bytes.TrimSuffix(bytes.TrimSpace(object), []byte("\n}"))
	sealed := append(bytes.Clone(body), sealOpen...)
	sealed = append(sealed, checksum(body)...)
	return append(sealed, sealClose...)
}

// Unseal verifies the checksum of a sealed file. The file remains a valid JSON
// object, with the checksum as a member.
func Unseal(data []byte) error {
	size := len(data) - len(sealOpen) - len(checksum(nil)) - len(sealClose)
	if size < 0 {
		return errSeal
	}
	body := data[:size]
	if string(data[size:]) != sealOpen+checksum(body)+sealClose {
		return errSeal
	}
	return nil
}
