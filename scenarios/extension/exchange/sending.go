package exchange

import (
	"net"
	"net/http/httptrace"
	"sync"

	"touchstone/k6/clock"
	"touchstone/k6/wire"
)

// sending records when a request is handed to the socket. A transport may call its hooks in other goroutines, even
// after RoundTrip has returned.
type sending struct {
	mutex   sync.Mutex
	conn    *wire.Conn   // nil if the transport has no recording connections
	headers clock.Bounds // write of the header in HTTP/2; 0 in HTTP/1.1
}

// addTo adds the hooks of s to a trace, and keeps the hooks that the trace has. httptrace would combine two traces by
// reflection for each request.
func (s *sending) addTo(trace *httptrace.ClientTrace) *httptrace.ClientTrace {
	gotConn, wroteHeaders := trace.GotConn, trace.WroteHeaders
	trace.GotConn = func(info httptrace.GotConnInfo) {
		s.gotConn(info)
		if gotConn != nil {
			gotConn(info)
		}
	}
	trace.WroteHeaders = func() {
		s.wroteHeaders()
		if wroteHeaders != nil {
			wroteHeaders()
		}
	}
	return trace
}

func (s *sending) gotConn(info httptrace.GotConnInfo) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if conn := wire.Find(info.Conn); conn != nil {
		_, isEncrypted := info.Conn.(interface{ NetConn() net.Conn }) // as in wire.Find
		conn.Begin(!isEncrypted)
		s.conn = conn
	}
	s.headers = clock.Bounds{}
}

func (s *sending) wroteHeaders() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	// HTTP/2 has written the header by now, so the last write contains it. HTTP/1.1 has only buffered the header, so
	// there is no write.
	if s.conn != nil {
		s.headers = s.conn.LastWrite()
	} else {
		s.headers = clock.Exactly(clock.Now())
	}
}

// start returns the time at which the request was handed to the socket, or the given instant if it was not.
func (s *sending) start(otherwise int64) clock.Bounds {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.headers.Low != 0 {
		return s.headers
	}
	if s.conn != nil {
		if first := s.conn.FirstWrite(); first.Low != 0 {
			return first
		}
	}
	return clock.Exactly(otherwise)
}

// source returns a source for the arrival times of the body, and the time at which the header arrived. Call it when the
// header has been read.
func (s *sending) source(protoMajor int) (body *source, header clock.Bounds) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	body = &source{conn: s.conn, isParallel: protoMajor > 1}
	return body, body.received(false)
}

// source reports the times at which the bytes of a response body arrived.
type source struct {
	conn       *wire.Conn    // may be nil
	isParallel bool          // another goroutine reads from the connection, as in HTTP/2
	packed     *packedReader // the compressed body; nil if the body is not compressed
}

// Received returns the arrival of the next bytes of the body, of which n have been read, and how many of them arrived
// then. It returns 0 only if n is 0. A read is partial if it filled its buffer.
func (s *source) Received(n int, isPartial bool) (count int, at clock.Bounds) {
	if s.packed != nil {
		return n, s.packed.last
	}
	return s.arrived(n, isPartial)
}

// arrived is like Received, for bytes as they were sent.
func (s *source) arrived(n int, isPartial bool) (count int, at clock.Bounds) {
	if s.conn != nil {
		if count, at = s.conn.Body(n); count > 0 {
			return count, at
		}
	}
	return n, s.received(isPartial)
}

// received returns the arrival of all bytes that were read since the last call.
func (s *source) received(isPartial bool) clock.Bounds {
	if s.conn == nil {
		return clock.Exactly(clock.Now())
	}
	return s.conn.Received(isPartial, s.isParallel)
}

// ended returns the time at which the last byte of the body arrived. The argument last is the arrival that Received
// returned for the last read.
func (s *source) ended(last clock.Bounds) clock.Bounds {
	if s.conn == nil || s.isParallel { // with HTTP/2, frames of other streams may have been read since
		return last
	}
	return s.conn.LastByte()
}

func (s *source) isBounded() bool { return s.conn != nil && s.conn.IsBounded() }
