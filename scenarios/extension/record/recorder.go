package record

import (
	"sync"

	"touchstone/k6/arrivals"
	"touchstone/k6/clock"
)

// Recorder counts the requests of a process. It is safe for concurrent use.
type Recorder struct {
	mutex        sync.Mutex
	limits       map[string]Limits
	startNs      int64
	operations   map[string]*operation
	warmUp       *operation // counts of the warm-up, over all operations; nil if there is none
	series       series
	ttft         *histogram // TTFT of all operations, for progress
	budgets      []*budgetCount
	inFlight     int64
	streamChecks StreamCheckResult
	targetClock  targetClock
}

// New creates a recorder for a run that starts at an instant, which may be in the future.
func New(limits map[string]Limits, startNs int64) *Recorder {
	return &Recorder{
		limits:       limits,
		startNs:      startNs,
		operations:   map[string]*operation{},
		ttft:         newHistogram(3),
		streamChecks: StreamCheckResult{Violations: []*ViolationResult{}},
	}
}

// Begin counts a request of an operation as sent.
func (r *Recorder) Begin(name string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.operation(name).Sent++
	r.inFlight++
	r.series.at(r.second(), r.inFlight).requests++
}

// BeginWarmUp counts a request of the warm-up as sent.
func (r *Recorder) BeginWarmUp() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.warmUp == nil {
		r.warmUp = newOperation(NoLimits, nil)
	}
	r.warmUp.Sent++
	r.inFlight++
}

// End counts the result of a request, and reports whether it was good.
func (r *Recorder) End(s *Sample) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.inFlight--
	if s.IsWarmUp {
		r.warmUp.count(s)
		r.warmUp.countTokens(s)
		return false
	}
	r.series.at(r.second(), r.inFlight).end(s)
	if s.TTFT != None && s.IsServed() {
		r.ttft.add(s.TTFT)
	}
	r.watch(s)
	r.targetClock.add(s.Date, s.SentNs, s.HeadersNs)
	return r.operation(s.Operation).add(s)
}

func (r *Recorder) watch(s *Sample) {
	if s.IsStream {
		r.streamChecks.Streams++
	}
	for _, v := range s.Violations {
		kind := r.kind(v.Kind, v.Sentence)
		kind.Count++
	}
}

func (r *Recorder) kind(kind, example string) *ViolationResult {
	for _, known := range r.streamChecks.Violations {
		if known.Kind == kind {
			return known
		}
	}
	found := &ViolationResult{Kind: kind, Example: example}
	r.streamChecks.Violations = append(r.streamChecks.Violations, found)
	return found
}

func (r *Recorder) operation(name string) *operation {
	o := r.operations[name]
	if o == nil {
		limits, has := r.limits[name]
		if !has {
			limits = NoLimits
		}
		o = newOperation(limits, r.budgetsOf(name))
		r.operations[name] = o
	}
	return o
}

func (r *Recorder) second() int64 {
	return max(0, clock.Now()-r.startNs) / 1e9
}

// Result returns the result of the process. It includes the bounds of durations if the kernel has reported receive
// times (hasBounds).
func (r *Recorder) Result(segment arrivals.Segment, plan *PlanResult, hasBounds bool) *Result {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	now := clock.Now()
	result := &Result{
		Version:         resultVersion,
		StartedAtUnixMs: unixMs(r.startNs),
		EndedAtUnixMs:   unixMs(max(now, r.startNs)), // a run may end before its planned start
		Segment:         segment,
		Plan:            plan,
		Operations:      map[string]*OperationResult{},
		Series:          r.series.results(),
		StreamChecks:    r.streamChecks,
		TargetClock:     r.targetClock.result(),
	}
	if r.warmUp != nil {
		result.WarmUp = &WarmUpResult{r.warmUp.Counts, r.warmUp.Tokens}
	}
	for name, o := range r.operations {
		result.Operations[name] = o.result(hasBounds)
	}
	return result
}

func unixMs(ns int64) float64 { return float64(clock.Wall(ns).UnixMicro()) / 1000 }

// Progress returns the current progress of the run.
func (r *Recorder) Progress() *ProgressResult {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	now := r.second()
	progress := &ProgressResult{
		AtS:       now,
		InFlight:  r.inFlight,
		RatePerS:  r.series.endedIn(now - 1),
		TTFTP50Ms: r.ttft.quantileMs(50),
		TTFTP99Ms: r.ttft.quantileMs(99),
		Tokens:    map[string]Tokens{},
		Counts:    map[string]Counts{},
		Budgets:   []BudgetProgress{},
	}
	for _, b := range r.budgets {
		progress.Budgets = append(progress.Budgets, BudgetProgress{N: b.n, Above: b.above, SumMs: clock.Ms(b.sumNs)})
	}
	for name, o := range r.operations {
		progress.Counts[name] = o.Counts
		progress.Sent += o.Sent
		progress.OK += o.OK
		progress.Failed += o.Failed
		for model, tokens := range o.Tokens {
			sum := progress.Tokens[model]
			sum.add(*tokens)
			progress.Tokens[model] = sum
		}
	}
	return progress
}
