package wire

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"testing"
	"time"
)

func waitFor(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !isTrue(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// The transport reads HTTP/2 in its own goroutine. The test reads the body only after all of it has arrived.
func TestHTTP2FramesKeepTheirArrivals(t *testing.T) {
	parts := []string{"first", "the second part", "third"}
	proceed := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, part := range parts {
			_, _ = io.WriteString(w, part)
			w.(http.Flusher).Flush()
			<-proceed
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	transport := &http.Transport{TLSClientConfig: server.Client().Transport.(*http.Transport).TLSClientConfig.Clone(), ForceAttemptHTTP2: true}
	Instrument(transport)
	defer transport.CloseIdleConnections()
	for range 2 { // the second request uses the same connection
		var conn *Conn
		ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			conn = Find(info.Conn)
			conn.Begin(false)
		}})
		request, _ := http.NewRequestWithContext(ctx, "GET", server.URL, nil)
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		if response.ProtoMajor != 2 || response.TLS == nil {
			t.Fatalf("%s, TLS %v", response.Proto, response.TLS)
		}
		for index := range parts {
			waitFor(t, "a part", func() bool {
				conn.mutex.Lock()
				defer conn.mutex.Unlock()
				return len(conn.bodyReads) > index
			})
			proceed <- struct{}{}
		}
		waitFor(t, "the end", func() bool { _, isKnown := conn.StreamEnd(); return isKnown })
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		beforeNs := int64(0)
		for _, part := range parts {
			n, at := conn.Body(len(body))
			if n != len(part) || at.High <= beforeNs {
				t.Errorf("%d bytes of %q arrived at %v, after %d", n, part, at, beforeNs)
			}
			body, beforeNs = body[n:], at.High
		}
		if end, _ := conn.StreamEnd(); end.High < beforeNs {
			t.Errorf("the end arrived at %v, before %d", end, beforeNs)
		}
	}
}
