package exchange

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"touchstone/k6/wire"
)

// rawServer responds to the first request of a connection, and passes the second request to a function.
func rawServer(t *testing.T, second func(net.Conn)) (address string, seen *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	seen = &atomic.Int64{}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				reader := bufio.NewReader(connection)
				for count := 0; ; count++ {
					got, err := http.ReadRequest(reader)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, got.Body)
					seen.Add(1)
					if count == 1 {
						second(connection)
						return
					}
					_, _ = io.WriteString(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String(), seen
}

// Go's transport resends a request if a reused connection turns out to be closed. Send must prevent this for every
// request.
func TestSendsEachRequestOnce(t *testing.T) {
	for _, key := range []string{"", "Idempotency-Key", "X-Idempotency-Key"} {
		for _, method := range []string{"GET", "POST"} {
			address, seen := rawServer(t, func(net.Conn) {})
			transport := &http.Transport{}
			for _, want := range []Failure{None, Closed} {
				r := request(t, method, address)
				if key != "" {
					r.Header.Set(key, "1")
				}
				if result := Send(context.Background(), transport, r); result.Failure != want {
					t.Errorf("%s %s: %q, not %q: %v", method, key, result.Failure, want, result.Err)
				}
			}
			if seen.Load() != 2 {
				t.Errorf("%s %s: two requests came as %d", method, key, seen.Load())
			}
			transport.CloseIdleConnections()
		}
	}
}

func TestNamesConnectionFailures(t *testing.T) {
	write := func(text string) func(net.Conn) {
		return func(c net.Conn) { _, _ = io.WriteString(c, text) }
	}
	for _, c := range []struct {
		name   string
		second func(net.Conn)
		want   Failure
		status int
	}{
		{"a truncated body", write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), Truncated, 200},
		{"a truncated chunked body", write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), Truncated, 200},
		{"too many bytes", write("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n" + strings.Repeat("a", 2_000_000)), TooLarge, 200},
		{"no HTTP", write("SSH-2.0-OpenSSH\r\n\r\n"), BadResponse, 0},
		{"a cut head", write("HTTP/1.1 200 OK\r\n"), Closed, 0},
		{"a long head", write("HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 100_000) + "\r\n"), TooLarge, 0},
		{"many interim responses", write(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100_000)), TooLarge, 0},
		{"a reset", func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }, Reset, 0},
		{"silence", func(net.Conn) { time.Sleep(time.Second) }, Timeout, 0},
		{"silence after the head", func(c net.Conn) {
			write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")(c)
			time.Sleep(time.Second)
		}, Timeout, 200},
	} {
		address, _ := rawServer(t, c.second)
		transport := &http.Transport{}
		wire.Instrument(transport)
		Send(context.Background(), transport, request(t, "POST", address))
		r := request(t, "POST", address)
		r.Timeout = 300 * time.Millisecond
		result := Send(context.Background(), transport, r)
		if result.Failure != c.want || result.Status() != c.status {
			t.Errorf("%s: %q with status %d, not %q: %v", c.name, result.Failure, result.Status(), c.want, result.Err)
		}
	}
}
