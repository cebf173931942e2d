package redisdb

import (
	"crypto/tls"
	"errors"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// describe returns what is wrong with the server, and what to do about it.
func describe(err error) (message, hint string) {
	if refusal, ok := errors.AsType[redis.Error](err); ok {
		return describeRefusal(string(refusal))
	}
	var noTLS tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return "redis has a certificate that cannot be verified", "install the certificate of its authority, or check the host name in the address"
	case errors.As(err, &noTLS):
		return "redis does not use TLS", "use redis:// in the address"
	}
	return "redis does not answer", "check the network, the server, and the host and port in the address; it starts with rediss:// if the server uses TLS, otherwise with redis://"
}

// describeRefusal is describe for an error that the server returned.
func describeRefusal(text string) (message, hint string) {
	code, _, _ := strings.Cut(text, " ")
	switch {
	case code == "WRONGPASS":
		return "redis refuses the user or the password", "check them in the address, where special characters are percent-encoded: / is %2F"
	case code == "NOAUTH":
		return "redis requires a password", "add it to the address, as in redis://:password@host"
	case code == "NOPERM":
		return "redis does not permit an operation", "give the user all commands on the keys placard:*"
	case strings.Contains(text, "DB index"):
		return "redis does not have the database in the address", "use a lower number, or none"
	}
	return "redis refuses an operation", "check the server"
}
