package wire

// segmentCounts are the numbers of bytes and of data segments that the kernel has received on a connection.
type segmentCounts struct {
	bytes    uint64
	segments uint32
}

// segmentCounter determines whether the bytes of a read arrived in one segment, and therefore at the same time.
type segmentCounter struct {
	bytes    uint64 // number of bytes that have been read
	segments uint32 // segments that were read completely; a lower bound if isKnown is false
	isKnown  bool
	isSingle bool // whether the last read returned bytes of one segment
	hasEnd   bool // whether the end of the stream had arrived after the last read; it counts as a byte
}

// read updates the counter with the kernel's counts immediately after a read of n bytes. The read is drained if it
// left no bytes in the kernel.
func (s *segmentCounter) read(counts segmentCounts, n int, isDrained bool) {
	wasKnown := s.isKnown || s.bytes == 0
	s.bytes += uint64(n)
	s.isSingle, s.isKnown, s.hasEnd = false, false, false
	if counts.segments == 0 || counts.bytes < s.bytes {
		return // the kernel reports no counts
	}
	unread, arrived := counts.bytes-s.bytes, counts.segments-s.segments
	s.hasEnd = isDrained && unread == 1
	switch {
	case unread == 0:
		s.isSingle, s.isKnown, s.segments = wasKnown && arrived == 1, true, counts.segments
	case wasKnown && arrived == 1: // more bytes of the same segment are unread
		s.isSingle, s.isKnown = true, true
	case wasKnown && isDrained && arrived == 2 && unread > 1: // a segment arrived after the read
		s.isSingle, s.isKnown, s.segments = true, true, s.segments+1
	}
}
