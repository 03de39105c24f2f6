package touchstone

import (
	"testing"

	"touchstone/k6/spending"
)

func TestEndsRunAtSpendLimit(t *testing.T) {
	address := serve(t)
	v := newVU(t, newProcess())
	v.run(t, "touchstone.setUp({ maxUnits: 100 })")
	v.start(nil)
	const cost = "cost: { unitsPerToken: 4, maxTokens: 10 }"
	// Usage reports 3 tokens. A 4xx or a refused connection costs nothing. A response without usage may have cost the
	// whole hold.
	for _, code := range []string{
		sendCode(address+"/chat", cost), sendCode(address+"/429", cost), sendCode("http://127.0.0.1:1", cost),
		sendCode(address+"/stream", "stream: {}, "+cost), sendCode(address+"/204", ""),
	} {
		v.run(t, code)
	}
	if end := resultOf(t, v).OutOfCredits; end != nil {
		t.Errorf("ended with %v", end)
	}
	v.run(t, sendCode(address+"/chat", cost))
	v.fails(t, "var o = "+sendCode(address+"/chat", cost)+"; o.status", "the spend limit is reached")
	v.VU.Runtime().ClearInterrupt()
	result := resultOf(t, v)
	want := spending.End{LimitUnits: 100, CountedUnits: 64, InFlightUnits: 0, NextUnits: 40}
	if result.OutOfCredits == nil || *result.OutOfCredits != want {
		t.Errorf("%v, not %v", result.OutOfCredits, want)
	}
	if sent := result.Operations["chat-stream"].Sent; sent != 6 {
		t.Errorf("%d requests were sent", sent)
	}
}
