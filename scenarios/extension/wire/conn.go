// Package wire records when bytes pass through a connection. The times do not include the wait of a goroutine for a
// processor. A request has the times immediately before and after it is written to the socket. Where the kernel
// supports it (Linux), received bytes have the time at which the kernel received them. Bounds describe the remaining
// uncertainty.
package wire

import (
	"bytes"
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

	hasWritten bool
	isTunnel   bool       // whether the first write asked a proxy for a tunnel
	encrypted  *encrypted // nil without TLS

	mutex sync.Mutex // protects the fields below, because HTTP/2 reads and writes in separate goroutines
	first write      // first write since Begin
	last  write      // last write since Begin
	from  arrival    // first read since the last call of Received, or the last read before that call
	isNew bool       // whether a read has completed since the last call of Received
	read  arrival    // last read

	before    arrival // value of from before the last call of Received
	hasSplit  bool    // whether a read since the last call of Received waited, and was not the first one
	body      bodyCounter
	bodyReads []bodyRead // reads with body bytes that Body has not returned
	bodyTaken int64      // body bytes that Body has returned

}

// bodyRead is a read that returned body bytes. The number of body bytes includes those of earlier reads.
type bodyRead struct {
	endBytes int64
	clock.Bounds
}

// write is one call of Write. The kernel takes over its bytes between the two times.
type write struct{ beforeNs, afterNs int64 } // 0: has not happened

// arrival describes when the bytes of one read arrived, and when its last byte arrived. If the bytes came in one segment,
// they arrived exactly at the upper bound. Otherwise, the lower bound is the last instant at which there was nothing to
// read.
type arrival struct {
	clock.Bounds
	end       clock.Bounds
	hasWaited bool // whether there was nothing to read at first
}

// exactly returns an arrival of all bytes at one known instant.
func exactly(ns int64) arrival {
	at := clock.Exactly(ns)
	return arrival{Bounds: at, end: at}
}

// Wrap returns a connection that records times.
func Wrap(conn net.Conn) *Conn {
	return &Conn{Conn: conn, kernel: openKernelReader(conn)}
}

// Read reads from the wrapped connection, and records the arrival.
func (c *Conn) Read(into []byte) (int, error) {
	if c.encrypted != nil {
		return c.readRecord(into)
	}
	n, got, err := c.readWithArrival(into)
	if n > 0 { // the end of the stream is not a byte
		c.store(got, into[:n])
	}
	return n, err
}

func (c *Conn) readWithArrival(into []byte) (int, arrival, error) {
	if c.kernel == nil {
		n, err := c.Conn.Read(into)
		return n, exactly(clock.Now()), err
	}
	return c.kernel.read(c.Conn, into)
}

func (c *Conn) store(got arrival, received []byte) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	// Clamps the kernel's timestamps. They come from the wall clock, which can jump, but bytes cannot arrive before
	// earlier bytes, or before the request was written.
	earliest := max(c.read.end.Low, c.first.beforeNs)
	got.Low, got.end.Low = max(got.Low, earliest), max(got.end.Low, earliest)
	got.High = max(got.High, got.end.Low, c.read.High)
	got.end.High = got.High
	c.read = got
	if c.isNew {
		c.hasSplit = c.hasSplit || got.hasWaited
	} else {
		c.from, c.isNew = got, true
	}
	c.storeBody(got, received)
}

// storeBody stores the arrival of the body bytes in received bytes.
func (c *Conn) storeBody(got arrival, received []byte) {
	before := c.body.bytes
	c.body.add(received)
	if c.body.bytes > before {
		c.addBodyRead(bodyRead{c.body.bytes, got.Bounds})
	}
}

// maxBodyReads is the maximum number of stored reads. A caller that does not call Body would otherwise exhaust the memory.
const maxBodyReads = 4096

// addBodyRead stores a read. Instead of storing more than maxBodyReads, it extends the last one to the arrival of both.
func (c *Conn) addBodyRead(read bodyRead) {
	last := len(c.bodyReads) - 1
	if last+1 < maxBodyReads {
		c.bodyReads = append(c.bodyReads, read)
		return
	}
	read.Low = c.bodyReads[last].Low
	c.bodyReads[last] = read
}

// Write writes to the wrapped connection, and records the times before and after.
func (c *Conn) Write(from []byte) (int, error) {
	c.detectTLS(from)
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

// detectTLS starts reading record by record if the client begins a TLS handshake, at the start or after a request for a
// tunnel. The server sends no TLS record before that, so no read is in progress.
func (c *Conn) detectTLS(written []byte) {
	if c.encrypted != nil || c.hasWritten && !c.isTunnel {
		return
	}
	if isClientHello(written) {
		c.encrypted = &encrypted{buffer: make([]byte, recordBufferSize)}
	} else if !c.hasWritten {
		c.isTunnel = bytes.HasPrefix(written, []byte("CONNECT "))
	}
	c.hasWritten = true
}

// Begin starts the recording of a new request. If the connection carries HTTP/1.1 without encryption (isPlain), Body
// reports when the bytes of the response body arrived.
func (c *Conn) Begin(isPlain bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.first, c.last = write{}, write{}
	c.body.part, c.body.bytes, c.bodyReads, c.bodyTaken = notCounted, 0, c.bodyReads[:0], 0
	if isPlain {
		c.body.begin()
	}
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
//
// The caller may also have processed bytes of the read before, which had to wait for later bytes. This is certain not
// to be the case if there was one read since the last call, and if the reads before returned bytes of one segment. The
// latter condition applies to callers that read in another goroutine (isParallel).
func (c *Conn) Received(isPartial, isParallel bool) clock.Bounds {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	all := c.from.Bounds
	all.High = c.read.High
	if c.isNew && (c.hasSplit || isParallel && c.before.Low < c.before.High) {
		all.Low = min(all.Low, c.before.Low)
	}
	if !isPartial {
		c.before, c.from = c.read, c.read
		c.isNew, c.hasSplit = false, false
	}
	return all
}

// Body returns the arrival of the next bytes of the response body, and how many of the next n bytes arrived with them.
// It returns 0 for no bytes, and if the connection does not count the bytes of bodies.
func (c *Conn) Body(n int) (count int, at clock.Bounds) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if n == 0 || len(c.bodyReads) == 0 {
		return 0, clock.Bounds{}
	}
	read := c.bodyReads[0]
	count = int(min(int64(n), read.endBytes-c.bodyTaken))
	if c.bodyTaken += int64(count); c.bodyTaken == read.endBytes {
		c.bodyReads = c.bodyReads[:copy(c.bodyReads, c.bodyReads[1:])]
	}
	return count, read.Bounds
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

// Prepare makes the kernel record the times of received bytes. Call it some time before the first request.
var Prepare = sync.OnceFunc(enableKernelTimes)

// readBufferSize is the size of the read buffer of a connection, in bytes. It exceeds the default of 4 KB, with which
// reading a fast stream would take more system calls.
const readBufferSize = 32 << 10

// maxHeaderBytes is the maximum length of the head of a response. The default of net/http is 10 MB.
const maxHeaderBytes = 256 << 10

// recordBufferSize is the size of the additional buffer of a connection with TLS, in bytes. The largest record has 16
// KB.
const recordBufferSize = 16 << 10

// Instrument makes a transport record the times of its connections. Call it before the first request of the transport.
func Instrument(transport *http.Transport) {
	Prepare()
	transport.ReadBufferSize = readBufferSize
	transport.MaxResponseHeaderBytes = maxHeaderBytes
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
