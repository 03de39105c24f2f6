// Package spending keeps a run within what it may cost.
package spending

import (
	"context"
	"sync"
)

// Cost is what a request may cost at most. A unit is 0.0001 credit.
type Cost struct {
	UnitsPerToken int64
	MostTokens    int64
}

func (c Cost) mostUnits() int64 { return c.UnitsPerToken * c.MostTokens }

// End says why a run was ended: with the next request it might have cost more than the limit.
type End struct {
	LimitUnits    int64 `json:"limitUnits"`
	CountedUnits  int64 `json:"countedUnits"`
	UnderWayUnits int64 `json:"underWayUnits"` // the most that requests under way may cost
	NextUnits     int64 `json:"nextUnits"`
}

// Purse has a limit, and may be used by all at once. Whoever got nothing from it ends it for all: a run whose requests wait for
// money would say nothing of its target.
type Purse struct {
	mutex    sync.Mutex
	limit    int64
	counted  int64
	held     int64
	largest  int64 // of requests that did cost more than was thought
	underWay int
	end      *End
	idle     chan struct{} // closed when it has ended, and nothing is under way
}

// NewPurse makes a purse of so many units.
func NewPurse(limitUnits int64) *Purse { return &Purse{limit: limitUnits, idle: make(chan struct{})} }

// Hold puts aside what a request may cost, in units. False: nothing is to be sent any more.
func (p *Purse) Hold(cost Cost) (heldUnits int64, ok bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	most := cost.mostUnits()
	if most > 0 {
		// A target may count more than it is sent: where one request did, the next may, too.
		most = max(most, p.largest)
	}
	if p.end == nil && p.counted+p.held+most > p.limit {
		p.end = &End{LimitUnits: p.limit, CountedUnits: p.counted, UnderWayUnits: p.held, NextUnits: most}
		p.noteIdle()
	}
	if p.end != nil {
		return 0, false
	}
	p.held += most
	p.underWay++
	return most, true
}

// Settle counts what a request that was held for did cost.
func (p *Purse) Settle(heldUnits, costUnits int64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.held -= heldUnits
	p.counted += costUnits
	if costUnits > heldUnits {
		p.largest = max(p.largest, costUnits)
	}
	p.underWay--
	p.noteIdle()
}

func (p *Purse) noteIdle() {
	if p.end != nil && p.underWay == 0 {
		close(p.idle)
	}
}

// WaitIdle waits until the last request of a purse that has ended is settled, or the context ends.
func (p *Purse) WaitIdle(ctx context.Context) {
	select {
	case <-p.idle:
	case <-ctx.Done():
	}
}

// End is nil as long as it has not ended.
func (p *Purse) End() *End {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.end
}
