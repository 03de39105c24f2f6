package touchstone

import (
	"context"

	"go.k6.io/k6/v2/errext"

	"touchstone/k6/exchange"
)

// hold says whether a request may be sent, by what it may cost.
func (p *process) hold(r *request) bool {
	if p.purse == nil {
		return true
	}
	held, ok := p.purse.Hold(r.cost)
	if !ok {
		p.noteStop()
	}
	r.heldUnits = held
	return ok
}

func (p *process) settle(r *request, a *exchange.Answer, m *measured) {
	if p.purse != nil {
		p.purse.Settle(r.heldUnits, r.cost.UnitsPerToken*spentTokens(r, a, m))
	}
}

// spentTokens is what usage says. An answer without it may have cost all that was held for it, as the document does not say
// how calls that fail or are left are charged: but not where nothing came to the target, or where it found fault with the request.
func spentTokens(r *request, a *exchange.Answer, m *measured) int64 {
	s := &m.sample
	switch {
	case s.HasUsage:
		return s.Prompt + s.Completion
	case a.Fault == exchange.Refused, a.Fault == exchange.DNS, a.Fault == exchange.TLS, a.Fault == exchange.Unreachable:
		return 0
	case s.Status >= 400 && s.Status <= 499:
		return 0
	}
	return r.cost.MostTokens
}

// endForMoney ends the run as test.abort() does, once what is under way has its answer.
func (i *instance) endForMoney(ctx context.Context) {
	i.process.purse.WaitIdle(ctx)
	i.vu.Runtime().Interrupt(&errext.InterruptError{Reason: errext.AbortTest + ": what it may cost is spent"})
}
