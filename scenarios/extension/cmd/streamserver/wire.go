package main

import (
	"context"
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
}

// logMutex protects all records.
var logMutex sync.Mutex

// loggedListener accepts connections that record their reads and writes.
type loggedListener struct{ net.Listener }

func (l loggedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &loggedConn{Conn: conn, receive: openReceiver(conn)}, nil
}

type loggedConn struct {
	net.Conn
	receive func(into []byte) (n int, arrived interval, err error)
	arrived interval        // arrival of the bytes of the last read
	record  *responseRecord // record of the current response; nil before the first one
}

func (c *loggedConn) Read(into []byte) (int, error) {
	n, arrived, err := c.receive(into)
	logMutex.Lock()
	defer logMutex.Unlock()
	c.arrived = arrived
	return n, err
}

func (c *loggedConn) Write(from []byte) (int, error) {
	beganMs := nowMs()
	n, err := c.Conn.Write(from)
	endedMs := nowMs()
	logMutex.Lock()
	defer logMutex.Unlock()
	if c.record != nil {
		c.record.WritesMs = append(c.record.WritesMs, interval{beganMs, endedMs})
	}
	return n, err
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
