package wire

// segmentCounts are the numbers of bytes and segments with data that the kernel has received on a connection.
type segmentCounts struct {
	bytes    uint64
	segments uint32
}

// segmentCounter finds out whether the bytes of a read arrived in one segment. All of them then have the same time.
type segmentCounter struct {
	bytes    uint64 // read so far
	segments uint32 // segments that were read completely; a lower bound if isKnown is false
	isKnown  bool
	isSingle bool // the last read returned bytes of one segment
}

// read takes the counts of the kernel immediately after a read of n bytes. The read is drained if no bytes were left in the kernel.
func (s *segmentCounter) read(counts segmentCounts, n int, isDrained bool) {
	wasKnown := s.isKnown || s.bytes == 0
	s.bytes += uint64(n)
	s.isSingle, s.isKnown = false, false
	if counts.segments == 0 || counts.bytes < s.bytes {
		return // not reported
	}
	unread, arrived := counts.bytes-s.bytes, counts.segments-s.segments
	switch {
	case unread == 0:
		s.isSingle, s.isKnown, s.segments = wasKnown && arrived == 1, true, counts.segments
	case wasKnown && arrived == 1: // more bytes of the same segment are unread
		s.isSingle, s.isKnown = true, true
	case wasKnown && isDrained && arrived == 2 && unread > 1: // a segment arrived after the read; the end of a stream counts as a byte
		s.isSingle, s.isKnown, s.segments = true, true, s.segments+1
	}
}
