// Package exchange sends one request once and reads its response to the end.
package exchange

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"touchstone/k6/clock"
	"touchstone/k6/stream"
)

// Request is an HTTP request. Body returns a new reader for each call; a nil Body means that the request has none.
type Request struct {
	Method    string
	URL       *url.URL
	Header    http.Header
	Body      func() io.ReadCloser
	BodyBytes int64
	Timeout   time.Duration
	MaxBytes  int64
	Stream    *stream.Reader         // reset by the caller; nil if no stream is requested
	Trace     *httptrace.ClientTrace // Send adds its own hooks; may be nil
}

// Result describes the response to one request, or its failure.
type Result struct {
	Response  *http.Response // body already read; nil if no status line was received
	Failure   Failure
	Err       error // cause of Failure
	Body      []byte
	IsText    bool
	Bytes     int64
	IsStream  bool  // the response was read as an event stream
	CalledNs  int64 // when Send was called
	StartNs   int64 // when the request was handed to the socket; equals CalledNs if it was not
	EndNs     int64
	HeadersNs int64 // when the headers of the response arrived, at the latest

	Start     clock.Bounds // when the kernel took over the first bytes of the request
	End       clock.Bounds // when the last byte of the response arrived
	IsBounded bool         // all times are within their bounds; false if the kernel does not report receive times
}

// Status returns the HTTP status, or 0 if no status line was received.
func (a *Result) Status() int {
	if a.Response == nil {
		return 0
	}
	return a.Response.StatusCode
}

// Send sends a request once and does not follow redirects. It never resends a GET, or a body that was partly sent. If a
// POST finds its reused connection closed before the first byte is sent, the transport may open a new connection.
func Send(ctx context.Context, transport http.RoundTripper, request *Request) *Result {
	within, cancel := context.WithTimeout(ctx, request.Timeout)
	defer cancel()
	result := &Result{CalledNs: clock.Now()}
	sent := &sending{}
	trace := request.Trace
	if trace == nil {
		trace = &httptrace.ClientTrace{}
	}
	response, err := transport.RoundTrip(request.toHTTP(httptrace.WithClientTrace(within, sent.addTo(trace))))
	result.setStart(sent.start(result.CalledNs))
	if err != nil {
		result.setEnd(clock.Exactly(clock.Now()))
		result.Err, result.Failure = err, classify(ctx, within, err, false)
		return result
	}
	result.Response = response
	from, begun := sent.source(response.ProtoMajor)
	result.Start.High = max(result.Start.Low, min(result.Start.High, begun.High))
	result.HeadersNs = begun.High
	result.IsBounded = from.isBounded()
	last, err := result.read(request, from)
	result.setEnd(from.ended(last))
	if err != nil {
		result.Err, result.Failure = err, classify(ctx, within, err, true)
		// Cancel before closing the body: some transports read the rest of the response on Close.
		cancel()
	}
	_ = response.Body.Close()
	return result
}

// setStart sets the start to the instant before the write, so that durations include all time that the client waits for
// the target.
func (a *Result) setStart(start clock.Bounds) { a.Start, a.StartNs = start, start.Low }

func (a *Result) setEnd(end clock.Bounds) { a.End, a.EndNs = end, end.High }

func (r *Request) toHTTP(ctx context.Context) *http.Request {
	request := &http.Request{
		Method: r.Method, URL: r.URL, Host: r.URL.Host, Header: r.Header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if host := r.Header.Get("Host"); host != "" {
		request.Host = host
	}
	if r.Body == nil {
		// Not nil, because the transport may resend a request without a body.
		request.Body, request.ContentLength = emptyBody{}, -1
	} else {
		request.Body, request.ContentLength = r.Body(), r.BodyBytes
		if r.mayRewind() {
			request.GetBody = func() (io.ReadCloser, error) { return r.Body(), nil }
		}
	}
	return request.WithContext(ctx)
}

// mayRewind reports whether to give GetBody to the transport. With an idempotency key, the transport would use it to
// resend a whole request.
func (r *Request) mayRewind() bool {
	_, has := r.Header["Idempotency-Key"]
	_, hasOther := r.Header["X-Idempotency-Key"]
	return r.Method == http.MethodPost && !has && !hasOther
}

type emptyBody struct{}

func (emptyBody) Read([]byte) (int, error) { return 0, io.EOF }
func (emptyBody) Close() error             { return nil }

// read reads the body and returns the arrival of its last bytes.
func (a *Result) read(request *Request, from *source) (last clock.Bounds, err error) {
	if err := a.decode(from); err != nil {
		return from.received(false), err
	}
	mediaType := a.Response.Header.Get("Content-Type")
	if mediaType != "text/event-stream" { // the usual type of a stream needs no parsing
		mediaType, _, _ = mime.ParseMediaType(mediaType)
	}
	isGood := a.Response.StatusCode >= 200 && a.Response.StatusCode <= 299
	if request.Stream != nil && isGood && mediaType != "application/json" {
		a.IsStream = true
		last, err := request.Stream.Read(a.Response.Body, from)
		a.Bytes = request.Stream.Bytes
		return last, err
	}
	a.IsText = isText(mediaType)
	return a.readBody(request, from)
}
