package touchstone

import (
	"sort"

	"github.com/grafana/sobek"

	"touchstone/k6/clock"
)

// plannedWarmUps returns the number of arrivals before the end of the warm-up, in all segments.
func (p *process) plannedWarmUps() int {
	return sort.SearchFloat64s(p.arrivals.AtMs, p.settings.WarmUpMs)
}

// indexOf returns the index of an arrival of the plan in the run, and whether it belongs to the warm-up. The arrivals
// after the warm-up begin at 0, so that the warm-up does not change them. Those of the warm-up follow the last one.
func (p *process) indexOf(arrival int) (index int, isWarmUp bool) {
	warmUps := p.plannedWarmUps()
	if arrival < warmUps {
		return len(p.arrivals.AtMs) - warmUps + arrival, true
	}
	return arrival - warmUps, false
}

// warmUp returns the number of the next warm-up request of a closed loop, from 0. It returns null after the end of the
// warm-up, or at the end of the run.
func (i *instance) warmUp(sobek.FunctionCall) sobek.Value {
	p := i.process
	p.run()
	if clock.Now() >= p.zeroNs+ns(&p.settings.WarmUpMs) || i.vu.Context().Err() != nil {
		return sobek.Null()
	}
	return i.vu.Runtime().ToValue(p.warmUps.Add(1) - 1)
}
