// Package wire records when bytes pass a connection. The times do not include the wait of a goroutine for a processor.
// A request is stamped immediately before it is written to the socket. Where the kernel supports it (Linux), received
// bytes have the time at which the kernel received them.
package wire

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"

	"go.k6.io/k6/v2/lib/netext"

	"touchstone/k6/clock"
)

// Conn is a connection that records the times of its bytes. All times are instants of package clock.
type Conn struct {
	net.Conn
	kernel     *kernelReader // nil if the kernel does not report times
	receivedNs atomic.Int64
	firstNs    atomic.Int64 // start of the first write since Begin; 0: none
	lastNs     atomic.Int64 // start of the last write since Begin; 0: none
}

// Wrap returns a connection that records times.
func Wrap(conn net.Conn) *Conn {
	return &Conn{Conn: conn, kernel: openKernelReader(conn)}
}

// Read reads like the wrapped connection.
func (c *Conn) Read(into []byte) (int, error) {
	n, atNs, err := c.read(into)
	// Bytes cannot arrive before earlier bytes, or before the request was written. The kernel uses the wall clock, which may be set.
	c.receivedNs.Store(max(atNs, c.receivedNs.Load(), c.firstNs.Load()))
	return n, err
}

func (c *Conn) read(into []byte) (n int, atNs int64, err error) {
	if c.kernel != nil {
		return c.kernel.read(c.Conn, into)
	}
	n, err = c.Conn.Read(into)
	return n, clock.Now(), err
}

// Write writes like the wrapped connection.
func (c *Conn) Write(from []byte) (int, error) {
	now := clock.Now()
	c.firstNs.CompareAndSwap(0, now)
	c.lastNs.Store(now)
	return c.Conn.Write(from)
}

// Begin starts a request.
func (c *Conn) Begin() {
	c.firstNs.Store(0)
	c.lastNs.Store(0)
}

// FirstWriteNs returns the start of the first write since Begin, or 0.
func (c *Conn) FirstWriteNs() int64 { return c.firstNs.Load() }

// LastWriteNs returns the start of the last write since Begin, or 0.
func (c *Conn) LastWriteNs() int64 { return c.lastNs.Load() }

// ReceivedNs returns the time at which the bytes of the last Read arrived.
func (c *Conn) ReceivedNs() int64 { return c.receivedNs.Load() }

// Instrument makes a transport record the times of its connections. Call it before the first request of the transport.
func Instrument(transport *http.Transport) {
	dial := transport.DialContext
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		// k6 counts bytes in an outer connection.
		if outer, is := conn.(*netext.Conn); is {
			outer.Conn = Wrap(outer.Conn)
			return outer, nil
		}
		return Wrap(conn), nil
	}
}

// Find returns the recording connection below a connection of a transport, or nil.
func Find(conn net.Conn) *Conn {
	for {
		switch outer := conn.(type) {
		case *Conn:
			return outer
		case *netext.Conn:
			conn = outer.Conn
		case interface{ NetConn() net.Conn }: // TLS
			conn = outer.NetConn()
		default:
			return nil
		}
	}
}
