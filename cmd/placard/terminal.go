package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminalOf returns the terminal that w writes to, or nil if there is none or it
// does not support moving the cursor.
func terminalOf(w io.Writer) *os.File {
	for {
		switch v := w.(type) {
		case *os.File:
			if os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(v.Fd())) {
				return nil
			}
			return v
		case interface{ unwrap() io.Writer }:
			w = v.unwrap()
		default:
			return nil
		}
	}
}

// terminalSize returns the width and height of a terminal in characters.
func terminalSize(f *os.File) (columns, rows int) {
	columns, rows, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 || rows <= 0 {
		return 80, 24
	}
	return columns, rows
}
