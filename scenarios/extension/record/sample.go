package record

import (
	"touchstone/k6/clock"
	"touchstone/k6/streamcheck"
)

// None is the value of a duration that was not measured.
const None = -1

// Sample is the measurement of one request. Durations are nanoseconds, or None.
type Sample struct {
	Operation  string
	IsWarmUp   bool // counts only in WarmUpResult
	Model      string
	Status     int
	Failure    string // reason why the response is not complete
	Verdict    Verdict
	TTFT       int64 // time to the first token of any channel
	TextTTFT   int64 // time to the first text
	TPOT       int64
	E2E        int64
	StartLag   int64
	Blocked    int64 // time from the call until the request was handed to the socket, without Connecting and TLS
	Connecting int64
	TLS        int64
	ITLs       []int64

	// IsBounded reports whether the sample has bounds that contain the true durations. ITLBounds is nil if the
	// inter-token latencies are exact.
	IsBounded      bool
	TTFTBounds     clock.Bounds
	TextTTFTBounds clock.Bounds
	TPOTBounds     clock.Bounds
	E2EBounds      clock.Bounds
	ITLBounds      []clock.Bounds

	// Date is the Date header of the response. SentNs and HeadersNs are the instants at which the request was sent and
	// the headers arrived.
	Date      string
	SentNs    int64
	HeadersNs int64

	IsStream      bool // the response was read as an event stream
	TokenEvents   int64
	IsCutByLength bool // the finish_reason is "length"
	HasUsage      bool
	Prompt        int64
	Completion    int64
	Violations    []streamcheck.Violation
}

// itl returns the inter-token latency at an index and its bounds, in nanoseconds.
func (s *Sample) itl(index int) (int64, clock.Bounds) {
	if s.ITLBounds == nil {
		return s.ITLs[index], clock.Exactly(s.ITLs[index])
	}
	return s.ITLs[index], s.ITLBounds[index]
}

// Verdict classifies a request as OK, failed or aborted.
type Verdict int

// Verdicts on a request.
const (
	OK      Verdict = iota
	Failed          // unexpected status or incomplete response
	Aborted         // aborted by the script or by the end of the run
)

// Limits are the upper bounds, in nanoseconds, within which a request counts as good. None means no limit.
type Limits struct{ TTFT, TextTTFT, ITL, TPOT, E2E int64 }

// NoLimits is satisfied by every served request.
var NoLimits = Limits{None, None, None, None, None}

// IsServed reports whether a request succeeded with a 2xx status. Only then do its latencies count: an expected error
// response is not a failure, but its duration says nothing about the time that the target needs for a result.
func (s *Sample) IsServed() bool {
	return s.Verdict == OK && s.Status >= 200 && s.Status <= 299
}

// AreMetBy reports whether a request was served within the limits. A missing duration exceeds its limit, except for ITLs
// and the time per token, because a short response has none.
func (l Limits) AreMetBy(s *Sample) bool {
	if !s.IsServed() || !isWithin(s.TTFT, l.TTFT) || !isWithin(s.TextTTFT, l.TextTTFT) || !isWithin(s.E2E, l.E2E) {
		return false
	}
	if s.TPOT != None && !isWithin(s.TPOT, l.TPOT) {
		return false
	}
	for _, itl := range s.ITLs {
		if !isWithin(itl, l.ITL) {
			return false
		}
	}
	return true
}

func isWithin(measured, limit int64) bool {
	return limit == None || (measured != None && measured <= limit)
}

// tokens returns the tokens that usage reports. For a stream without usage, it returns the number of token events. It
// returns false if there is no response to count.
func (s *Sample) tokens() (Tokens, bool) {
	isServed := s.IsServed()
	switch {
	case s.HasUsage:
		return Tokens{Responses: 1, Prompt: s.Prompt, Completion: s.Completion}, true
	case s.IsStream && (isServed || s.TokenEvents > 0):
		return Tokens{Responses: 1, Completion: s.TokenEvents, Estimated: 1}, true
	}
	return Tokens{Responses: 1}, isServed
}
