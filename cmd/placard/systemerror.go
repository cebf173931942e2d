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

// systemError is the problem that an error of the operating system is for people. In
// the message, %s is the quoted name of a file or folder, or an address.
type systemError struct {
	err           error
	message, hint string
}

var fileErrors = []systemError{
	{fs.ErrNotExist, "%s does not exist.", "Check the spelling of the path."},
	{syscall.EROFS, "%s is on a read-only file system.", "Choose a folder that can be written to."},
	{fs.ErrPermission, "Access to %s is denied.", "Check the owner and the permissions of the file and its folders."},
	{syscall.EISDIR, "%s is a folder, not a file.", "Give the path of a file."},
	{syscall.ENOTDIR, "%s cannot be opened, because a part of the path is a file, not a folder.", "Check the path."},
	{fs.ErrExist, "%s already exists.", "Choose another path, or remove the existing file or folder."},
	{syscall.ENOSPC, "%s cannot be written, because the disk is full.", "Free some space and run the command again."},
	{syscall.EDQUOT, "%s cannot be written, because the disk quota is used up.", "Free some space and run the command again."},
	{syscall.EFBIG, "%s cannot be written, because it would be larger than the system allows.", "Choose another folder or raise the limit."},
	{syscall.EIO, "%s cannot be read or written, because the disk or the network share reports an error.", "Check the disk or the network share."},
	{syscall.ENAMETOOLONG, "%s is too long for a path.", "Check the path."},
	{syscall.ELOOP, "%s cannot be opened, because its links form a loop.", "Check the links."},
}

var listenErrors = []systemError{
	{syscall.EADDRINUSE, "Another program is listening on %s.", "Stop it, or choose another port, such as 127.0.0.1:9000."},
	{syscall.EADDRNOTAVAIL, "%s is not an address of this machine.", "Use 127.0.0.1 for this machine only, or omit the host, as in :8080."},
	{fs.ErrPermission, "Listening on %s is not permitted.", "Choose a port above 1023."},
}

// problemOf returns an error of a command as a problem in Placard's own words.
func problemOf(err error) problem.Problem { return problemIn("", err) }

// problemIn is like problemOf, for an error of the store or authoring tree with the
// given name.
func problemIn(name string, err error) problem.Problem {
	if p, ok := errors.AsType[problem.Problem](err); ok {
		p = p.Render(storeSentence(name))
		if p.Code != "" {
			return p
		}
		return p.Because(err)
	}
	if p, ok := describeSystem(name, err); ok {
		return p
	}
	return problem.Failure("%s", withPeriod(upperFirst(err.Error()))).Because(err)
}

// prefixed returns err as a problem whose message begins with the origin of a value, such
// as a flag.
func prefixed(origin string, err error) problem.Problem {
	p := problemOf(err)
	p.Message = origin + ": " + p.Message
	return p
}

// describeSystem returns the problem for an error of the operating system. name is that
// of the store, or empty.
func describeSystem(name string, err error) (problem.Problem, bool) {
	if listen, ok := errors.AsType[*net.OpError](err); ok && listen.Op == "listen" {
		return describeListen(listen)
	}
	path, ok := errorPath(name, err)
	if !ok {
		return problem.Problem{}, false
	}
	quoted := strconv.Quote(problem.Clip(path))
	if path == "/dev/stdout" {
		quoted = "The output"
	}
	if info, statErr := os.Stat(path); statErr == nil && !info.IsDir() && errors.Is(err, syscall.ENOTDIR) {
		return problem.Failure("%s is a file, not a folder.", quoted).Hint("Give the path of a folder.").Because(err), true
	}
	return findSystem(fileErrors, err, quoted)
}

func findSystem(table []systemError, err error, name string) (problem.Problem, bool) {
	for _, e := range table {
		if errors.Is(err, e.err) {
			return problem.Failure(e.message, name).Hint("%s", e.hint).Because(err), true
		}
	}
	return problem.Problem{}, false
}

func describeListen(err *net.OpError) (problem.Problem, bool) {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return problem.Failure("The host name %q is unknown.", problem.Clip(dns.Name)).
			Hint("Use an address such as 127.0.0.1, or omit the host, as in :8080.").Because(err), true
	}
	if invalid, ok := errors.AsType[*net.AddrError](err); ok {
		return problem.Failure("The port %q is not valid.", problem.Clip(invalid.Addr)).
			Hint("Choose a port from 1 to 65535, or 0 for any free port.").Because(err), true
	}
	return findSystem(listenErrors, err, fmt.Sprint(err.Addr))
}

// errorPath returns the file or folder that an error of the operating system is
// about.
func errorPath(name string, err error) (path string, ok bool) {
	file, isFile := errors.AsType[*fs.PathError](err)
	link, isLink := errors.AsType[*os.LinkError](err)
	switch {
	case isFile:
		path = file.Path
	case isLink:
		path = link.New
	}
	if path == "" || store.IsAddress(path) {
		return "", false
	}
	if name == "" {
		return path, true
	}
	// The disk of the store is full or read-only, not that of its working files.
	isDisk := slices.ContainsFunc([]error{syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}, func(e error) bool { return errors.Is(err, e) })
	isWork := strings.HasPrefix(path, filepath.Join(name, ".work"))
	if info, err := os.Stat(name); err != nil || !info.IsDir() || isDisk && isWork {
		return name, true
	}
	return path, true
}

// upperFirst begins the text of an error of another package with a capital letter, unless
// its first word is the name of a file or a flag.
func upperFirst(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if strings.ContainsFunc(first, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return text
	}
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}
