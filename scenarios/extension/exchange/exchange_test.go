package exchange

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"touchstone/k6/clock"
	"touchstone/k6/stream"
	"touchstone/k6/wire"
)

func request(t *testing.T, method, address string) *Request {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	r := &Request{Method: method, URL: parsed, Header: http.Header{}, Timeout: 5 * time.Second, MaxBytes: 1 << 20}
	if method == http.MethodPost {
		r.Body, r.BodyBytes = func() io.ReadCloser { return io.NopCloser(strings.NewReader("{}")) }, 2
	}
	return r
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestReadsWholeResponses(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, r.Method+string(got)+r.Host)
	})
	for contentType, isText := range map[string]bool{
		"application/json": true, "text/plain; charset=utf-8": true, "application/problem+json": true,
		"audio/mpeg": false, "image/png": false, "application/octet-stream": false,
	} {
		r := request(t, "POST", address+"/?type="+url.QueryEscape(contentType))
		r.Header.Set("Host", "elsewhere")
		result := Send(context.Background(), http.DefaultTransport, r)
		if result.Failure != None || result.Status() != 429 || result.Bytes != 15 {
			t.Fatalf("%s: %+v", contentType, result)
		}
		if want := map[bool]string{true: "POST{}elsewhere", false: ""}[isText]; string(result.Body) != want {
			t.Errorf("%s: %q", contentType, result.Body)
		}
	}
}

func TestDoesNotFollowRedirects(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/there", http.StatusFound) })
	if result := Send(context.Background(), http.DefaultTransport, request(t, "GET", address)); result.Status() != 302 {
		t.Errorf("%+v", result)
	}
}

// roundTripper is a transport that generates responses without a connection. The status is the path of the request, or
// 200.
type roundTripper func() io.Reader

func (a roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	status := 200
	_, _ = fmt.Sscanf(request.URL.Path, "/%d", &status)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(a())}, nil
}

// A GET is sent without a body, although Send gives the transport an empty body.
func TestGetHasNoBody(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 || len(r.TransferEncoding) != 0 || r.Header.Get("Content-Length") != "" {
			w.WriteHeader(http.StatusBadRequest)
		}
	})
	if result := Send(context.Background(), http.DefaultTransport, request(t, "GET", address)); result.Status() != 200 {
		t.Errorf("%+v", result)
	}
}

func TestKeepsTheStartOfALongResponse(t *testing.T) {
	transport := roundTripper(func() io.Reader {
		return io.MultiReader(strings.NewReader("a"), strings.NewReader(strings.Repeat("b", KeptBytes)))
	})
	for path, kept := range map[string]int{"": KeptBytes, "/500": KeptErrorBytes} {
		r := request(t, "GET", "http://nowhere"+path)
		r.MaxBytes = 2 * KeptBytes
		result := Send(context.Background(), transport, r)
		if len(result.Body) != kept || result.Bytes != KeptBytes+1 || result.Failure != None {
			t.Errorf("%s: %d of %d bytes, %q", path, len(result.Body), result.Bytes, result.Failure)
		}
	}
}

func TestDecodesOnlyGzip(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		coding := r.URL.Query().Get("coding")
		w.Header().Set("Content-Encoding", coding)
		w.Header().Set("Content-Type", "application/json")
		if coding != "gzip" {
			_, _ = io.WriteString(w, "{}")
			return
		}
		packed := gzip.NewWriter(w)
		_, _ = io.WriteString(packed, `{"usage":1}`)
		_ = packed.Close()
	})
	transport := &http.Transport{DisableCompression: true}
	for coding, want := range map[string]struct {
		failure Failure
		body    string
	}{"gzip": {None, `{"usage":1}`}, "identity": {None, "{}"}, "br": {Encoded, ""}} {
		result := Send(context.Background(), transport, request(t, "POST", address+"/?coding="+coding))
		if result.Failure != want.failure || string(result.Body) != want.body {
			t.Errorf("%s: %q %q", coding, result.Failure, result.Body)
		}
	}
}

func TestHTTP2OverTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	for _, method := range []string{"GET", "POST"} {
		r := request(t, method, server.URL)
		r.Stream = stream.NewReader()
		r.Stream.Reset(stream.Options{})
		result := Send(context.Background(), server.Client().Transport, r)
		if result.Failure != None || result.Response.Proto != "HTTP/2.0" || !result.IsStream || len(r.Stream.TokenTimes) != 1 {
			t.Errorf("%s: %+v", method, result)
		}
	}
}

// net/http returns the bytes of a chunk only when the chunk is complete.
func TestTimesEventsBeforeTheirChunkIsComplete(t *testing.T) {
	const pause = 20 * time.Millisecond
	events := strings.SplitAfter(strings.Repeat("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", 4), "\n\n")[:4]
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", 4*len(events[0]))
		for _, event := range events {
			time.Sleep(pause)
			_, _ = io.WriteString(conn, event)
		}
		_, _ = io.WriteString(conn, "\r\n0\r\n\r\n")
	})
	transport := &http.Transport{}
	wire.Instrument(transport)
	r := request(t, "POST", address)
	r.Stream = stream.NewReader()
	r.Stream.Reset(stream.Options{})
	result := Send(context.Background(), transport, r)
	itls := r.Stream.ITLs()
	if result.Failure != None || len(itls) != 3 || slices.Min(itls) < int64(pause/2) {
		t.Errorf("%q, ITLs %v", result.Failure, itls)
	}
}

func TestUnknownAuthorityIsATLSFailure(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	if result := Send(context.Background(), &http.Transport{}, request(t, "GET", server.URL)); result.Failure != TLS {
		t.Errorf("%q: %v", result.Failure, result.Err)
	}
}

func TestConnectionRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	result := Send(context.Background(), http.DefaultTransport, request(t, "GET", "http://"+listener.Addr().String()))
	if result.Failure != Refused || result.Status() != 0 {
		t.Errorf("%q: %v", result.Failure, result.Err)
	}
}

func TestEndOfRunIsNotATimeout(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	if result := Send(ctx, http.DefaultTransport, request(t, "GET", address)); result.Failure != Stopped {
		t.Errorf("%q: %v", result.Failure, result.Err)
	}
}

func TestAbortClosesTheConnection(t *testing.T) {
	left := make(chan struct{})
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	})
	r := request(t, "POST", address)
	r.Stream = stream.NewReader()
	r.Stream.Reset(stream.Options{AbortAfter: 1})
	if result := Send(context.Background(), http.DefaultTransport, r); result.Failure != Aborted {
		t.Errorf("%q: %v", result.Failure, result.Err)
	}
	<-left
}

func TestStartsWhenTheRequestIsHandedToTheSocket(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "whole") })
	transport := &http.Transport{}
	var dialedNs int64
	transport.DialContext = func(ctx context.Context, network, to string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, to)
		time.Sleep(5 * time.Millisecond)
		dialedNs = clock.Now()
		return conn, err
	}
	wire.Instrument(transport)
	for range 2 { // a new connection, then the same one
		result := Send(context.Background(), transport, request(t, "POST", address))
		if result.Failure != None || result.CalledNs > result.StartNs || result.StartNs < dialedNs || result.EndNs < result.StartNs ||
			result.Start.Low != result.StartNs || result.Start.High <= result.Start.Low || result.Start.High > result.EndNs {
			t.Errorf("called %d, dialed %d, started %d, ended %d", result.CalledNs, dialedNs, result.StartNs, result.EndNs)
		}
	}
	if result := Send(context.Background(), transport, request(t, "GET", "http://127.0.0.1:1")); result.StartNs != result.CalledNs {
		t.Errorf("a request that was never sent: %+v", result)
	}
}
