package record

// series contains every second of the run. Only the last second has a live histogram; the others are encoded, because
// a live histogram is a hundred times as large.
type series struct {
	closed   []SecondResult
	open     *second
	inFlight int64
}

type second struct {
	atS, requests, ok, failed, ended int64
	ttft                             *histogram
}

// at returns a second of the run and closes all earlier seconds. If the second is already closed, at returns the
// current second instead.
func (s *series) at(atS, inFlight int64) *second {
	if s.open == nil {
		s.open = &second{}
	}
	for s.open.atS < atS {
		s.closed = append(s.closed, s.open.result(s.inFlight))
		s.open = &second{atS: s.open.atS + 1}
	}
	s.inFlight = inFlight
	return s.open
}

func (s *series) results() []SecondResult {
	results := append([]SecondResult{}, s.closed...)
	if s.open != nil {
		results = append(results, s.open.result(s.inFlight))
	}
	return results
}

// endedIn returns the number of requests that ended in the second atS of the run.
func (s *series) endedIn(atS int64) float64 {
	if s.open != nil && s.open.atS == atS {
		return float64(s.open.ended)
	}
	if atS >= 0 && atS < int64(len(s.closed)) {
		return float64(s.closed[atS].ended)
	}
	return 0
}

func (s *second) end(sample *Sample) {
	s.ended++
	switch sample.Verdict {
	case OK:
		s.ok++
	case Failed:
		s.failed++
	}
	if sample.TTFT != None && sample.IsServed() {
		if s.ttft == nil {
			s.ttft = newHistogram(2)
		}
		s.ttft.add(sample.TTFT)
	}
}

func (s *second) result(inFlight int64) SecondResult {
	result := SecondResult{
		AtS: s.atS, Requests: s.requests, OK: s.ok, Failed: s.failed, InFlight: inFlight, ended: s.ended,
	}
	if s.ttft != nil {
		encoded := s.ttft.encode()
		result.TTFT = &encoded
	}
	return result
}
