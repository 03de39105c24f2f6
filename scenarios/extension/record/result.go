package record

import (
	"touchstone/k6/arrivals"
	"touchstone/k6/spending"
)

// resultVersion equals RESULT_VERSION in scenarios/lib/extension-result.ts, which describes each field of this file. A
// test compares both files.
const resultVersion = 3

// Result is the JSON document with all measurements of a process.
type Result struct {
	Version         int                         `json:"version"`
	StartedAtUnixMs float64                     `json:"startedAtUnixMs"`
	EndedAtUnixMs   float64                     `json:"endedAtUnixMs"`
	Segment         arrivals.Segment            `json:"segment"`
	Plan            *PlanResult                 `json:"plan"`
	Operations      map[string]*OperationResult `json:"operations"`
	WarmUp          *WarmUpResult               `json:"warmUp,omitempty"`
	Series          []SecondResult              `json:"series"`
	StreamChecks    StreamCheckResult           `json:"validation"`
	TargetClock     *TargetClockResult          `json:"targetClock,omitempty"`
	OutOfCredits    *spending.End               `json:"outOfCredits,omitempty"`
	EventsProblem   string                      `json:"eventsProblem,omitempty"`
}

// PlanResult counts the arrivals of a plan. Due counts the arrivals that were due before the end of the run.
type PlanResult struct {
	Planned int `json:"planned"`
	Due     int `json:"due"`
	Taken   int `json:"taken"`
}

// OperationResult contains the counts and samples of one operation.
type OperationResult struct {
	Counts
	ByStatus   map[string]int64           `json:"byStatus"`
	ByError    map[string]int64           `json:"byError"`
	Histograms map[string]HistogramResult `json:"histograms"`
	Tokens     map[string]*Tokens         `json:"tokens"`
	Output     OutputResult               `json:"output"`
}

// OutputResult describes the output of the complete 2xx responses of an operation.
type OutputResult struct {
	Responses        int64 `json:"responses"`
	WithUsage        int64 `json:"withUsage"`
	CompletionTokens int64 `json:"completionTokens"` // as usage reports them
	Streams          int64 `json:"streams"`
	WithoutToken     int64 `json:"withoutToken"`
	WithoutText      int64 `json:"withoutText"`
	CutBeforeText    int64 `json:"cutBeforeText"` // streams without text whose finish_reason is "length"
}

func (o *OutputResult) add(s *Sample) {
	o.Responses++
	if s.HasUsage {
		o.WithUsage++
		o.CompletionTokens += s.Completion
	}
	if !s.IsStream {
		return
	}
	o.Streams++
	if s.TTFT == None {
		o.WithoutToken++
	}
	if s.TextTTFT == None {
		o.WithoutText++
		if s.IsCutByLength {
			o.CutBeforeText++
		}
	}
}

// WarmUpResult contains the counts of the requests before the measurement, which no other field of the result includes.
type WarmUpResult struct {
	Counts
	Tokens map[string]*Tokens `json:"tokens"`
}

// Counts contains the number of requests by outcome.
type Counts struct {
	Sent    int64 `json:"sent"`
	OK      int64 `json:"ok"`
	Failed  int64 `json:"failed"`
	Aborted int64 `json:"aborted"`
	Good    int64 `json:"good"`
}

// HistogramResult contains measured durations. Low and High contain their bounds, if all durations have bounds.
type HistogramResult struct {
	SamplesResult
	Low  *SamplesResult `json:"low,omitempty"`
	High *SamplesResult `json:"high,omitempty"`
}

// SamplesResult is an encoded histogram.
type SamplesResult struct {
	N       int64   `json:"n"`
	SumMs   float64 `json:"sumMs"`
	MinMs   float64 `json:"minMs"`
	MaxMs   float64 `json:"maxMs"`
	Encoded string  `json:"encoded"`
}

// Tokens contains the token counts of a model.
type Tokens struct {
	Responses  int64 `json:"responses"`
	Prompt     int64 `json:"prompt"`
	Completion int64 `json:"completion"`
	Estimated  int64 `json:"estimated"`
}

func (t *Tokens) add(other Tokens) {
	t.Responses += other.Responses
	t.Prompt += other.Prompt
	t.Completion += other.Completion
	t.Estimated += other.Estimated
}

// SecondResult contains the counts of one second of the run.
type SecondResult struct {
	AtS      int64   `json:"atS"`
	Requests int64   `json:"requests"`
	OK       int64   `json:"ok"`
	Failed   int64   `json:"failed"`
	InFlight int64   `json:"inFlight"`
	TTFT     *string `json:"ttft"`

	ended int64 // includes aborted requests
}

// StreamCheckResult lists the violations found in streams.
type StreamCheckResult struct {
	Streams    int64              `json:"streams"`
	Violations []*ViolationResult `json:"violations"`
}

// ViolationResult counts the violations of one kind, with an example.
type ViolationResult struct {
	Kind    string `json:"kind"`
	Count   int64  `json:"count"`
	Example string `json:"example"`
}

// ProgressResult is one line of the progress file, written each second.
type ProgressResult struct {
	AtS       int64             `json:"atS"`
	Sent      int64             `json:"sent"`
	OK        int64             `json:"ok"`
	Failed    int64             `json:"failed"`
	InFlight  int64             `json:"inFlight"`
	RatePerS  float64           `json:"ratePerS"`
	TTFTP50Ms *float64          `json:"ttftP50Ms"`
	TTFTP99Ms *float64          `json:"ttftP99Ms"`
	Tokens    map[string]Tokens `json:"tokens"`
	Counts    map[string]Counts `json:"counts,omitempty"`
	Budgets   []BudgetProgress  `json:"budgets,omitempty"`
}
