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

// Fault is the name of what kept an answer from coming whole; empty where it came.
type Fault string

// The names. Scripts, results and people read them.
const (
	None        Fault = ""
	Timeout     Fault = "timeout"     // the request's own time was over
	Stopped     Fault = "stopped"     // the run ended
	Refused     Fault = "refused"     // nobody listens there
	Reset       Fault = "reset"       // the connection was reset
	Closed      Fault = "closed"      // the connection was closed before an answer began
	Cut         Fault = "cut"         // the answer began, and was cut
	TooLarge    Fault = "too-large"   // more bytes than allowed
	DNS         Fault = "dns"         // no address for the name
	TLS         Fault = "tls"         // no agreement on encryption
	Unreachable Fault = "unreachable" // no way to the address
	BadAnswer   Fault = "bad-answer"  // no HTTP
	Encoded     Fault = "encoded"     // in a content coding that was not asked for, and is not gzip
	ErrorEvent  Fault = "error-event" // a stream brought an error
	Left        Fault = "left"        // left by the script's own wish
	Other       Fault = "network"
)

// classify names an error: run is the context of the run, within that of the request.
func classify(run, within context.Context, err error, isBegun bool) Fault {
	switch {
	case errors.Is(err, stream.ErrLeft):
		return Left
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
		return Cut
	}
	return classifyBeforeAnswer(err)
}

func classifyBeforeAnswer(err error) Fault {
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
		return BadAnswer
	}
	return Other
}

func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// isClosedIdle: net/http has no exported error for it.
func isClosedIdle(err error) bool {
	return strings.Contains(err.Error(), "server closed idle connection")
}
