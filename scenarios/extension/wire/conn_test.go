package wire

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"touchstone/k6/clock"
)

func pair(t *testing.T) (near *Conn, far net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	dialed, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if far, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dialed.Close(); _ = far.Close() })
	return Wrap(dialed), far
}

func TestReadsLikeTheWrappedConnection(t *testing.T) {
	near, far := pair(t)
	_ = near.SetReadDeadline(time.Now().Add(-time.Second))
	if _, err := near.Read(make([]byte, 1)); !isTimeout(err) {
		t.Errorf("past the deadline: %v", err)
	}
	_ = near.SetReadDeadline(time.Time{})
	if n, err := near.Read(nil); n != 0 || err != nil {
		t.Errorf("an empty buffer: %d %v", n, err)
	}
	if _, err := near.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	_ = far.(*net.TCPConn).CloseWrite()
	if n, err := near.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the end of the stream: %d %v", n, err)
	}
	_ = near.Close()
	if _, err := near.Read(make([]byte, 1)); err == nil || err == io.EOF {
		t.Errorf("a closed connection: %v", err)
	}
}

func isTimeout(err error) bool {
	failed, is := err.(net.Error)
	return is && failed.Timeout() && os.IsTimeout(err)
}

func TestRecordsTheFirstAndTheLastWriteOfARequest(t *testing.T) {
	near, _ := pair(t)
	_, _ = near.Write([]byte("before"))
	near.Begin()
	if near.FirstWriteNs() != 0 || near.LastWriteNs() != 0 {
		t.Error("a write before the request counts")
	}
	beganNs := clock.Now()
	for range 3 {
		_, _ = near.Write([]byte("part"))
	}
	if first, last := near.FirstWriteNs(), near.LastWriteNs(); first < beganNs || last <= first || last > clock.Now() {
		t.Errorf("%d, %d, %d", beganNs, first, last)
	}
}

func TestFindsTheConnectionOfATransport(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	transport := server.Client().Transport.(*http.Transport).Clone()
	Instrument(transport)
	conn, err := transport.DialContext(context.Background(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if Find(conn) == nil || Find(&net.TCPConn{}) != nil {
		t.Error("not found, or found in another connection")
	}
}
