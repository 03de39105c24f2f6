package record

import "touchstone/k6/oracle"

// None is a duration that was not measured.
const None = -1

// Sample is what one request came to. Durations are nanoseconds, None where there is none.
type Sample struct {
	Operation string
	Model     string
	Status    int
	Failure   string // of an answer that did not come whole
	Verdict   Verdict
	TTFT      int64
	TPOT      int64
	E2E       int64
	StartLag  int64
	Gaps      []int64

	IsStream   bool // it was read as one
	Contents   int64
	HasUsage   bool
	Prompt     int64
	Completion int64
	Violations []oracle.Violation
}

// Verdict on one request.
type Verdict int

// The verdicts.
const (
	OK      Verdict = iota
	Failed          // another status than was expected, or no whole answer
	Aborted         // left by the script, or by the end of the run
)

// Limits that a request has to keep to count as good, in nanoseconds; None where there is none.
type Limits struct{ TTFT, Gap, TPOT, E2E int64 }

// NoLimits are kept by every request.
var NoLimits = Limits{None, None, None, None}

// IsServed tells what latencies are taken of: a refusal that was expected is no failure, but its time is no service.
func (s *Sample) IsServed() bool {
	return s.Verdict == OK && s.Status >= 200 && s.Status <= 299
}

// Keeps says whether a request was served within the limits. What could not be measured keeps no limit, but for gaps and
// time per token, which a short answer has not.
func (l Limits) Keeps(s *Sample) bool {
	if !s.IsServed() || !isWithin(s.TTFT, l.TTFT) || !isWithin(s.E2E, l.E2E) {
		return false
	}
	if s.TPOT != None && !isWithin(s.TPOT, l.TPOT) {
		return false
	}
	for _, gap := range s.Gaps {
		if !isWithin(gap, l.Gap) {
			return false
		}
	}
	return true
}

func isWithin(measured, limit int64) bool {
	return limit == None || (measured != None && measured <= limit)
}

// tokens are what usage says; of a stream without it, its events with content.
func (s *Sample) tokens() (Tokens, bool) {
	isServed := s.IsServed()
	switch {
	case s.HasUsage:
		return Tokens{Answers: 1, Prompt: s.Prompt, Completion: s.Completion}, true
	case s.IsStream && (isServed || s.Contents > 0):
		return Tokens{Answers: 1, Completion: s.Contents, Estimated: 1}, true
	}
	return Tokens{Answers: 1}, isServed
}
