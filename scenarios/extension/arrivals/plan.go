package arrivals

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"touchstone/k6/clock"
)

// Arrivals are planned times, ascending, in milliseconds from the plan's zero. The tokens are nil without a trace.
type Arrivals struct {
	AtMs         []float64
	PromptTokens []int64
	OutputTokens []int64
}

// Turn is an arrival that was taken.
type Turn struct {
	Index int
	DueNs int64
	LagNs int64 // when it was handed over, less when it was due
}

// Plan hands out the arrivals of a segment, each once, to whoever waits.
type Plan struct {
	Arrivals
	segment Segment
	zeroNs  int64
	turns   chan Turn
	taken   atomic.Int64
}

// Start begins to hand out arrivals, until the context ends. One goroutine waits for all: whoever is due is handed over to
// the first that waits, and only one thread needs to watch the clock closely.
func Start(ctx context.Context, all Arrivals, segment Segment, zeroNs int64) *Plan {
	p := &Plan{Arrivals: all, segment: segment, zeroNs: zeroNs, turns: make(chan Turn)}
	go p.run(ctx)
	return p
}

// Planned is the number of arrivals of the segment.
func (p *Plan) Planned() int { return Share(len(p.AtMs), p.segment) }

// Taken is how many of them were handed over.
func (p *Plan) Taken() int { return int(p.taken.Load()) }

// DueBy is how many of them were due by an instant, or have been handed over.
func (p *Plan) DueBy(ns int64) int {
	due := 0
	for index := p.segment.Index; index < len(p.AtMs) && p.dueNs(index) <= ns; index += p.segment.Count {
		due++
	}
	return max(due, p.Taken())
}

func (p *Plan) dueNs(index int) int64 { return p.zeroNs + int64(p.AtMs[index]*1e6) }

// Share is the number of arrivals, of so many, that a segment has.
func Share(count int, segment Segment) int {
	return (count - segment.Index + segment.Count - 1) / segment.Count
}

// Next waits for the next arrival; false when there is none left or the context ends.
func (p *Plan) Next(ctx context.Context) (Turn, bool) {
	select {
	case turn, ok := <-p.turns:
		if !ok || ctx.Err() != nil {
			return Turn{}, false
		}
		p.taken.Add(1)
		turn.LagNs = clock.Now() - turn.DueNs
		return turn, true
	case <-ctx.Done():
		return Turn{}, false
	}
}

func (p *Plan) run(ctx context.Context) {
	defer close(p.turns)
	for index := p.segment.Index; index < len(p.AtMs); index += p.segment.Count {
		dueNs := p.dueNs(index)
		if !waitUntil(ctx, dueNs) {
			return
		}
		select {
		case p.turns <- Turn{Index: index, DueNs: dueNs}:
			// Whoever got it is run next on this thread, which may otherwise sleep with it in hand.
			runtime.Gosched()
		case <-ctx.Done():
			return
		}
	}
}

// waitUntil is late by some microseconds, not by the millisecond to which timers are rounded while nothing else happens.
func waitUntil(ctx context.Context, dueNs int64) bool {
	for {
		left := time.Duration(dueNs - clock.Now())
		switch {
		case ctx.Err() != nil:
			return false
		case left <= 0:
			return true
		case left > coarse:
			timer := time.NewTimer(left - coarse)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
			}
		default:
			sleepPrecisely(left)
		}
	}
}
