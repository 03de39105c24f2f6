package arrivals

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"touchstone/k6/clock"
)

// Arrivals are planned start times in ascending order, in milliseconds since the start of the plan. The token counts
// of the requests are nil unless the arrivals come from a trace.
type Arrivals struct {
	AtMs         []float64
	PromptTokens []int64
	OutputTokens []int64
}

// Turn is an arrival that a VU has taken.
type Turn struct {
	Index int
	DueNs int64
	LagNs int64 // scheduling delay: when it was taken, minus when it was due
}

// Plan passes each arrival of a segment to one VU.
type Plan struct {
	Arrivals
	segment Segment
	zeroNs  int64
	turns   chan Turn
	taken   atomic.Int64
}

// Start passes arrivals to VUs until the context ends. One goroutine waits for all VUs and passes each due arrival to
// a waiting VU, so that only one thread has to poll the clock.
func Start(ctx context.Context, all Arrivals, segment Segment, zeroNs int64) *Plan {
	p := &Plan{Arrivals: all, segment: segment, zeroNs: zeroNs, turns: make(chan Turn)}
	go p.run(ctx)
	return p
}

// Taken returns the number of arrivals that VUs have taken.
func (p *Plan) Taken() int { return int(p.taken.Load()) }

// DueBy returns the number of arrivals that were due by an instant. If VUs have taken more arrivals, it returns that number.
func (p *Plan) DueBy(ns int64) int {
	due := 0
	for index := p.segment.Index; index < len(p.AtMs) && p.dueNs(index) <= ns; index += p.segment.Count {
		due++
	}
	return max(due, p.Taken())
}

func (p *Plan) dueNs(index int) int64 { return p.zeroNs + int64(p.AtMs[index]*1e6) }

// Share returns how many of count arrivals belong to a segment.
func Share(count int, segment Segment) int {
	return (count - segment.Index + segment.Count - 1) / segment.Count
}

// Next waits for the next due arrival. It returns false after the last arrival, or if the context ends.
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
			// Yield to the receiver, which the scheduler runs next on this thread. Otherwise, this goroutine could put
			// the thread to sleep while the receiver has a due arrival.
			runtime.Gosched()
		case <-ctx.Done():
			return
		}
	}
}

// waitUntil waits until an instant, and usually returns only some microseconds late. It does not rely on a Go timer alone,
// which may be 1 ms late in an idle process.
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
