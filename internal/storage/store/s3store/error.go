package s3store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"

	"placard/internal/core/problem"
	"placard/internal/storage/store"
)

// serverError is the cause of the problems of a server or of the connection to it. The
// problems contain neither credentials nor parts of requests, which its text may.
type serverError struct {
	error
	status int // of the response, or 0
}

func (e *serverError) Unwrap() error { return e.error }

// refused reports whether the server answered, so that nothing was changed.
func (e *serverError) refused() bool {
	return e.status != 0 && e.status < http.StatusInternalServerError
}

// Unavailable implements [store.Unavailable]: other requests would fail, too.
func (e *serverError) Unavailable() bool { return !e.refused() }

// Is reports whether the server has refused to write an object because of its name. Other
// failures, such as missing permissions or too many requests, have another status.
func (e *serverError) Is(target error) bool {
	return target == store.ErrInvalidName && (e.status == http.StatusBadRequest || e.status == http.StatusConflict)
}

// isConflict reports whether a conditional write was refused.
func isConflict(err error) bool {
	own, ok := errors.AsType[*serverError](err)
	return ok && (own.status == http.StatusPreconditionFailed || own.status == http.StatusConflict)
}

// isRefused reports whether err says that the server answered a request and did not do
// it.
func isRefused(err error) bool {
	own, ok := errors.AsType[*serverError](err)
	return ok && own.refused()
}

// describe returns an error of the client as a problem for operators. ctx is the context
// of the operation. A missing object is [fs.ErrNotExist].
func (b *bucket) describe(ctx context.Context, operation, name string, err error) error {
	if err == nil {
		return nil
	}
	object := b.address.String() + "/" + name
	cause := context.Cause(ctx)
	if isDialError(cause) {
		err, cause = cause, nil
	}
	response, answered := errors.AsType[minio.ErrorResponse](err)
	switch {
	case errors.Is(cause, errStalled):
		err = errStalled
	case cause != nil:
		return cause
	case answered && response.StatusCode == http.StatusNotFound && response.Code == minio.NoSuchKey:
		return &fs.PathError{Op: operation, Path: object, Err: fs.ErrNotExist}
	case answered:
		return b.describeResponse(object, response).Because(&serverError{err, response.StatusCode})
	}
	return problem.Failure("The server of %s, %s, cannot be reached: %v.", b.address, b.endpoint(), rootCause(err)).
		Hint("Check the endpoint and the network, and that the server is running.").Because(&serverError{err, 0})
}

// rootCause returns the innermost error that err wraps, which is that of the system.
// Others quote the request.
func rootCause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// endpoint returns the address of the server, for messages.
func (b *bucket) endpoint() string {
	return b.address.endpoint.Scheme + "://" + b.address.endpoint.Host
}

// describeResponse returns the problem for an error of the server. Its code says more
// than the status.
func (b *bucket) describeResponse(object string, response minio.ErrorResponse) problem.Problem {
	status := response.StatusCode
	switch response.Code {
	case minio.AuthorizationHeaderMalformed, minio.InvalidRegion, "PermanentRedirect", "TemporaryRedirect", "Redirect", "IllegalLocationConstraintException":
		return b.otherRegion(response.Region)
	case minio.AccessDenied:
		return b.denied(object)
	}
	if 300 <= status && status < 400 {
		return b.otherRegion(response.Region)
	}
	code, _, _ := strings.Cut(response.Code, "\n")
	if !strings.HasPrefix(code, strconv.Itoa(status)) {
		code = strings.TrimSpace(fmt.Sprintf("%d %s", status, code))
	}
	if status == http.StatusTooManyRequests || status >= http.StatusInternalServerError {
		return problem.Failure("The server %s is overloaded or fails (%s).", b.endpoint(), code).Hint("Try again later, or check the log of the server.")
	}
	return problem.Failure("The server %s refuses the request for %s (%s).", b.endpoint(), object, code).
		Hint("Check the bucket, the endpoint, the credentials and the clock of this machine.")
}

func (b *bucket) otherRegion(region string) problem.Problem {
	p := problem.Failure("The bucket %q is not in the region of the request.", b.address.bucket)
	if region == "" {
		return p.Hint("Add the region of the bucket to the address of the store, as in s3://bucket/prefix?region=eu-central-1.")
	}
	return p.Hint("Add region=%s to the address of the store.", region)
}

func (b *bucket) denied(object string) problem.Problem {
	if value, err := b.credentials.GetWithContext(nil); err == nil && value.AccessKeyID == "" {
		return problem.Failure("%s is not public, and no credentials were found.", object).
			Hint("Set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them to ~/.aws/credentials.")
	}
	return problem.Failure("Access to %s is denied.", object).
		Hint("Reading needs the permissions s3:ListBucket and s3:GetObject, changes also s3:PutObject and s3:DeleteObject.")
}
