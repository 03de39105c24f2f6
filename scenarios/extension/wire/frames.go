package wire

import "encoding/binary"

// prefaceBytes is the length of the text that an HTTP/2 client sends before its first frame.
const prefaceBytes = len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

// Types and flags of HTTP/2 frames (RFC 9113, section 6).
const (
	frameData     = 0
	frameHeaders  = 1
	flagEndStream = 0x1
	flagPadded    = 0x8
)

// frameParser splits the bytes of one direction of an HTTP/2 connection into frames.
type frameParser struct {
	header      [9]byte
	headerBytes int // bytes of the current frame's header so far
	position    int // bytes of the current frame's payload so far
	padBytes    int // padding at the end of the payload
}

// framePart is a part of one frame.
type framePart struct {
	kind, flags byte
	stream      uint32
	bodyBytes   int  // bytes of a body in this part
	isComplete  bool // whether the frame ends with this part
}

// next returns the first part of a frame in bytes, and the bytes after it.
func (f *frameParser) next(from []byte) (part framePart, rest []byte) {
	if f.headerBytes < len(f.header) {
		n := copy(f.header[f.headerBytes:], from)
		f.headerBytes += n
		from = from[n:]
		f.position, f.padBytes = 0, 0
		if f.headerBytes < len(f.header) {
			return framePart{}, nil
		}
	}
	length := int(f.header[0])<<16 | int(f.header[1])<<8 | int(f.header[2])
	part = framePart{kind: f.header[3], flags: f.header[4], stream: binary.BigEndian.Uint32(f.header[5:]) &^ (1 << 31)}
	n := min(len(from), length-f.position)
	if part.kind == frameData {
		bodyFrom := 0
		if part.flags&flagPadded != 0 {
			bodyFrom = 1
			if f.position == 0 && n > 0 {
				f.padBytes = int(from[0])
			}
		}
		part.bodyBytes = max(0, min(f.position+n, length-f.padBytes)-max(f.position, bodyFrom))
	}
	if f.position += n; f.position == length {
		f.headerBytes, part.isComplete = 0, true
	}
	return part, from[n:]
}

// streamCounter counts the body bytes of one stream of an HTTP/2 connection: the stream of the request that was sent
// last. The zero value is for a connection on which nothing was sent.
type streamCounter struct {
	sent, received frameParser
	prefaceBytes   int    // bytes of the client's preface so far
	stream         uint32 // stream of the current request; 0 if its header has not been sent
	isAmbiguous    bool   // whether several requests were sent since begin
	hasEnded       bool   // whether the response has ended
}

// begin prepares the counter for a new request.
func (s *streamCounter) begin() { s.stream, s.isAmbiguous, s.hasEnded = 0, false, false }

// send reads bytes that the client sends.
func (s *streamCounter) send(written []byte) {
	preface := min(len(written), prefaceBytes-s.prefaceBytes)
	s.prefaceBytes += preface
	written = written[preface:]
	for len(written) > 0 {
		var part framePart
		part, written = s.sent.next(written)
		if part.kind == frameHeaders && part.stream != s.stream && part.stream != 0 {
			s.isAmbiguous = s.isAmbiguous || s.stream != 0
			s.stream = part.stream
		}
	}
}

// receive returns the number of body bytes of the current response in received bytes.
func (s *streamCounter) receive(received []byte) (bodyBytes int) {
	for len(received) > 0 {
		var part framePart
		part, received = s.received.next(received)
		if part.stream == 0 || part.stream != s.stream || s.isAmbiguous {
			continue
		}
		bodyBytes += part.bodyBytes
		isEnd := part.isComplete && part.flags&flagEndStream != 0
		s.hasEnded = s.hasEnded || isEnd && (part.kind == frameData || part.kind == frameHeaders)
	}
	return bodyBytes
}
