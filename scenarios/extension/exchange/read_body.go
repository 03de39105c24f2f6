package exchange

import (
	"io"
	"strings"
	"sync"

	"touchstone/k6/clock"
	"touchstone/k6/stream"
)

// KeptBytes is the maximum number of bytes that are kept of a text response. It suffices for the longest chat
// completion, whose usage is at its end.
const KeptBytes = 8 << 20

var buffers = sync.Pool{New: func() any { return new([32 * 1024]byte) }}

// readBody reads a body to its end. It counts all bytes, keeps the first KeptBytes of text, and returns the arrival of
// the last bytes.
func (a *Result) readBody(request *Request, from *source) (last clock.Arrival, err error) {
	buffer := buffers.Get().(*[32 * 1024]byte)
	defer buffers.Put(buffer)
	for {
		n, err := a.Response.Body.Read(buffer[:])
		last = from.received(n == len(buffer))
		a.Bytes += int64(n)
		if a.IsText && len(a.Body) < KeptBytes {
			a.Body = append(a.Body, buffer[:min(n, KeptBytes-len(a.Body))]...)
		}
		if request.Hash != nil {
			request.Hash.Write(buffer[:n])
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
