package wire

// recordSplitter finds the ends of TLS records in the bytes that a connection receives.
type recordSplitter struct {
	header      [5]byte
	headerBytes int // bytes of the current record's header so far
	leftBytes   int // bytes of the current record after its header that have not arrived
}

// next returns how many of the received bytes belong to the current record, and whether they complete it.
func (r *recordSplitter) next(received []byte) (n int, isComplete bool) {
	if r.headerBytes < len(r.header) {
		n = copy(r.header[r.headerBytes:], received)
		if r.headerBytes += n; r.headerBytes < len(r.header) {
			return n, false
		}
		r.leftBytes = int(r.header[3])<<8 | int(r.header[4])
	}
	rest := min(r.leftBytes, len(received)-n)
	if r.leftBytes -= rest; r.leftBytes > 0 {
		return n + rest, false
	}
	r.headerBytes = 0
	return n + rest, true
}

// encrypted is the state of reading from a connection with TLS.
type encrypted struct {
	records   recordSplitter
	buffer    []byte
	held      []byte  // bytes in the buffer that Read has not returned
	at        arrival // arrival of the bytes in the buffer
	hasWaited bool    // whether a read of the current record has waited
}

// isClientHello reports whether written bytes begin a TLS handshake.
func isClientHello(written []byte) bool {
	return len(written) > 1 && written[0] == 22 && written[1] == 3
}

// readRecord reads bytes of a single TLS record, and stores its arrival at its end. crypto/tls therefore never holds
// bytes of a later record, and the decrypted bytes that it returns arrived with the last record. A record cannot be
// decrypted before its last byte arrives.
func (c *Conn) readRecord(into []byte) (int, error) {
	e := c.encrypted
	if len(e.held) == 0 {
		n, at, err := c.readWithArrival(e.buffer)
		if n == 0 {
			return 0, err
		}
		e.held, e.at, e.hasWaited = e.buffer[:n], at, e.hasWaited || at.hasWaited
	}
	n, isComplete := e.records.next(e.held[:min(len(e.held), len(into))])
	copy(into, e.held[:n])
	e.held = e.held[n:]
	if isComplete {
		at := e.at.Bounds
		if len(e.held) == 0 {
			at = e.at.end
		}
		c.store(arrival{Bounds: at, end: at, hasWaited: e.hasWaited}, nil)
		e.hasWaited = false
	}
	return n, nil
}
