// Package exchange sends one request, once, and reads its answer to the end.
package exchange

import (
	"context"
	"hash"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"touchstone/k6/clock"
	"touchstone/k6/stream"
)

// Request is what is sent. Body gives a fresh reader at each call and may be nil.
type Request struct {
	Method    string
	URL       *url.URL
	Header    http.Header
	Body      func() io.ReadCloser
	BodyBytes int64
	Timeout   time.Duration
	Hash      hash.Hash // gets the bytes of an answer that is read whole; nil: none
	MaxBytes  int64
	Stream    *stream.Reader // reset by whoever sends; nil where no stream is asked for
}

// Result is what came of it.
type Result struct {
	Response *http.Response // without its body; nil where no status line came
	Failure  Failure
	Err      error // what the fault was found by
	Body     []byte
	IsText   bool
	Bytes    int64
	IsStream bool // it was read as one
	StartNs  int64
	EndNs    int64
}

// Status is 0 where no status line came.
func (a *Result) Status() int {
	if a.Response == nil {
		return 0
	}
	return a.Response.StatusCode
}

// Send does it. It follows no redirect. A body that was partly sent, and a GET, is never sent again; of a POST that found
// its connection closed before its first byte, the transport may use another connection.
func Send(ctx context.Context, transport http.RoundTripper, request *Request) *Result {
	within, cancel := context.WithTimeout(ctx, request.Timeout)
	defer cancel()
	answer := &Result{StartNs: clock.Now()}
	response, err := transport.RoundTrip(request.toHTTP(within))
	if err != nil {
		answer.EndNs = clock.Now()
		answer.Err, answer.Failure = err, classify(ctx, within, err, false)
		return answer
	}
	answer.Response = response
	if err := answer.read(request); err != nil {
		answer.Err, answer.Failure = err, classify(ctx, within, err, true)
		// Before the body is closed: that would wait for the rest of the answer, on some transports.
		cancel()
	}
	_ = response.Body.Close()
	return answer
}

func (r *Request) toHTTP(ctx context.Context) *http.Request {
	request := &http.Request{
		Method: r.Method, URL: r.URL, Host: r.URL.Host, Header: r.Header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if host := r.Header.Get("Host"); host != "" {
		request.Host = host
	}
	if r.Body == nil {
		// Not nil, as a request without a body is one that the transport may send again.
		request.Body, request.ContentLength = emptyBody{}, -1
	} else {
		request.Body, request.ContentLength = r.Body(), r.BodyBytes
		if r.mayRewind() {
			request.GetBody = func() (io.ReadCloser, error) { return r.Body(), nil }
		}
	}
	return request.WithContext(ctx)
}

// mayRewind: the transport takes these for permission to send a whole request a second time.
func (r *Request) mayRewind() bool {
	_, has := r.Header["Idempotency-Key"]
	_, hasOther := r.Header["X-Idempotency-Key"]
	return r.Method == http.MethodPost && !has && !hasOther
}

type emptyBody struct{}

func (emptyBody) Read([]byte) (int, error) { return 0, io.EOF }
func (emptyBody) Close() error             { return nil }

func (a *Result) read(request *Request) error {
	if err := a.decode(); err != nil {
		return err
	}
	header := a.Response.Header.Get("Content-Type")
	mediaType, _, _ := mime.ParseMediaType(header)
	isGood := a.Response.StatusCode >= 200 && a.Response.StatusCode <= 299
	if request.Stream != nil && isGood && mediaType != "application/json" {
		a.IsStream = true
		endNs, err := request.Stream.Read(a.Response.Body)
		a.EndNs, a.Bytes = endNs, request.Stream.Bytes
		return err
	}
	a.IsText = isText(mediaType)
	return a.readBody(request)
}
