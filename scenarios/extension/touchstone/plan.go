package touchstone

import (
	"errors"
	"fmt"
	"sort"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"

	"touchstone/k6/arrivals"
	"touchstone/k6/clock"
)

// turn is the arrival that scripts receive.
type turn struct {
	Index        int     `js:"index"`
	IsWarmUp     bool    `js:"isWarmUp"`
	StartLagMs   float64 `js:"startLagMs"`
	PromptTokens any     `js:"promptTokens"`
	OutputTokens any     `js:"outputTokens"`
	dueNs        int64
}

// plan returns the plan of the process. It builds the plan unless another VU has already built it.
func (i *instance) plan(build sobek.Callable) *sobek.Object {
	rt := i.vu.Runtime()
	if err := i.buildPlan(build); err != nil {
		common.Throw(rt, err)
	}
	object := rt.NewObject()
	_ = object.Set("count", len(i.process.arrivals.AtMs))
	_ = object.Set("next", i.next)
	return object
}

func (i *instance) buildPlan(build sobek.Callable) error {
	p := i.process
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.arrivals != nil {
		return nil
	}
	if build == nil {
		return errors.New("plan() needs a function that returns arrivals")
	}
	value, err := build(sobek.Undefined())
	if err != nil {
		return err
	}
	var given struct {
		AtMs         []float64 `js:"atMs"`
		PromptTokens []int64   `js:"promptTokens"`
		OutputTokens []int64   `js:"outputTokens"`
	}
	if err := i.vu.Runtime().ExportTo(value, &given); err != nil {
		return fmt.Errorf("the function passed to plan() did not return arrivals: %w", err)
	}
	read := arrivals.Arrivals(given)
	if err := checkArrivals(read); err != nil {
		return err
	}
	p.arrivals = &read
	return nil
}

func checkArrivals(a arrivals.Arrivals) error {
	if !sort.Float64sAreSorted(a.AtMs) {
		return errors.New("planned arrivals must be in ascending order")
	}
	for _, tokens := range [][]int64{a.PromptTokens, a.OutputTokens} {
		if tokens != nil && len(tokens) != len(a.AtMs) {
			return fmt.Errorf("the plan has %d arrivals, but token counts for %d", len(a.AtMs), len(tokens))
		}
	}
	return nil
}

func (i *instance) next() sobek.Value {
	rt := i.vu.Runtime()
	state := i.vu.State()
	if state == nil {
		common.Throw(rt, errors.New("next() cannot be called in the init context"))
	}
	i.waitForStart(false)
	plan, err := i.process.startPlan(func() (arrivals.Segment, error) {
		return arrivals.SegmentOf(state.Options.ExecutionSegment, state.Options.ExecutionSegmentSequence)
	})
	if err != nil {
		common.Throw(rt, err)
	}
	taken, ok := plan.Next(i.vu.Context())
	if !ok {
		if i.vu.Context().Err() != nil {
			i.process.recordStop()
		}
		return sobek.Null()
	}
	index, isWarmUp := i.process.indexOf(taken.Index)
	return rt.ToValue(&turn{
		Index:        index,
		IsWarmUp:     isWarmUp,
		StartLagMs:   clock.Ms(taken.LagNs),
		PromptTokens: tokensAt(plan.PromptTokens, taken.Index),
		OutputTokens: tokensAt(plan.OutputTokens, taken.Index),
		dueNs:        taken.DueNs,
	})
}

func tokensAt(tokens []int64, index int) any {
	if tokens == nil {
		return nil
	}
	return tokens[index]
}
