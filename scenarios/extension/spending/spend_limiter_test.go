package spending

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var tenUnits = Cost{UnitsPerToken: 2, MaxTokens: 5}

func hold(t *testing.T, p *SpendLimiter, cost Cost, wantUnits int64) {
	t.Helper()
	if got, ok := p.Hold(cost); !ok || got != wantUnits {
		t.Fatalf("held %d (%v), not %d", got, ok, wantUnits)
	}
}

func endsWith(t *testing.T, p *SpendLimiter, cost Cost, want End) {
	t.Helper()
	if _, ok := p.Hold(cost); ok {
		t.Error("there is not enough left")
	}
	if got := p.End(); got == nil || *got != want {
		t.Errorf("ended with %v, not %v", got, want)
	}
}

func TestEndsRunIfTheNextRequestMightExceedTheLimit(t *testing.T) {
	p := NewSpendLimiter(25)
	hold(t, p, tenUnits, 10)
	hold(t, p, tenUnits, 10)
	p.Settle(10, 6)
	want := End{LimitUnits: 25, CountedUnits: 6, InFlightUnits: 10, NextUnits: 10}
	endsWith(t, p, tenUnits, want)
	p.Settle(10, 0)
	endsWith(t, p, Cost{}, want) // after the end, nothing can be held, and the reported end does not change
}

func TestAllowsSpendingExactlyTheLimit(t *testing.T) {
	p := NewSpendLimiter(20)
	for range 2 {
		hold(t, p, tenUnits, 10)
		p.Settle(10, 10)
	}
	if p.End() != nil {
		t.Error("nothing was asked for beyond the limit")
	}
}

func TestHoldsMoreAfterARequestExceededItsHold(t *testing.T) {
	p := NewSpendLimiter(100)
	hold(t, p, tenUnits, 10)
	p.Settle(10, 40)
	hold(t, p, Cost{}, 0)
	hold(t, p, tenUnits, 40)
	endsWith(t, p, tenUnits, End{LimitUnits: 100, CountedUnits: 40, InFlightUnits: 40, NextUnits: 40})
}

func TestExpectsAlsoOfRequestsInFlightThatTheyExceedTheirHold(t *testing.T) {
	p := NewSpendLimiter(100)
	hold(t, p, tenUnits, 10)
	hold(t, p, tenUnits, 10)
	p.Settle(10, 40)
	endsWith(t, p, tenUnits, End{LimitUnits: 100, CountedUnits: 40, InFlightUnits: 40, NextUnits: 40})
}

func TestWaitsForRequestsInFlight(t *testing.T) {
	p := NewSpendLimiter(10)
	hold(t, p, tenUnits, 10)
	p.Hold(tenUnits)
	short, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	p.WaitIdle(short)
	if short.Err() == nil {
		t.Error("a request is under way")
	}
	go p.Settle(10, 10)
	long, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p.WaitIdle(long)
	if long.Err() != nil {
		t.Error("no request is in flight")
	}
}

func TestNeverExceedsTheLimitConcurrently(t *testing.T) {
	const limit = 1000
	p, spent := NewSpendLimiter(limit), atomic.Int64{}
	var all sync.WaitGroup
	for range 50 {
		all.Add(1)
		go func() {
			defer all.Done()
			for {
				held, ok := p.Hold(tenUnits)
				if !ok {
					break
				}
				spent.Add(10)
				p.Settle(held, 10)
			}
			p.WaitIdle(context.Background())
		}()
	}
	all.Wait()
	if spent.Load() > limit || spent.Load() < limit-50*10 {
		t.Errorf("%d units were spent of %d", spent.Load(), limit)
	}
}
