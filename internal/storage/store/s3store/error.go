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
)

// Error is an error of a server or of the connection to it. Its text consists of a
// message and a hint, separated by a semicolon. It contains neither credentials nor
// parts of requests.
type Error struct {
	text string
	err  error
	// refused says that the server answered, so that nothing was changed.
	refused bool
}

func (e *Error) Error() string { return e.text }
func (e *Error) Unwrap() error { return e.err }

// Unavailable implements [store.Unavailable]: other requests would fail, too.
func (e *Error) Unavailable() bool { return !e.refused }

// isConflict reports whether a conditional write was refused.
func isConflict(err error) bool {
	response, ok := errors.AsType[minio.ErrorResponse](err)
	return ok && (response.StatusCode == http.StatusPreconditionFailed || response.StatusCode == http.StatusConflict)
}

// IsInvalidName reports whether a server has refused to write an object because of its
// name, such as that of a folder. Other failures, such as missing permissions or too many
// requests, have another status.
func IsInvalidName(err error) bool {
	response, ok := errors.AsType[minio.ErrorResponse](err)
	return ok && (response.StatusCode == http.StatusBadRequest || response.StatusCode == http.StatusConflict)
}

// isRefused reports whether err says that the server answered a request and did not do
// it.
func isRefused(err error) bool {
	own, ok := errors.AsType[*Error](err)
	return ok && own.refused
}

// describe returns an error of the client with a message and a hint for operators. ctx
// is the context of the operation. A missing object is [fs.ErrNotExist].
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
		return b.unreachable(errStalled, "does not respond", "check the network, and try again")
	case cause != nil:
		return cause
	case answered && response.StatusCode == http.StatusNotFound && response.Code == minio.NoSuchKey:
		return &fs.PathError{Op: operation, Path: object, Err: fs.ErrNotExist}
	case answered:
		message, hint := b.describeResponse(object, response)
		return &Error{message + "; " + hint, err, response.StatusCode < http.StatusInternalServerError}
	}
	message, hint := describeConnection(err)
	return b.unreachable(err, message, hint)
}

// unreachable returns an error of the connection to the server.
func (b *bucket) unreachable(err error, message, hint string) *Error {
	return &Error{fmt.Sprintf("the server of %s, %s, %s; %s", b.address, b.endpoint(), message, hint), err, false}
}

// endpoint returns the address of the server without anything else, for messages.
func (b *bucket) endpoint() string { return redact(b.address.endpoint) }

// describeResponse returns the message and the hint for an error of the server.
func (b *bucket) describeResponse(object string, response minio.ErrorResponse) (message, hint string) {
	code := response.Code
	switch code {
	case minio.NoSuchBucket:
		return fmt.Sprintf("the bucket %q does not exist on %s", b.address.bucket, b.endpoint()), "create it, or check its name and the endpoint"
	case minio.InvalidBucketName:
		return fmt.Sprintf("%q is not a valid name of a bucket", b.address.bucket), "check the address of the store"
	case "InvalidAccessKeyId", "XAdminUserNotFound":
		return "the server " + b.endpoint() + " does not know the access key", "check AWS_ACCESS_KEY_ID and the endpoint"
	case "SignatureDoesNotMatch":
		return "the secret key does not belong to the access key", "check AWS_SECRET_ACCESS_KEY"
	case "ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired":
		return "the credentials have expired", "get new ones"
	case "RequestTimeTooSkewed":
		return "the clocks of this machine and of the server " + b.endpoint() + " differ too much", "set the clock of this machine"
	case minio.AuthorizationHeaderMalformed, minio.InvalidRegion, "PermanentRedirect", "TemporaryRedirect", "Redirect", "IllegalLocationConstraintException":
		return b.otherRegion(response.Region)
	case minio.EntityTooLarge:
		return "the server refuses " + object + ", because it is too large", "raise the limit of the server"
	case "QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "InsufficientStorage":
		return fmt.Sprintf("the bucket %q is full", b.address.bucket), "delete objects or raise its quota"
	}
	switch status := response.StatusCode; {
	case status == http.StatusForbidden || status == http.StatusUnauthorized:
		return b.denied(object)
	case 300 <= status && status < 400:
		return b.otherRegion(response.Region)
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return fmt.Sprintf("the server %s is overloaded or not ready (%s)", b.endpoint(), statusOf(response)), "try again later"
	case status >= http.StatusInternalServerError:
		return fmt.Sprintf("the server %s failed (%s)", b.endpoint(), statusOf(response)), "try again later, or check the log of the server"
	}
	return fmt.Sprintf("the server %s refuses the request for %s (%s)", b.endpoint(), object, statusOf(response)), "check that the endpoint is that of an S3 server"
}

// statusOf returns the status and the code of a response.
func statusOf(response minio.ErrorResponse) string {
	code, _, _ := strings.Cut(response.Code, "\n")
	if strings.HasPrefix(code, fmt.Sprint(response.StatusCode)) {
		return code
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", response.StatusCode, code))
}

func (b *bucket) otherRegion(region string) (message, hint string) {
	message = fmt.Sprintf("the bucket %q is not in the region of the request", b.address.bucket)
	if region == "" {
		return message, "add the region of the bucket to the address of the store, as in s3://bucket/prefix?region=eu-central-1"
	}
	return message, "add region=" + region + " to the address of the store"
}

func (b *bucket) denied(object string) (message, hint string) {
	if value, err := b.credentials.GetWithContext(nil); err == nil && value.AccessKeyID == "" {
		if set, missing := incompleteVariables(); missing != "" {
			return fmt.Sprintf("%s is not public, and the credentials are incomplete: %s is set, but %s is not", object, set, missing), "set " + missing
		}
		return object + " is not public, and no credentials were found", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them to ~/.aws/credentials"
	}
	return "access to " + object + " is denied",
		"reading needs the permissions s3:ListBucket and s3:GetObject, changes also s3:PutObject and s3:DeleteObject"
}

// describeConnection returns what is wrong with the connection to a server, and a
// hint.
func describeConnection(err error) (message, hint string) {
	const checkEndpoint = "check the endpoint, and that the server is running"
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return fmt.Sprintf("cannot be reached, because the host name %q is unknown", dns.Name), "check the endpoint and the network"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "cannot be reached, because nothing is listening there", checkEndpoint
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "cannot be reached, because there is no route to it", "check the endpoint and the network"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "has a certificate of an unknown authority", "install the certificate of the authority, or name its file in SSL_CERT_FILE"
	case errors.As(err, new(x509.HostnameError)):
		return "has a certificate for another host name", "check the host name in the endpoint"
	case errors.As(err, new(x509.CertificateInvalidError)):
		return "has a certificate that is not valid", "renew the certificate of the server, or check the clock of this machine"
	case errors.As(err, &record) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "does not use TLS", "use http:// in the endpoint"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "closed the connection", "try again, or check the log of the server"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "does not respond", "check the network, and try again"
	}
	return "cannot be reached", checkEndpoint
}
