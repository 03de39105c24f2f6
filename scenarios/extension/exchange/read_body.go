package exchange

import (
	"io"
	"strings"
	"sync"

	"touchstone/k6/stream"
)

// KeptBytes is how much of a response that is not a stream is kept: usage is at the end of the longest chat completion.
const KeptBytes = 8 << 20

var buffers = sync.Pool{New: func() any { return new([32 * 1024]byte) }}

// readBody counts all bytes and keeps the first KeptBytes of text.
func (a *Result) readBody(request *Request, arrived func() int64) error {
	buffer := buffers.Get().(*[32 * 1024]byte)
	defer buffers.Put(buffer)
	for {
		n, err := a.Response.Body.Read(buffer[:])
		a.EndNs = arrived()
		a.Bytes += int64(n)
		if a.IsText && len(a.Body) < KeptBytes {
			a.Body = append(a.Body, buffer[:min(n, KeptBytes-len(a.Body))]...)
		}
		if request.Hash != nil {
			request.Hash.Write(buffer[:n])
		}
		switch {
		case request.MaxBytes > 0 && a.Bytes > request.MaxBytes:
			return stream.ErrTooLarge
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

func isText(mediaType string) bool {
	return mediaType == "" || strings.HasPrefix(mediaType, "text/") ||
		strings.HasSuffix(mediaType, "json") || strings.HasSuffix(mediaType, "xml")
}
