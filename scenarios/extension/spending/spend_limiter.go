// Package spending enforces the spend limit of a run.
package spending

import (
	"context"
	"sync"
)

// Cost is the maximum cost of a request. A unit is 0.0001 credit.
type Cost struct {
	UnitsPerToken int64
	MaxTokens     int64
}

func (c Cost) maxUnits() int64 { return c.UnitsPerToken * c.MaxTokens }

// End describes the state in which the spend limit ended a run, because the next request might have exceeded it.
type End struct {
	LimitUnits    int64 `json:"limitUnits"`
	CountedUnits  int64 `json:"countedUnits"`
	InFlightUnits int64 `json:"underWayUnits"` // maximum cost of requests in flight
	NextUnits     int64 `json:"nextUnits"`
}

// SpendLimiter holds the maximum cost of each request before it is sent. It is safe for concurrent use. If it cannot
// hold the cost of a request, the run ends. It does not wait until other requests are settled, because the wait would
// be a scheduling delay of the generator.
type SpendLimiter struct {
	mutex    sync.Mutex
	limit    int64
	counted  int64
	held     map[int64]int // number of requests in flight by held units
	largest  int64         // highest cost of a request that exceeded its hold, in units
	inFlight int
	end      *End
	idle     chan struct{} // closed when the run has ended and no request is in flight
}

// NewSpendLimiter creates a limiter with a limit in units.
func NewSpendLimiter(limitUnits int64) *SpendLimiter {
	return &SpendLimiter{limit: limitUnits, held: map[int64]int{}, idle: make(chan struct{})}
}

// Hold holds the maximum cost of a request, in units. If this could exceed the limit, Hold ends the run instead. It
// returns false if the run has ended, so that the request must not be sent.
func (p *SpendLimiter) Hold(cost Cost) (heldUnits int64, ok bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	units := p.expectUnits(cost.maxUnits())
	inFlightUnits := p.inFlightUnits()
	if p.end == nil && p.counted+inFlightUnits+units > p.limit {
		p.end = &End{LimitUnits: p.limit, CountedUnits: p.counted, InFlightUnits: inFlightUnits, NextUnits: units}
		p.closeWhenIdle()
	}
	if p.end != nil {
		return 0, false
	}
	p.held[units]++
	p.inFlight++
	return units, true
}

// expectUnits returns the maximum cost of a request, from the maximum that its tokens allow. A target that charged more
// for one request may do so again, also for a request in flight.
func (p *SpendLimiter) expectUnits(units int64) int64 {
	if units == 0 {
		return 0
	}
	return max(units, p.largest)
}

func (p *SpendLimiter) inFlightUnits() int64 {
	var sum int64
	for units, requests := range p.held {
		sum += p.expectUnits(units) * int64(requests)
	}
	return sum
}

// Settle replaces the held maximum cost of a request with its actual cost.
func (p *SpendLimiter) Settle(heldUnits, costUnits int64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.held[heldUnits]--
	if p.held[heldUnits] == 0 {
		delete(p.held, heldUnits)
	}
	p.counted += costUnits
	if costUnits > heldUnits {
		p.largest = max(p.largest, costUnits)
	}
	p.inFlight--
	p.closeWhenIdle()
}

func (p *SpendLimiter) closeWhenIdle() {
	if p.end != nil && p.inFlight == 0 {
		close(p.idle)
	}
}

// WaitIdle waits until the run has ended and all requests are settled, or until the context ends.
func (p *SpendLimiter) WaitIdle(ctx context.Context) {
	select {
	case <-p.idle:
	case <-ctx.Done():
	}
}

// End returns the state in which the spend limit ended the run, or nil if it has not ended the run.
func (p *SpendLimiter) End() *End {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.end
}
