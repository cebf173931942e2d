package s3store

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"syscall"

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
	message, hint := describeConnection(err)
	return problem.Failure("The server of %s, %s, %s.", b.address, b.endpoint(), message).
		Hint("%s", hint).Because(&serverError{err, 0})
}

// endpoint returns the address of the server without anything else, for messages.
func (b *bucket) endpoint() string { return redact(b.address.endpoint) }

// describeResponse returns the problem for an error of the server.
func (b *bucket) describeResponse(object string, response minio.ErrorResponse) problem.Problem {
	bucket, endpoint := b.address.bucket, b.endpoint()
	switch response.Code {
	case minio.NoSuchBucket:
		return problem.Failure("The bucket %q does not exist on %s.", bucket, endpoint).Hint("Create it, or check its name and the endpoint.")
	case minio.InvalidBucketName:
		return problem.Failure("%q is not a valid name of a bucket.", bucket).Hint("Check the address of the store.")
	case "InvalidAccessKeyId", "XAdminUserNotFound":
		return problem.Failure("The server %s does not know the access key.", endpoint).Hint("Check AWS_ACCESS_KEY_ID and the endpoint.")
	case "SignatureDoesNotMatch":
		return problem.Failure("The secret key does not belong to the access key.").Hint("Check AWS_SECRET_ACCESS_KEY.")
	case "ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired":
		return problem.Failure("The credentials have expired.").Hint("Get new ones.")
	case "RequestTimeTooSkewed":
		return problem.Failure("The clocks of this machine and of the server %s differ too much.", endpoint).Hint("Set the clock of this machine.")
	case minio.AuthorizationHeaderMalformed, minio.InvalidRegion, "PermanentRedirect", "TemporaryRedirect", "Redirect", "IllegalLocationConstraintException":
		return b.otherRegion(response.Region)
	case minio.EntityTooLarge:
		return problem.Failure("The server refuses %s, because it is too large.", object).Hint("Raise the limit of the server.")
	case "QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "InsufficientStorage":
		return problem.Failure("The bucket %q is full.", bucket).Hint("Delete objects or raise its quota.")
	}
	switch status := response.StatusCode; {
	case status == http.StatusForbidden || status == http.StatusUnauthorized:
		return b.denied(object)
	case 300 <= status && status < 400:
		return b.otherRegion(response.Region)
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return problem.Failure("The server %s is overloaded or not ready (%s).", endpoint, statusOf(response)).Hint("Try again later.")
	case status >= http.StatusInternalServerError:
		return problem.Failure("The server %s failed (%s).", endpoint, statusOf(response)).Hint("Try again later, or check the log of the server.")
	}
	return problem.Failure("The server %s refuses the request for %s (%s).", endpoint, object, statusOf(response)).
		Hint("Check that the endpoint is that of an S3 server.")
}

// statusOf returns the status and the code of a response.
func statusOf(response minio.ErrorResponse) string {
	code, _, _ := strings.Cut(response.Code, "\n")
	if strings.HasPrefix(code, fmt.Sprint(response.StatusCode)) {
		return code
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", response.StatusCode, code))
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

// describeConnection returns what is wrong with the connection to a server, and a
// hint.
func describeConnection(err error) (message, hint string) {
	const checkEndpoint = "Check the endpoint, and that the server is running."
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return fmt.Sprintf("cannot be reached, because the host name %q is unknown", dns.Name), "Check the endpoint and the network."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "cannot be reached, because nothing is listening there", checkEndpoint
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "cannot be reached, because there is no route to it", "Check the endpoint and the network."
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "has a certificate of an unknown authority", "Install the certificate of the authority, or name its file in SSL_CERT_FILE."
	case errors.As(err, new(x509.HostnameError)):
		return "has a certificate for another host name", "Check the host name in the endpoint."
	case errors.As(err, new(x509.CertificateInvalidError)):
		return "has a certificate that is not valid", "Renew the certificate of the server, or check the clock of this machine."
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "does not use TLS", "Use http:// in the endpoint."
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "closed the connection", "Try again, or check the log of the server."
	case errors.Is(err, errStalled), errors.As(err, &timeout) && timeout.Timeout():
		return "does not respond", "Check the network, and try again."
	}
	return "cannot be reached", checkEndpoint
}
