// Package sse parses event streams by the algorithm of the WHATWG HTML standard.
package sse

import "bytes"

const dataPrefix = "data: "

// MaxBytes is the maximum length of a line, and of the data of an event.
const MaxBytes = 1 << 20

var byteOrderMark = []byte("\xEF\xBB\xBF")

// Parser parses a stream in chunks of any size. It emits each event when the line that ends it is complete. Its zero
// value with OnEvent set is ready to use. It passes invalid UTF-8 on unchanged.
type Parser struct {
	// OnEvent receives the data of each event and its type ("" by default). Both are valid only during the call.
	OnEvent func(data []byte, event []byte)
	// IsTooLong means that a line or the data of an event exceeds MaxBytes. The parser then ignores the rest of the stream.
	IsTooLong bool

	partial  []byte // an incomplete line
	data     []byte // data of the current event: a slice of the input or of own
	own      []byte
	event    []byte
	hasData  bool
	isInOwn  bool
	isBegun  bool
	afterCR  bool // the previous line ended with CR: a LF now belongs to it
	isCopied bool // the current line is a copy, not a slice of the input
}

// Reset prepares the parser for the next stream.
func (p *Parser) Reset() {
	*p = Parser{OnEvent: p.OnEvent, partial: p.partial[:0], own: p.own[:0], event: p.event[:0]}
}

// Feed parses the next chunk. Emitted events may be slices of it.
func (p *Parser) Feed(piece []byte) {
	if p.afterCR && len(piece) > 0 {
		p.afterCR = false
		if piece[0] == '\n' {
			piece = piece[1:]
		}
	}
	isSearched, hasCR := false, false
	for len(piece) > 0 && !p.IsTooLong {
		if !isSearched {
			isSearched, hasCR = true, bytes.IndexByte(piece, '\r') >= 0
		}
		end := lineEnd(piece, hasCR)
		line := piece
		if end >= 0 {
			line = piece[:end]
		}
		if p.IsTooLong = len(p.partial)+len(line) > MaxBytes; p.IsTooLong {
			break
		}
		if end < 0 {
			p.partial = append(p.partial, line...)
			break
		}
		p.endLine(line)
		next := end + 1
		if piece[end] == '\r' {
			p.afterCR = next == len(piece)
			if !p.afterCR && piece[next] == '\n' {
				next++
			}
		}
		piece = piece[next:]
	}
	if p.hasData && !p.isInOwn {
		p.copyToBuffer()
	}
}

// lineEnd returns the index of the first LF or CR. Two searches for one byte are faster than one search for either.
func lineEnd(piece []byte, hasCR bool) int {
	lf := bytes.IndexByte(piece, '\n')
	if !hasCR {
		return lf
	}
	if lf >= 0 {
		piece = piece[:lf]
	}
	if cr := bytes.IndexByte(piece, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

func (p *Parser) endLine(rest []byte) {
	if len(p.partial) == 0 {
		p.isCopied = false
		p.line(rest)
		return
	}
	p.partial = append(p.partial, rest...)
	p.isCopied = true
	p.line(p.partial)
	p.partial = p.partial[:0]
}

func (p *Parser) line(line []byte) {
	if !p.isBegun {
		p.isBegun = true
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	if len(line) == 0 {
		p.dispatch()
		return
	}
	if len(line) >= len(dataPrefix) && string(line[:len(dataPrefix)]) == dataPrefix { // nearly all lines
		p.addData(line[len(dataPrefix):])
		return
	}
	name, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		p.addData(value)
	case "event":
		p.event = append(p.event[:0], value...)
	}
}

// addData adds a line to the data of the current event. It does not copy the first line, because nearly all events
// have one line and arrive in one chunk.
func (p *Parser) addData(value []byte) {
	if !p.hasData {
		p.hasData = true
		p.isInOwn = false
		p.data = value
		if p.isCopied {
			p.copyToBuffer()
		}
		return
	}
	if !p.isInOwn {
		p.copyToBuffer()
	}
	p.own = append(append(p.own, '\n'), value...)
	p.data = p.own
	p.IsTooLong = len(p.own) > MaxBytes
}

func (p *Parser) copyToBuffer() {
	p.own = append(p.own[:0], p.data...)
	p.data = p.own
	p.isInOwn = true
}

func (p *Parser) dispatch() {
	if p.hasData {
		p.OnEvent(p.data, p.event)
	}
	p.hasData = false
	p.event = p.event[:0]
}
