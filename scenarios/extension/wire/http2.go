package wire

import (
	"crypto/tls"
	"net"
	"net/http"

	"touchstone/k6/clock"
)

// unencryptedHTTP2 is the key in http.Transport.TLSNextProto of a function that speaks HTTP/2 over a net.Conn. net/http
// defines it since Go 1.24.
const unencryptedHTTP2 = "unencrypted_http2"

// instrumentHTTP2 makes a transport read HTTP/2 through a connection that sees the decrypted frames. Without it, the
// transport reads them in a goroutine of its own, and the arrival of an event is known only within the reads around it.
func instrumentHTTP2(transport *http.Transport) {
	transport.CloseIdleConnections() // adds the functions of net/http to TLSNextProto
	original, hasHTTP2 := transport.TLSNextProto["h2"]
	overConn, hasUnencrypted := transport.TLSNextProto[unencryptedHTTP2]
	if !hasHTTP2 || !hasUnencrypted {
		return
	}
	transport.TLSNextProto["h2"] = func(authority string, encrypted *tls.Conn) http.RoundTripper {
		conn := Find(encrypted)
		if conn == nil {
			return original(authority, encrypted)
		}
		conn.beginHTTP2()
		return overConn(authority, tls.Client(handover{conn: &frameConn{encrypted, conn}}, nil))
	}
}

// handover passes a connection to net/http, whose function takes a *tls.Conn and calls UnencryptedNetConn.
type handover struct {
	net.Conn // nil: net/http calls no method of it
	conn     net.Conn
}

func (h handover) UnencryptedNetConn() net.Conn { return h.conn }

// frameConn is a TLS connection with HTTP/2. It records when the frames of the current response arrived.
type frameConn struct {
	*tls.Conn
	recorded *Conn
}

func (f *frameConn) Read(into []byte) (int, error) {
	n, err := f.Conn.Read(into)
	if n > 0 {
		f.recorded.receiveFrames(into[:n])
	}
	return n, err
}

func (f *frameConn) Write(from []byte) (int, error) {
	f.recorded.sendFrames(from)
	return f.Conn.Write(from)
}

func (c *Conn) beginHTTP2() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.streams = &streamCounter{}
}

func (c *Conn) sendFrames(written []byte) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.streams.send(written)
}

// receiveFrames counts the body bytes in decrypted bytes. All of them arrived with the last TLS record.
func (c *Conn) receiveFrames(received []byte) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	hadEnded := c.streams.hasEnded
	if n := c.streams.receive(received); n > 0 {
		c.body.bytes += int64(n)
		c.addBodyRead(bodyRead{c.body.bytes, c.read.end})
	}
	if c.streams.hasEnded && !hadEnded {
		c.streamEnd = c.read.end
	}
}

// StreamEnd returns when the last frame of the response arrived. It returns false if the response has not ended, or if
// the connection does not count frames.
func (c *Conn) StreamEnd() (at clock.Bounds, isKnown bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.streams == nil || !c.streams.hasEnded {
		return clock.Bounds{}, false
	}
	return c.streamEnd, true
}
