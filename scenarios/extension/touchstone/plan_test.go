package touchstone

import (
	"fmt"
	"testing"
	"time"

	"go.k6.io/k6/v2/lib"

	"touchstone/k6/arrivals"
	"touchstone/k6/record"
)

func TestPlanIsBuiltOnceAndShared(t *testing.T) {
	p := newProcess()
	first, second := newVU(t, p), newVU(t, p)
	for _, v := range []*vu{first, second} {
		v.run(t, `var built = 0
			var plan = touchstone.plan(() => { built++; return { atMs: [0, 1, 2], promptTokens: [5, 6, 7], outputTokens: [8, 9, 10] } })`)
	}
	if first.run(t, "[built, plan.count].join()") != "1,3" || second.run(t, "[built, plan.count].join()") != "0,3" {
		t.Error("the plan was not built once")
	}
	first.fails(t, "plan.next()", "init context")
	take := "(t => t === null ? null : [t.index, t.promptTokens, t.outputTokens, t.startLagMs >= 0].join())(plan.next())"
	first.start(nil)
	second.start(nil)
	for _, step := range []struct {
		vu   *vu
		want string
	}{{first, "0,5,8,true"}, {second, "1,6,9,true"}, {first, "2,7,10,true"}, {second, "null"}, {first, "null"}} {
		if got := step.vu.run(t, take); got != step.want {
			t.Errorf("%s, not %s", got, step.want)
		}
	}
	if got := resultOf(t, first).Plan; *got != (record.PlanResult{Planned: 3, Due: 3, Taken: 3}) {
		t.Errorf("%+v", got)
	}
}

func TestMeasuresStartLagWhenTheRequestIsSent(t *testing.T) {
	address := serve(t)
	v := newVU(t, newProcess())
	v.run(t, "var plan = touchstone.plan(() => ({ atMs: [0] }))")
	v.start(nil)
	v.run(t, "var turn = plan.next()")
	time.Sleep(20 * time.Millisecond) // the script delays its request
	v.run(t, sendCode(address+"/chat", "turn"))
	values, _ := v.sampled()
	if len(values["start_lag"]) != 1 || values["start_lag"][0] < 20 || values["start_lag_count"][0] != 1 {
		t.Errorf("%v", values)
	}
	if got := resultOf(t, v).Operations["chat-stream"].Histograms["startLagMs"]; got.N != 1 || got.MinMs < 20 {
		t.Errorf("%+v", got)
	}
}

func TestUsesExecutionSegmentOfK6(t *testing.T) {
	v := newVU(t, newProcess())
	v.run(t, "var plan = touchstone.plan(() => ({ atMs: [0, 0, 0, 0, 0] }))")
	segment, err := lib.NewExecutionSegmentFromString("1/2:1")
	if err != nil {
		t.Fatal(err)
	}
	v.start(func(s *lib.State) { s.Options.ExecutionSegment = segment })
	if got := v.run(t, "var t = [plan.next(), plan.next(), plan.next()]; [t[0].index, t[0].promptTokens, t[1].index, t[2]].join()"); got != "1,,3," {
		t.Error(got)
	}
	result := resultOf(t, v)
	if result.Segment != (arrivals.Segment{Index: 1, Count: 2}) || *result.Plan != (record.PlanResult{Planned: 2, Due: 2, Taken: 2}) {
		t.Errorf("%+v, %+v", result.Segment, result.Plan)
	}
}

// Processes with the same startAtUnixMs must count their seconds from the same instant.
func TestStartsPlanAtStartAtUnixMs(t *testing.T) {
	v := newVU(t, newProcess())
	zeroMs := float64(time.Now().Add(-90*time.Second).UnixMicro()) / 1000
	v.run(t, fmt.Sprintf("touchstone.setUp({ startAtUnixMs: %f }); var plan = touchstone.plan(() => ({ atMs: [0, 85000] }))", zeroMs))
	v.start(nil)
	if got := v.run(t, "[plan.next().startLagMs >= 90000, plan.next().startLagMs >= 5000, plan.next()].join()"); got != "true,true," {
		t.Error(got)
	}
	if got := resultOf(t, v).StartedAtUnixMs; got < zeroMs-1 || got > zeroMs+1 {
		t.Errorf("began at %f, not %f", got, zeroMs)
	}
}

func TestRejectsInvalidPlansAndSettings(t *testing.T) {
	v := newVU(t, newProcess())
	v.fails(t, "touchstone.plan()", "needs a function")
	v.fails(t, "touchstone.plan(() => ({ atMs: [2, 1] }))", "ascend")
	v.fails(t, "touchstone.plan(() => ({ atMs: [1, 2], promptTokens: [1] }))", "but token counts for 1")
	v.fails(t, "touchstone.plan(() => { throw new Error('mine') })", "mine")
	v.fails(t, "touchstone.setUp({ progresPath: 'x' })", "progresPath")
	v.fails(t, "touchstone.setUp({ eventsPath: '/no/such/folder/x' })", "no such file")
	v.run(t, "touchstone.setUp({ limits: { chat: { ttftMs: 5, e2eMs: 9 } } }); touchstone.setUp({ limits: { chat: { e2eMs: 9, ttftMs: 5 } } })")
	v.fails(t, "touchstone.setUp({})", "other settings")
}

// Arrivals that were not yet due at an early end of the run do not count as dropped.
func TestCountsDueArrivalsOfAnEndedRun(t *testing.T) {
	p := newProcess()
	v := newVU(t, p)
	v.run(t, "var plan = touchstone.plan(() => ({ atMs: [0, 0, 3600000] }))")
	v.start(nil)
	v.run(t, "plan.next()")
	time.Sleep(justDue + 20*time.Millisecond)
	p.recordStop()
	if got := resultOf(t, v).Plan; *got != (record.PlanResult{Planned: 3, Due: 2, Taken: 1}) {
		t.Errorf("%+v", got)
	}
}
