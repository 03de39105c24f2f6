package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

var base = time.Now()

func nowMs() float64 { return float64(time.Since(base)) / 1e6 }

// interval contains the instants before and after an operation, in milliseconds since the process started.
type interval [2]float64

// responseRecord is the record of one response: when the kernel received the request, and the instants before and after each
// write of the response. The last write contains the end of the body.
type responseRecord struct {
	RequestID string     `json:"requestId"`
	ArrivedMs interval   `json:"arrivedMs"`
	WritesMs  []interval `json:"writesMs"`
	shape
}

// logMutex protects all records.
var logMutex sync.Mutex

// loggedListener accepts connections that record their reads and writes.
type loggedListener struct {
	net.Listener
	config  *tls.Config // nil without TLS
	isHTTP2 bool
}

func (l loggedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	socket := &receivingConn{Conn: conn, receive: openReceiver(conn)}
	logged := &loggedConn{Conn: socket, socket: socket, isHTTP2: l.isHTTP2, read: frames{left: prefaceBytes}}
	if l.config != nil {
		logged.Conn = tls.Server(socket, l.config)
	}
	return logged, nil
}

// receivingConn keeps the arrival of the bytes of its last read.
type receivingConn struct {
	net.Conn
	receive    receiver
	arrived    interval
	earliestMs float64
}

// receiver reads from a connection. It reports when the last bytes arrived, and when the first ones did at the earliest.
type receiver func(into []byte) (n int, arrived interval, earliestMs float64, err error)

func (c *receivingConn) Read(into []byte) (n int, err error) {
	n, c.arrived, c.earliestMs, err = c.receive(into)
	return n, err
}

// loggedConn records the times of plain bytes. With HTTP/2, it records one request at a time: the arrival of its headers,
// and the writes with data.
type loggedConn struct {
	net.Conn
	socket        *receivingConn
	isHTTP2       bool
	read, written frames
	arrived       interval        // arrival of the last request
	record        *responseRecord // record of the current response; nil before the first one
}

func (c *loggedConn) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	logMutex.Lock()
	defer logMutex.Unlock()
	if !c.isHTTP2 {
		c.arrived = c.socket.arrived
		return n, err
	}
	c.read.scan(into[:n], func(kind byte) {
		if kind == frameHeaders {
			// The client sends the body, and settings, in other segments.
			c.arrived = interval{c.socket.earliestMs, c.socket.arrived[1]}
		}
	})
	return n, err
}

func (c *loggedConn) Write(from []byte) (int, error) {
	record := c.current()
	beganMs := nowMs()
	n, err := c.Conn.Write(from)
	endedMs := nowMs()
	logMutex.Lock()
	defer logMutex.Unlock()
	add := func() {
		if record != nil {
			record.WritesMs = append(record.WritesMs, interval{beganMs, endedMs})
		}
	}
	if !c.isHTTP2 {
		add()
		return n, err
	}
	c.written.scan(from[:n], func(kind byte) {
		if kind == frameData {
			add()
		}
	})
	return n, err
}

// current returns the record of the response that is being written. The client may send its next request before the last
// write returns.
func (c *loggedConn) current() *responseRecord {
	logMutex.Lock()
	defer logMutex.Unlock()
	return c.record
}

// begin starts the record of a response. A handler must call it before it reads or writes anything.
func (c *loggedConn) begin() *responseRecord {
	logMutex.Lock()
	defer logMutex.Unlock()
	c.record = &responseRecord{ArrivedMs: c.arrived}
	return c.record
}

type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

func connOf(r *http.Request) *loggedConn { return r.Context().Value(connKey{}).(*loggedConn) }
