package touchstone

import (
	"context"

	"go.k6.io/k6/v2/errext"

	"touchstone/k6/exchange"
)

// hold holds the maximum cost of a request. It returns false if the request must not be sent.
func (p *process) hold(r *request) bool {
	if p.spendLimiter == nil {
		return true
	}
	held, ok := p.spendLimiter.Hold(r.cost)
	if !ok {
		p.recordStop()
	}
	r.heldUnits = held
	return ok
}

func (p *process) settle(r *request, a *exchange.Result, m *measured) {
	if p.spendLimiter != nil {
		p.spendLimiter.Settle(r.heldUnits, r.cost.UnitsPerToken*spentTokens(r, a, m))
	}
}

// spentTokens returns the tokens that usage reports. Without usage, it returns the maximum tokens of the request,
// because the specification does not state how failed and aborted requests are charged. It returns 0 if the request did
// not reach the target, or if the target rejected it with a 4xx.
func spentTokens(r *request, a *exchange.Result, m *measured) int64 {
	s := &m.sample
	switch {
	case s.HasUsage:
		return s.Prompt + s.Completion
	case a.Failure == exchange.Refused, a.Failure == exchange.DNS, a.Failure == exchange.TLS, a.Failure == exchange.Unreachable:
		return 0
	case s.Status >= 400 && s.Status <= 499:
		return 0
	}
	return r.cost.MaxTokens
}

// endForSpendLimit ends the run like test.abort() when no request is in flight.
func (i *instance) endForSpendLimit(ctx context.Context) {
	i.process.spendLimiter.WaitIdle(ctx)
	i.vu.Runtime().Interrupt(&errext.InterruptError{Reason: errext.AbortTest + ": the spend limit is reached"})
}
