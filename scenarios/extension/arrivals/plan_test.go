package arrivals

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"go.k6.io/k6/v2/lib"

	"touchstone/k6/clock"
)

func takeAll(p *Plan, takers int) []Turn {
	var mutex sync.Mutex
	var all []Turn
	var group sync.WaitGroup
	for range takers {
		group.Go(func() {
			for {
				turn, ok := p.Next(context.Background())
				if !ok {
					return
				}
				mutex.Lock()
				all = append(all, turn)
				mutex.Unlock()
			}
		})
	}
	group.Wait()
	return all
}

func TestReturnsEachArrivalOnceAndNotEarly(t *testing.T) {
	at := []float64{0, 0, 1.5, 1.5, 4, 4.25, 9}
	p := Start(context.Background(), Arrivals{AtMs: at}, Whole, clock.Now())
	all := takeAll(p, 3)
	slices.SortFunc(all, func(a, b Turn) int { return a.Index - b.Index })
	if len(all) != len(at) || p.Taken() != len(at) || Share(len(p.AtMs), p.segment) != len(at) {
		t.Fatalf("%v", all)
	}
	for index, turn := range all {
		if turn.Index != index || turn.LagNs < 0 || turn.DueNs != p.zeroNs+int64(at[index]*1e6) {
			t.Errorf("%+v", turn)
		}
	}
}

func TestSegmentsPartitionThePlan(t *testing.T) {
	at := make([]float64, 10)
	var all []int
	for index := range 3 {
		p := Start(context.Background(), Arrivals{AtMs: at}, Segment{index, 3}, 0)
		taken := takeAll(p, 1)
		if len(taken) != Share(len(p.AtMs), p.segment) {
			t.Errorf("segment %d has %d of %d", index, len(taken), Share(len(p.AtMs), p.segment))
		}
		for _, turn := range taken {
			if turn.Index%3 != index {
				t.Errorf("segment %d has arrival %d", index, turn.Index)
			}
			all = append(all, turn.Index)
		}
	}
	slices.Sort(all)
	if !slices.Equal(all, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("%v", all)
	}
}

// At the end of the run, waiting calls return, and the arrival does not count as taken.
func TestNextReturnsWhenTheRunEnds(t *testing.T) {
	p := Start(context.Background(), Arrivals{AtMs: []float64{3_600_000}}, Whole, clock.Now())
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(5*time.Millisecond, cancel)
	if turn, ok := p.Next(ctx); ok || p.Taken() != 0 {
		t.Errorf("%+v", turn)
	}
	if turn, ok := p.Next(ctx); ok {
		t.Errorf("%+v", turn)
	}
}

func TestPlanStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := Start(ctx, Arrivals{AtMs: []float64{3_600_000}}, Whole, clock.Now())
	cancel()
	if _, ok := p.Next(context.Background()); ok {
		t.Error("an arrival that was not due was handed out")
	}
}

func TestSegmentOf(t *testing.T) {
	for _, c := range []struct {
		segment, sequence string
		want              Segment
		isRejected        bool
	}{
		{"", "", Whole, false},
		{"0:1", "", Whole, false},
		{"0:1/4", "", Segment{0, 4}, false},
		{"1/4:2/4", "", Segment{1, 4}, false},
		{"2/3:1", "0,1/3,2/3,1", Segment{2, 3}, false},
		{"0:1/2", "0,1/2,3/4,1", Whole, true},
		{"0:2/3", "", Whole, true},
		{"1/8:3/8", "", Whole, true},
	} {
		var segment *lib.ExecutionSegment
		var sequence *lib.ExecutionSegmentSequence
		if c.segment != "" {
			segment, _ = lib.NewExecutionSegmentFromString(c.segment)
		}
		if c.sequence != "" {
			read, _ := lib.NewExecutionSegmentSequenceFromString(c.sequence)
			sequence = &read
		}
		got, err := SegmentOf(segment, sequence)
		if got != c.want || (err != nil) != c.isRejected {
			t.Errorf("%s of %s: %+v, %v", c.segment, c.sequence, got, err)
		}
	}
}
