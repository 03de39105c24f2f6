package main

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// stampedListener records when each connection was last read: a request has arrived when its bytes are read, before it is parsed and its
// handler starts.
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

// arrivedAt returns when a request arrived. A handler has to call it before it reads anything else.
func arrivedAt(r *http.Request) time.Time {
	return *r.Context().Value(connKey{}).(*stampedConn).readAt.Load()
}
