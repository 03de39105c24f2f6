package touchstone

import (
	"testing"
	"time"

	"touchstone/k6/record"
)

func TestCountsTheWarmUpOfAPlanSeparately(t *testing.T) {
	address := serve(t)
	v := newVU(t, newProcess())
	v.run(t, `touchstone.setUp({ warmUpMs: 10 })
		var plan = touchstone.plan(() => ({ atMs: [0, 5, 10], promptTokens: [5, 6, 7], outputTokens: [8, 9, 10] }))`)
	v.start(nil)
	for _, want := range []string{"1,true,5", "2,true,6", "0,false,7"} {
		if got := v.run(t, "var turn = plan.next(); [turn.index, turn.isWarmUp, turn.promptTokens].join()"); got != want {
			t.Errorf("%s, not %s", got, want)
		}
		v.run(t, sendCode(address+"/stream", "stream: {}, turn, isWarmUp: turn.isWarmUp"))
	}
	got := resultOf(t, v)
	if *got.Plan != (record.PlanResult{Planned: 1, Due: 1, Taken: 1}) {
		t.Errorf("%+v", got.Plan)
	}
	if got.WarmUp.Sent != 2 || got.WarmUp.OK != 2 || got.WarmUp.Tokens["m"].Responses != 2 {
		t.Errorf("%+v", got.WarmUp)
	}
	if o := got.Operations["chat-stream"]; o.Sent != 1 || o.Histograms["e2eMs"].N != 1 || got.StreamChecks.Streams != 1 {
		t.Errorf("%+v", o)
	}
	if values, _ := v.sampled(); len(values["ttft"]) != 1 {
		t.Errorf("k6 received %d samples", len(values["ttft"]))
	}
}

func TestNumbersTheWarmUpOfAClosedLoopUntilItsEnd(t *testing.T) {
	v := newVU(t, newProcess())
	v.run(t, "touchstone.setUp({ warmUpMs: 60000 })")
	v.start(nil)
	if got := v.run(t, "[touchstone.warmUp(), touchstone.warmUp()].join()"); got != "0,1" {
		t.Error(got)
	}
	short := newVU(t, newProcess())
	short.run(t, "touchstone.setUp({ warmUpMs: 1 })")
	short.start(nil)
	short.run(t, "touchstone.warmUp()")
	time.Sleep(2 * time.Millisecond)
	if got := short.run(t, "String(touchstone.warmUp())"); got != "null" {
		t.Error(got)
	}
}
