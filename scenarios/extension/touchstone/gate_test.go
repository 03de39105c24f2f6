package touchstone

import (
	"context"
	"testing"

	"touchstone/k6/clock"
)

func TestGateOpensWhenAllVUsAreRunning(t *testing.T) {
	g := newGate()
	passed := make(chan int64, 3)
	wait := func() {
		g.wait(context.Background(), 3, true)
		passed <- clock.Now()
	}
	go wait()
	go wait()
	select {
	case <-passed:
		t.Fatal("a VU passed before the last one came")
	case <-g.opened:
		t.Fatal("the gate opened before the last VU came")
	default:
	}
	lastNs := clock.Now()
	wait()
	for range 3 {
		if at := <-passed; at < lastNs {
			t.Error("a VU passed before the last one came")
		}
	}
	g.wait(context.Background(), 3, true) // a VU that k6 starts later does not wait
}

func TestGateOpensWithoutTheVUsThatK6DoesNotStart(t *testing.T) {
	g := newGate()
	g.wait(context.Background(), 2, false)
}

func TestGateEndsWithTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	newGate().wait(ctx, 2, false)
}

func TestVUsWaitForEachOtherOnce(t *testing.T) {
	p := newProcess()
	first, second := newVU(t, p), newVU(t, p)
	for _, v := range []*vu{first, second} {
		v.run(t, "touchstone.setUp({ vus: 2 })")
		v.start(nil)
	}
	done := make(chan bool)
	go func() {
		first.run(t, "touchstone.ready()")
		close(done)
	}()
	second.run(t, "touchstone.ready(); touchstone.ready()")
	<-done
}
