package main

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// stampedListener notes when each of its connections was last read from: a request is known when its bytes are there, before it is
// parsed and its handler begins.
type stampedListener struct{ net.Listener }

func (l stampedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &stampedConn{Conn: conn}, nil
}

type stampedConn struct {
	net.Conn
	readAt atomic.Pointer[time.Time]
}

func (c *stampedConn) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	now := time.Now()
	c.readAt.Store(&now)
	return n, err
}

type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// arrivedAt is to be asked first in a handler, before anything else is read.
func arrivedAt(r *http.Request) time.Time {
	return *r.Context().Value(connKey{}).(*stampedConn).readAt.Load()
}
