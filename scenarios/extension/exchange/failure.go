package exchange

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"touchstone/k6/stream"
)

// Failure is the reason why a response is incomplete or is not a result of the operation. It is empty for a complete
// error response.
type Failure string

// Failures. Scripts and results contain these texts, so they must not change.
const (
	None           Failure = ""
	Timeout        Failure = "timeout"         // the deadline of the request passed
	Stopped        Failure = "stopped"         // the run ended
	Refused        Failure = "refused"         // connection refused
	Reset          Failure = "reset"           // the connection was reset
	Closed         Failure = "closed"          // connection closed before the response began
	Truncated      Failure = "cut"             // connection closed during the response
	TooLarge       Failure = "too-large"       // more bytes than allowed
	DNS            Failure = "dns"             // no address for the name
	TLS            Failure = "tls"             // TLS handshake failed
	Unreachable    Failure = "unreachable"     // host or network unreachable
	BadResponse    Failure = "bad-answer"      // not HTTP
	Encoded        Failure = "encoded"         // content coding that was not accepted, and is not gzip
	ErrorEvent     Failure = "error-event"     // the stream contains an error
	UnexpectedBody Failure = "unexpected-body" // a 2xx response whose body is not a result of the operation
	Aborted        Failure = "left"            // aborted by the script
	Other          Failure = "network"
)

// classify returns the failure for an error. The context within is that of the request, and is derived from run, the
// context of the run. The response has begun if its status line was received.
func classify(run, within context.Context, err error, isBegun bool) Failure {
	switch {
	case errors.Is(err, stream.ErrAborted):
		return Aborted
	case errors.Is(err, stream.ErrTooLarge):
		return TooLarge
	case errors.Is(err, stream.ErrEvent):
		return ErrorEvent
	case errors.Is(err, errCoding):
		return Encoded
	case run.Err() != nil:
		return Stopped
	case within.Err() != nil, isTimeout(err):
		return Timeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return Reset
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return Unreachable
	case isBegun:
		return Truncated
	}
	return classifyWithoutResponse(err)
}

func classifyWithoutResponse(err error) Failure {
	var dns *net.DNSError
	var header tls.RecordHeaderError
	var alert tls.AlertError
	var certificate *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &dns):
		return DNS
	case errors.As(err, &header), errors.As(err, &alert), errors.As(err, &certificate), errors.As(err, &unknown):
		return TLS
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), isClosedIdle(err):
		return Closed
	case strings.Contains(err.Error(), "malformed"):
		return BadResponse
	case isLongHead(err):
		return TooLarge
	}
	return Other
}

func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// isLongHead reports whether the head of a response was too long. It compares the message of the error, because net/http
// does not export the error.
func isLongHead(err error) bool {
	return strings.Contains(err.Error(), "headers exceeded") || strings.Contains(err.Error(), "response header list larger")
}

// isClosedIdle reports whether the server closed an idle connection. It compares the message of the error, because
// net/http does not export the error.
func isClosedIdle(err error) bool {
	return strings.Contains(err.Error(), "server closed idle connection")
}
