// Package wire records when bytes pass through a connection. The times do not include the wait of a goroutine for a
// processor. A request has the times immediately before and after it is written to the socket. Where the kernel
// supports it (Linux), received bytes have the time at which the kernel received them. Bounds describe the remaining
// uncertainty.
package wire

import (
	"context"
	"net"
	"net/http"
	"sync"

	"go.k6.io/k6/v2/lib/netext"

	"touchstone/k6/clock"
)

// Conn is a connection that records the times of its bytes. All times are instants of package clock.
type Conn struct {
	net.Conn
	kernel *kernelReader // nil if the kernel does not report times

	mutex sync.Mutex // protects the fields below, because HTTP/2 reads and writes in separate goroutines
	first write      // first write since Begin
	last  write      // last write since Begin
	from  arrival    // first read since the last call of Received, or the last read before that call
	isNew bool       // whether a read has completed since the last call of Received
	read  arrival    // last read
}

// write is one call of Write. The kernel takes over its bytes between the two times.
type write struct{ beforeNs, afterNs int64 } // 0: has not happened

// arrival describes when the bytes of one read arrived, and when its last byte arrived.
type arrival struct {
	clock.Arrival
	end clock.Bounds
}

// exactly returns an arrival of all bytes at one known instant.
func exactly(ns int64) arrival {
	return arrival{clock.Arrival{Bounds: clock.Exactly(ns)}, clock.Exactly(ns)}
}

// Wrap returns a connection that records times.
func Wrap(conn net.Conn) *Conn {
	return &Conn{Conn: conn, kernel: openKernelReader(conn)}
}

// Read reads from the wrapped connection, and records the arrival.
func (c *Conn) Read(into []byte) (int, error) {
	if c.kernel == nil {
		n, err := c.Conn.Read(into)
		c.store(exactly(clock.Now()))
		return n, err
	}
	n, got, err := c.kernel.read(c.Conn, into)
	c.store(got)
	return n, err
}

func (c *Conn) store(got arrival) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	// Clamps the kernel's timestamps. They come from the wall clock, which can jump, but bytes cannot arrive before
	// earlier bytes, or before the request was written.
	earliest := max(c.read.end.Low, c.first.beforeNs)
	got.Low, got.end.Low = max(got.Low, earliest), max(got.end.Low, earliest)
	got.High = max(got.High, got.end.Low, c.read.High)
	got.end.High = got.High
	c.read = got
	if !c.isNew {
		c.from, c.isNew = got, true
	}
}

// Write writes to the wrapped connection, and records the times before and after.
func (c *Conn) Write(from []byte) (int, error) {
	c.mutex.Lock()
	began := clock.Now()
	isFirst := c.first.beforeNs == 0
	if isFirst {
		c.first = write{beforeNs: began}
	}
	c.last = write{beforeNs: began}
	c.mutex.Unlock()
	n, err := c.Conn.Write(from)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	ended := clock.Now()
	if isFirst && c.first.beforeNs == began {
		c.first.afterNs = ended
	}
	if c.last.beforeNs == began {
		c.last.afterNs = ended
	}
	return n, err
}

// Begin starts the recording of a new request.
func (c *Conn) Begin() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.first, c.last = write{}, write{}
}

// FirstWrite returns the time at which the kernel took over the bytes of the first write since Begin. The bounds are 0
// if there was no write.
func (c *Conn) FirstWrite() clock.Bounds {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.first.bounds()
}

// LastWrite is like FirstWrite, for the last write since Begin.
func (c *Conn) LastWrite() clock.Bounds {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.last.bounds()
}

func (w write) bounds() clock.Bounds {
	if w.beforeNs != 0 && w.afterNs == 0 { // still writing, although the response may have begun
		return clock.Bounds{Low: w.beforeNs, High: clock.Now()}
	}
	return clock.Bounds{Low: w.beforeNs, High: w.afterNs}
}

// Received returns the arrival of the bytes that were read since the last call. If nothing was read since, it returns
// the arrival of the last read. If some of the bytes are still to be processed (isPartial), the next call includes
// them.
func (c *Conn) Received(isPartial bool) clock.Arrival {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	all := c.from.Arrival
	all.High = c.read.High
	if !isPartial {
		c.from, c.isNew = c.read, false
	}
	return all
}

// LastByte returns the time at which the last byte of the last read arrived.
func (c *Conn) LastByte() clock.Bounds {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.read.end
}

// IsBounded reports whether the times have reliable bounds. Without kernel receive timestamps, the delay of a
// read is unknown.
func (c *Conn) IsBounded() bool { return c.kernel != nil }

// prepare starts the services that all connections of the process share: kernel times and the probe.
var prepare = sync.OnceFunc(func() {
	if enableKernelTimes() {
		startProbe()
	}
})

// readBufferSize is the size of the read buffer of a connection, in bytes. It exceeds the default of 4 KB, with which
// reading a fast stream would take more system calls.
const readBufferSize = 32 << 10

// Instrument makes a transport record the times of its connections. Call it before the first request of the transport.
func Instrument(transport *http.Transport) {
	prepare()
	transport.ReadBufferSize = readBufferSize
	dial := transport.DialContext
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		// k6 wraps connections to count bytes.
		if outer, is := conn.(*netext.Conn); is {
			outer.Conn = Wrap(outer.Conn)
			return outer, nil
		}
		return Wrap(conn), nil
	}
}

// Find returns the recording connection inside a connection of a transport, or nil.
func Find(conn net.Conn) *Conn {
	for {
		switch outer := conn.(type) {
		case *Conn:
			return outer
		case *netext.Conn:
			conn = outer.Conn
		case interface{ NetConn() net.Conn }: // a TLS connection
			conn = outer.NetConn()
		default:
			return nil
		}
	}
}
