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

func TestTheLastByteArrivedBeforeTheEndOfTheStream(t *testing.T) {
	near, far := pair(t)
	buffer := make([]byte, 10)
	if _, err := far.Write([]byte("last")); err != nil {
		t.Fatal(err)
	}
	if _, err := near.Read(buffer); err != nil {
		t.Fatal(err)
	}
	last, all := near.LastByte(), near.Received(true, false)
	_ = far.Close()
	if _, err := near.Read(buffer); err != io.EOF {
		t.Fatal(err)
	}
	if near.LastByte() != last || near.Received(true, false) != all {
		t.Errorf("%v, not %v", near.LastByte(), last)
	}
}

func TestBoundsTheFirstAndTheLastWriteOfARequest(t *testing.T) {
	near, _ := pair(t)
	_, _ = near.Write([]byte("before"))
	near.Begin(false)
	if (near.FirstWrite() != clock.Bounds{}) || (near.LastWrite() != clock.Bounds{}) {
		t.Error("a write before the request counts")
	}
	beganNs := clock.Now()
	for range 3 {
		_, _ = near.Write([]byte("part"))
	}
	first, last := near.FirstWrite(), near.LastWrite()
	if first.Low < beganNs || first.High <= first.Low || last.Low < first.High || last.High <= last.Low || last.High > clock.Now() {
		t.Errorf("%d, %v, %v", beganNs, first, last)
	}
}

// slowConn takes over the bytes of a write at an unknown moment.
type slowConn struct {
	net.Conn
	writing, proceed chan struct{}
}

func (c slowConn) Write(from []byte) (int, error) {
	close(c.writing)
	<-c.proceed
	return len(from), nil
}

func TestAWriteThatHasNotReturnedIsBoundedByTheCurrentTime(t *testing.T) {
	slow := slowConn{writing: make(chan struct{}), proceed: make(chan struct{})}
	conn := Wrap(slow)
	done := make(chan struct{})
	go func() { _, _ = conn.Write([]byte("request")); close(done) }()
	<-slow.writing
	beganNs := clock.Now()
	during := conn.FirstWrite()
	close(slow.proceed)
	<-done
	after := conn.FirstWrite()
	if during.Low == 0 || during.Low > beganNs || during.High < beganNs || after.Low != during.Low || after.High < during.High {
		t.Errorf("%d, %v, %v", beganNs, during, after)
	}
}

func TestReceivedIncludesAllReadsSinceTheLastCall(t *testing.T) {
	conn := Wrap(slowConn{})
	together := func(low, high int64) arrival {
		return arrival{Bounds: clock.Bounds{Low: low, High: high}, end: clock.Exactly(high)}
	}
	conn.store(exactly(10), nil)
	conn.store(together(12, 20), nil)
	for _, c := range []struct {
		isPartial bool
		want      clock.Bounds
	}{
		{true, clock.Bounds{Low: 10, High: 20}},
		{false, clock.Bounds{Low: 10, High: 20}},
		{false, clock.Bounds{Low: 12, High: 20}},
	} {
		if got := conn.Received(c.isPartial, false); got != c.want {
			t.Errorf("%v, not %v", got, c.want)
		}
	}
	// The wall clock was set back, but the recorded arrival must not precede that of earlier bytes.
	conn.store(exactly(15), nil)
	if got := conn.Received(false, false); got != clock.Exactly(20) || conn.LastByte() != clock.Exactly(20) {
		t.Errorf("%v, %v", got, conn.LastByte())
	}
	conn.store(together(21, 30), nil)
	if got := conn.LastByte(); got != clock.Exactly(30) {
		t.Errorf("the last byte: %v", got)
	}
}

// Without encryption, the times of body bytes do not depend on when the reader of the body returns them.
func TestReportsWhenEachPartOfABodyArrived(t *testing.T) {
	conn := Wrap(slowConn{})
	for range 2 {
		conn.Begin(true)
		for index, received := range []string{
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "9\r\none", "two", "thr", "\r\n2\r\nee\r\n", "0\r\n\r\n",
		} {
			conn.store(exactly(conn.read.High+int64(index)+1), []byte(received))
		}
		endNs := conn.read.High
		for _, want := range []struct {
			n, count int
			ns       int64
		}{{11, 3, endNs - 18}, {8, 3, endNs - 15}, {2, 2, endNs - 11}, {3, 1, endNs - 11}, {2, 2, endNs - 6}, {0, 0, 0}, {1, 0, 0}} {
			if count, at := conn.Body(want.n); count != want.count || at != clock.Exactly(want.ns) {
				t.Errorf("%v: %d, %v", want, count, at)
			}
		}
	}
	conn.Begin(false)
	conn.store(exactly(100), []byte("HTTP/1.1 200 OK\r\n\r\nbody"))
	if count, _ := conn.Body(4); count != 0 {
		t.Error("encrypted bytes are counted")
	}
}

// The reader may have waited in the middle of a chunk, with complete events before it.
func TestReceivedIncludesTheReadBeforeIfLaterReadsWaited(t *testing.T) {
	waited := exactly(20)
	waited.hasWaited = true
	for _, c := range []struct {
		name       string
		second     arrival
		isParallel bool
		wantLow    int64
	}{
		{"the rest of the bytes were there", exactly(20), true, 15},
		{"the rest of the bytes came later", waited, false, 10},
	} {
		conn := Wrap(slowConn{})
		conn.store(exactly(10), nil)
		conn.Received(false, c.isParallel)
		conn.store(exactly(15), nil)
		conn.store(c.second, nil)
		if got := conn.Received(false, c.isParallel); got != (clock.Bounds{Low: c.wantLow, High: 20}) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// With HTTP/2, another goroutine may have processed only a part of the read before.
func TestReceivedIncludesAReadOfSeveralSegmentsInParallel(t *testing.T) {
	for isParallel, want := range map[bool]clock.Bounds{
		true:  {Low: 5, High: 20},
		false: clock.Exactly(20),
	} {
		conn := Wrap(slowConn{})
		conn.store(arrival{Bounds: clock.Bounds{Low: 5, High: 10}, end: clock.Exactly(10)}, nil)
		conn.Received(false, isParallel)
		conn.store(exactly(20), nil)
		if got := conn.Received(false, isParallel); got != want {
			t.Errorf("%t: %v", isParallel, got)
		}
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

// readBody of package exchange reads a body without calls of Body.
func TestStoresABoundedNumberOfBodyReads(t *testing.T) {
	conn := &Conn{}
	for index := range int64(2 * maxBodyReads) {
		conn.addBodyRead(bodyRead{index + 1, clock.Bounds{Low: index, High: index + 1}})
	}
	if len(conn.bodyReads) != maxBodyReads {
		t.Fatalf("%d reads", len(conn.bodyReads))
	}
	for range maxBodyReads - 1 {
		if n, at := conn.Body(1); n != 1 || at.High-at.Low != 1 {
			t.Fatalf("%d bytes at %v", n, at)
		}
	}
	want := clock.Bounds{Low: maxBodyReads - 1, High: 2 * maxBodyReads}
	if n, at := conn.Body(2 * maxBodyReads); n != maxBodyReads+1 || at != want {
		t.Errorf("%d bytes at %v, not %v", n, at, want)
	}
}
