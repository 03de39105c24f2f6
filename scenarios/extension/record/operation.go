package record

import "strconv"

// operation has the counts and histograms of one operation.
type operation struct {
	OperationResult
	limits     Limits
	histograms map[string]*histogram
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
		histograms: map[string]*histogram{},
		budgets:    budgets,
	}
}

// add counts a completed request and reports whether it was good.
func (o *operation) add(s *Sample) bool {
	isGood := o.count(s)
	o.countTokens(s)
	o.measure("startLagMs", s.StartLag)
	o.measure("blockedMs", s.Blocked)
	o.measure("connectingMs", s.Connecting)
	o.measure("tlsMs", s.TLS)
	if s.IsServed() || s.Verdict == Aborted {
		o.measure("ttftMs", s.TTFT)
		o.measureAll("gapMs", s.Gaps)
	}
	if s.IsServed() {
		o.measure("tpotMs", s.TPOT)
		o.measure("e2eMs", s.E2E)
	}
	return isGood
}

func (o *operation) count(s *Sample) bool {
	isGood := o.limits.Keeps(s)
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
	if s.IsStream && s.IsServed() && s.Contents == 0 {
		o.WithoutContent++
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
	for _, budget := range o.budgets[metric] {
		budget.add(ns)
	}
}

func (o *operation) measureAll(metric string, all []int64) {
	if len(all) == 0 {
		return
	}
	h := o.histogram(metric)
	budgets := o.budgets[metric]
	for _, ns := range all {
		h.add(ns)
		for _, budget := range budgets {
			budget.add(ns)
		}
	}
}

func (o *operation) histogram(metric string) *histogram {
	h := o.histograms[metric]
	if h == nil {
		h = newHistogram(4)
		o.histograms[metric] = h
	}
	return h
}

func (o *operation) result() *OperationResult {
	result := o.OperationResult
	result.Histograms = map[string]HistogramResult{}
	for metric, h := range o.histograms {
		result.Histograms[metric] = h.result()
	}
	return &result
}
