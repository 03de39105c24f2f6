package exchange

import (
	"io"
	"strings"
	"sync"

	"touchstone/k6/clock"
	"touchstone/k6/stream"
)

// Maximum numbers of bytes that are kept of a text response. KeptBytes suffices for the longest chat completion, whose
// usage is at its end. Of an error response, only a script reads the body.
const (
	KeptBytes      = 8 << 20
	KeptErrorBytes = 64 << 10
)

var buffers = sync.Pool{New: func() any { return new([32 * 1024]byte) }}

// readBody reads a body to its end. It counts all bytes, keeps the first bytes of text, and returns the arrival of
// the last bytes.
func (a *Result) readBody(request *Request, from *source) (last clock.Bounds, err error) {
	buffer := buffers.Get().(*[32 * 1024]byte)
	defer buffers.Put(buffer)
	kept := KeptBytes
	if a.Response.StatusCode > 299 {
		kept = KeptErrorBytes
	}
	for {
		n, err := a.Response.Body.Read(buffer[:])
		last = from.received(n == len(buffer))
		a.Bytes += int64(n)
		if a.IsText && len(a.Body) < kept {
			a.Body = append(a.Body, buffer[:min(n, kept-len(a.Body))]...)
		}
		switch {
		case request.MaxBytes > 0 && a.Bytes > request.MaxBytes:
			return last, stream.ErrTooLarge
		case err == io.EOF:
			return last, nil
		case err != nil:
			return last, err
		}
	}
}

func isText(mediaType string) bool {
	return mediaType == "" || strings.HasPrefix(mediaType, "text/") ||
		strings.HasSuffix(mediaType, "json") || strings.HasSuffix(mediaType, "xml")
}
