package record

// Budget is an upper bound of a latency. An empty operation means all operations.
type Budget struct {
	Operation string
	Metric    string // name of the metric in Histograms
	LimitNs   int64
}

// BudgetProgress counts the samples of a budget since the start of the run.
type BudgetProgress struct {
	N     int64   `json:"n"`
	Above int64   `json:"above"` // samples above the limit
	SumMs float64 `json:"sumMs"`
}

// budgetCount counts samples without a histogram, because calculating a percentile every second would take processor
// time from the load generator.
type budgetCount struct {
	Budget
	n, above, sumNs int64
}

func (b *budgetCount) add(ns int64) {
	b.n++
	b.sumNs += max(ns, 0)
	if ns > b.LimitNs {
		b.above++
	}
}

// Watch makes Progress report the counts of these budgets, in the same order. Call it before the first request.
func (r *Recorder) Watch(budgets []Budget) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, budget := range budgets {
		r.budgets = append(r.budgets, &budgetCount{Budget: budget})
	}
}

// budgetsOf returns the budgets that limit an operation, keyed by metric.
func (r *Recorder) budgetsOf(operation string) map[string][]*budgetCount {
	found := map[string][]*budgetCount{}
	for _, budget := range r.budgets {
		if budget.Operation == "" || budget.Operation == operation {
			found[budget.Metric] = append(found[budget.Metric], budget)
		}
	}
	return found
}
