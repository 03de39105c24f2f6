package wire

import "bytes"

// maxHeadBytes is the maximum length of a response head. The counter gives up on a longer one.
const maxHeadBytes = 64 << 10

// bodyCounter counts the body bytes of a response in the bytes that a connection receives. It understands HTTP/1.1
// without encryption. An http.Response cannot tell when the bytes of its body arrived, because its reader of chunked
// bodies waits for the end of a chunk.
type bodyCounter struct {
	bytes     int64 // body bytes so far
	part      bodyPart
	head      []byte
	leftBytes int64 // bytes of the current chunk that have not arrived
}

// bodyPart is the part of a response to which the next byte belongs.
type bodyPart int

const (
	notCounted bodyPart = iota
	inHead
	inPlainBody // until the end of the response
	inChunkSize
	inChunkExtension
	inChunk
	afterChunk // the end of the line after a chunk
	inTrailer
)

// begin prepares the counter for a new response. It keeps the buffer of the head.
func (b *bodyCounter) begin() {
	*b = bodyCounter{part: inHead, head: b.head[:0]}
}

// add counts the body bytes in received bytes.
func (b *bodyCounter) add(received []byte) {
	for len(received) > 0 {
		switch b.part {
		case inHead:
			received = b.addHead(received)
		case inPlainBody:
			b.bytes += int64(len(received))
			return
		case inChunk:
			n := min(b.leftBytes, int64(len(received)))
			b.bytes += n
			if b.leftBytes -= n; b.leftBytes == 0 {
				b.part = afterChunk
			}
			received = received[n:]
		case notCounted, inTrailer:
			return
		default:
			received = b.addFraming(received)
		}
	}
}

// addFraming reads the bytes between two chunks, and returns the bytes after them.
func (b *bodyCounter) addFraming(received []byte) []byte {
	for index, c := range received {
		switch {
		case b.part == afterChunk:
			if c == '\n' {
				b.part = inChunkSize
			}
			continue // the end of the chunk
		case c == '\n' && b.leftBytes > 0:
			b.part = inChunk
		case c == '\n':
			b.part = inTrailer
		case b.part == inChunkSize && hexDigit(c) >= 0:
			b.leftBytes = b.leftBytes<<4 | hexDigit(c)
		default:
			b.part = inChunkExtension
		}
		if c == '\n' {
			return received[index+1:]
		}
	}
	return nil
}

// hexDigit returns the value of a hexadecimal digit, or -1.
func hexDigit(c byte) int64 {
	switch {
	case '0' <= c && c <= '9':
		return int64(c - '0')
	case 'a' <= c && c <= 'f':
		return int64(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int64(c-'A') + 10
	}
	return -1
}

// addHead reads the head of the response, and returns the bytes after it. It collects a head that arrives in parts.
func (b *bodyCounter) addHead(received []byte) []byte {
	before, all := len(b.head), received
	if before > 0 {
		b.head = append(b.head, received...)
		all = b.head
	}
	end := headLength(all)
	if end < 0 {
		if before == 0 {
			b.head = append(b.head, received...)
		}
		if len(b.head) > maxHeadBytes {
			b.part = notCounted
		}
		return nil
	}
	head := all[:end]
	switch {
	case isInformational(head): // another head follows
	case isChunked(head):
		b.part = inChunkSize
	default:
		b.part = inPlainBody
	}
	b.head = b.head[:0]
	return received[end-before:]
}

// headLength returns the length of a head with the empty line that ends it, or -1 if the head is incomplete.
func headLength(head []byte) int {
	for from := 0; ; {
		line := bytes.IndexByte(head[from:], '\n')
		if line < 0 {
			return -1
		}
		from += line + 1
		if rest := head[from:]; bytes.HasPrefix(rest, []byte("\r\n")) {
			return from + 2
		} else if bytes.HasPrefix(rest, []byte("\n")) {
			return from + 1
		}
	}
}

// isInformational reports whether a head has a status of the form 1xx. A head with status 101 has no HTTP body either.
func isInformational(head []byte) bool {
	_, status, _ := bytes.Cut(head, []byte(" "))
	return bytes.HasPrefix(status, []byte("1"))
}

var transferEncoding = []byte("transfer-encoding")

// isChunked reports whether a head declares the transfer coding chunked, the only one that net/http accepts.
func isChunked(head []byte) bool {
	for line := range bytes.Lines(head) {
		name, _, isField := bytes.Cut(line, []byte(":"))
		if isField && bytes.EqualFold(name, transferEncoding) {
			return true
		}
	}
	return false
}
