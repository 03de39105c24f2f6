package record

import (
	"strconv"

	"touchstone/k6/clock"
)

type operation struct {
	OperationResult
	limits     Limits
	histograms map[string]*boundedHistogram
	budgets    map[string][]*budgetCount
}

func newOperation(limits Limits, budgets map[string][]*budgetCount) *operation {
	return &operation{
		OperationResult: OperationResult{
			ByStatus: map[string]int64{},
			ByError:  map[string]int64{},
			Tokens:   map[string]*Tokens{},
		},
		limits:     limits,
		histograms: map[string]*boundedHistogram{},
		budgets:    budgets,
	}
}

// add counts a completed request, and reports whether it was good.
func (o *operation) add(s *Sample) bool {
	isGood := o.count(s)
	o.countTokens(s)
	o.measure("startLagMs", s.StartLag)
	o.measure("blockedMs", s.Blocked)
	o.measure("connectingMs", s.Connecting)
	o.measure("tlsMs", s.TLS)
	if s.IsServed() || s.Verdict == Aborted {
		o.measureBounded("ttftMs", s.TTFT, s.TTFTBounds, s.IsBounded)
		o.measureBounded("textTtftMs", s.TextTTFT, s.TextTTFTBounds, s.IsBounded)
		o.measureITLs(s)
	}
	if s.IsServed() {
		o.measureBounded("tpotMs", s.TPOT, s.TPOTBounds, s.IsBounded)
		o.measureBounded("e2eMs", s.E2E, s.E2EBounds, s.IsBounded)
	}
	return isGood
}

func (o *operation) count(s *Sample) bool {
	isGood := o.limits.AreMetBy(s)
	switch s.Verdict {
	case OK:
		o.OK++
	case Failed:
		o.Failed++
	case Aborted:
		o.Aborted++
	}
	if isGood {
		o.Good++
	}
	if s.Status != 0 {
		o.ByStatus[strconv.Itoa(s.Status)]++
	}
	if s.Failure != "" {
		o.ByError[s.Failure]++
	}
	if s.IsServed() {
		o.Output.add(s)
	}
	return isGood
}

func (o *operation) countTokens(s *Sample) {
	tokens, isKnown := s.tokens()
	if !isKnown || s.Model == "" {
		return
	}
	all := o.Tokens[s.Model]
	if all == nil {
		all = &Tokens{}
		o.Tokens[s.Model] = all
	}
	all.add(tokens)
}

func (o *operation) measure(metric string, ns int64) {
	if ns == None {
		return
	}
	o.histogram(metric).add(ns)
	o.countBudgets(metric, ns)
}

func (o *operation) measureBounded(metric string, ns int64, bounds clock.Bounds, isBounded bool) {
	if ns == None {
		return
	}
	o.histogram(metric).addBounded(ns, bounds, isBounded, 1)
	o.countBudgets(metric, ns)
}

func (o *operation) countBudgets(metric string, ns int64) {
	for _, budget := range o.budgets[metric] {
		budget.add(ns)
	}
}

func (o *operation) measureITLs(s *Sample) {
	if len(s.ITLs) == 0 {
		return
	}
	h := o.histogram("itlMs")
	// Add equal latencies together: the events of one read have equal latencies.
	for from, next := 0, 0; from < len(s.ITLs); from = next {
		ns, bounds := s.itl(from)
		for next = from + 1; next < len(s.ITLs); next++ {
			if otherNs, other := s.itl(next); otherNs != ns || other != bounds {
				break
			}
		}
		h.addBounded(ns, bounds, s.IsBounded, int64(next-from))
	}
	for _, budget := range o.budgets["itlMs"] {
		for _, ns := range s.ITLs {
			budget.add(ns)
		}
	}
}

// isBounded reports whether samples have bounds for a metric.
func isBounded(metric string) bool {
	switch metric {
	case "ttftMs", "textTtftMs", "itlMs", "tpotMs", "e2eMs":
		return true
	}
	return false
}

func (o *operation) histogram(metric string) *boundedHistogram {
	h := o.histograms[metric]
	if h == nil {
		h = newBoundedHistogram()
		o.histograms[metric] = h
	}
	return h
}

func (o *operation) result(hasBounds bool) *OperationResult {
	result := o.OperationResult
	result.Histograms = map[string]HistogramResult{}
	for metric, h := range o.histograms {
		result.Histograms[metric] = h.result(hasBounds && isBounded(metric))
	}
	return &result
}
