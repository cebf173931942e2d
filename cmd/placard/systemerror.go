package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"placard/internal/core/problem"
	"placard/internal/storage/store"
)

// storeError is an error of the releases in a store or in the folder of an authoring
// tree.
type storeError struct {
	dir string
	error
}

func (e storeError) Unwrap() error { return e.error }

// Error returns the message and the hint that commands print, for logs.
func (e storeError) Error() string {
	message, hint := describeError(e)
	if hint == "" {
		return message
	}
	return withPeriod(message) + " " + hint
}

// systemMessages holds the messages and hints for errors of the operating system.
// In a message, %s is the quoted name of the file or folder.
var systemMessages = []struct {
	err           error
	message, hint string
}{
	{fs.ErrNotExist, "%s does not exist.", "Check the spelling of the path."},
	{syscall.EROFS, "%s is on a read-only file system.", "Choose a folder that can be written to."},
	{fs.ErrPermission, "Access to %s is denied.", "Check the owner and the permissions of the file and its folders."},
	{syscall.EISDIR, "%s is a folder, not a file.", "Give the path of a file."},
	{syscall.ENOTDIR, "%s cannot be opened, because a part of the path is a file, not a folder.", "Check the path."},
	{syscall.ENOTEMPTY, "%s is not empty.", "Choose another folder."}, // is also fs.ErrExist
	{fs.ErrExist, "%s already exists.", "Choose another path, or remove the existing file or folder."},
	{syscall.ENOSPC, "%s cannot be written, because the disk is full.", "Free some space and run the command again."},
	{syscall.EDQUOT, "%s cannot be written, because the disk quota is used up.", "Free some space and run the command again."},
	{syscall.EFBIG, "%s cannot be written, because it would be larger than the system allows.", "Choose another folder or raise the limit."},
	{syscall.EPIPE, "%s cannot be written, because the program that reads it has ended.", "Check the other program, or write to a file."},
	{syscall.EIO, "%s cannot be read or written, because the disk or the network share reports an error.", "Check the disk or the network share."},
	{syscall.ENAMETOOLONG, "%s is too long for a path.", "Check the path."},
	{syscall.ELOOP, "%s cannot be opened, because its links form a loop.", "Check the links."},
	{syscall.EMFILE, "%s cannot be opened, because too many files are open.", "Raise the limit with ulimit -n."},
	{syscall.EXDEV, "%s is on another file system.", "Choose a folder on the same file system."},
	{fs.ErrInvalid, "%s is not a valid path.", "Check the path."},
}

// addressMessages holds the messages and hints for errors of a listening address.
var addressMessages = []struct {
	err           error
	message, hint string
}{
	{syscall.EADDRINUSE, "Another program is listening on %s.", "Stop it, or choose another port, such as 127.0.0.1:9000."},
	{syscall.EADDRNOTAVAIL, "%s is not an address of this machine.", "Use 127.0.0.1 for this machine only, or omit the host, as in :8080."},
	{fs.ErrPermission, "Listening on %s is not permitted.", "Choose a port above 1023."},
}

// describeSystem returns a message and a hint for an error of the operating
// system.
func describeSystem(err error) (message, hint string, ok bool) {
	var listen *net.OpError
	if errors.As(err, &listen) && listen.Op == "listen" {
		return describeListen(listen)
	}
	path, ok := errorPath(err)
	if !ok {
		return "", "", false
	}
	name := strconv.Quote(problem.Clip(path))
	if path == "/dev/stdout" {
		name = "The output"
	}
	if folder, ok := missingFolder(path); ok && errors.Is(err, fs.ErrNotExist) {
		folder = problem.Clip(folder)
		if isRead(err) {
			return fmt.Sprintf("%s does not exist, nor does the folder %q.", name, folder), "Check the spelling of the path.", true
		}
		return fmt.Sprintf("%s cannot be opened, because the folder %q does not exist.", name, folder), "Create the folder, or check the spelling of the path.", true
	}
	if info, statErr := os.Stat(path); statErr == nil && !info.IsDir() && errors.Is(err, syscall.ENOTDIR) {
		return name + " is a file, not a folder.", "Give the path of a folder.", true
	}
	for _, m := range systemMessages {
		if errors.Is(err, m.err) {
			return fmt.Sprintf(m.message, name), m.hint, true
		}
	}
	return "", "", false
}

func describeListen(err *net.OpError) (message, hint string, ok bool) {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return fmt.Sprintf("The host name %q is unknown.", problem.Clip(dns.Name)), "Use an address such as 127.0.0.1, or omit the host, as in :8080.", true
	}
	var invalid *net.AddrError
	if errors.As(err, &invalid) {
		return fmt.Sprintf("The port %q is not valid.", problem.Clip(invalid.Addr)), "Choose a port from 1 to 65535, or 0 for any free port.", true
	}
	if err.Addr == nil {
		return "", "", false
	}
	for _, m := range addressMessages {
		if errors.Is(err, m.err) {
			return fmt.Sprintf(m.message, err.Addr), m.hint, true
		}
	}
	return "", "", false
}

// isRead reports whether an error is about a path that a command only reads. All
// commands begin with its metadata.
func isRead(err error) bool {
	file, ok := errors.AsType[*fs.PathError](err)
	return ok && (file.Op == "stat" || file.Op == "lstat")
}

// missingFolder returns the folder that contains path if it does not exist.
func missingFolder(path string) (folder string, ok bool) {
	folder = filepath.Dir(path)
	_, err := os.Stat(folder)
	return folder, errors.Is(err, fs.ErrNotExist)
}

// errorPath returns the file or folder that an error of the operating system is
// about.
func errorPath(err error) (path string, ok bool) {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &file):
		path = file.Path
	case errors.As(err, &link):
		path = link.New
	default:
		return "", false
	}
	if store.IsAddress(path) {
		return "", false
	}
	var in storeError
	if errors.As(err, &in) {
		// The disk of the store is full or read-only, not that of its working files.
		isDisk := func(target syscall.Errno) bool { return errors.Is(err, target) }
		internal := strings.HasPrefix(path, filepath.Join(in.dir, ".work")) &&
			slices.ContainsFunc([]syscall.Errno{syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}, isDisk)
		if info, err := os.Stat(in.dir); err != nil || !info.IsDir() || internal {
			path = in.dir
		}
	}
	return path, true
}

// describeError returns the message of an error in Placard's own words, and a
// hint, which may be empty.
func describeError(err error) (message, hint string) {
	in, _ := errors.AsType[storeError](err)
	if p, ok := errors.AsType[problem.Problem](err); ok {
		p = p.Render(storeSentence(in.dir))
		return p.Message, p.FixHint
	}
	if message, hint, ok := describeSystem(err); ok {
		return message, hint
	}
	var own hintedError
	if errors.As(err, &own) {
		return err.Error(), own.hint
	}
	if in.error != nil {
		err = in.error
	}
	return splitError(err.Error(), "")
}

// prefixed returns err as a problem whose message begins with the origin of a value, such
// as a flag.
func prefixed(origin string, err error) error {
	message, hint := describeError(err)
	return problem.Failure("%s: %s", origin, message).Hint("%s", hint).Because(err)
}

// splitError returns the text of an error of another package as a message and a hint.
// Such texts begin with a lower-case letter and have advice after a semicolon.
func splitError(text, hint string) (string, string) {
	if message, advice, ok := strings.Cut(text, "; "); ok && hint == "" {
		text, hint = message, withPeriod(upperFirst(advice))
	}
	first, _, _ := strings.Cut(text, " ")
	if strings.ContainsFunc(first, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return text, hint // the name of a file or a flag
	}
	return upperFirst(text), hint
}

func upperFirst(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}
