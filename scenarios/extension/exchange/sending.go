package exchange

import (
	"net/http/httptrace"
	"sync/atomic"

	"touchstone/k6/clock"
	"touchstone/k6/wire"
)

// sending records when a request is handed to the socket. A transport may call the hooks in other goroutines, and after it returned.
type sending struct {
	conn      atomic.Pointer[wire.Conn] // nil if the transport has no recording connections
	headersNs atomic.Int64
}

func (s *sending) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if conn := wire.Find(info.Conn); conn != nil {
				conn.Begin()
				s.conn.Store(conn)
			}
			s.headersNs.Store(0)
		},
		WroteHeaders: func() {
			at := clock.Now()
			// HTTP/2 has written the header by now, and possibly other frames before it. HTTP/1.1 has it in a buffer.
			if conn := s.conn.Load(); conn != nil {
				at = conn.LastWriteNs()
			}
			s.headersNs.Store(at)
		},
	}
}

// startNs returns the instant at which the request was handed to the socket, or its argument if it was not.
func (s *sending) startNs(otherwise int64) int64 {
	if at := s.headersNs.Load(); at != 0 {
		return at
	}
	if conn := s.conn.Load(); conn != nil && conn.FirstWriteNs() != 0 {
		return conn.FirstWriteNs()
	}
	return otherwise
}

// arrived returns a function that returns the arrival time of the last bytes.
func (s *sending) arrived() func() int64 {
	if conn := s.conn.Load(); conn != nil {
		return conn.ReceivedNs
	}
	return clock.Now
}
