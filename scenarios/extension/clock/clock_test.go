package clock

import "testing"

func TestChoosesTheReadingWithoutAnInterruption(t *testing.T) {
	const startUnixNs = 1_750_000_000_000_000_000
	exact, interrupted := reading{100, startUnixNs + 100}, reading{5_000_200, startUnixNs + 200}
	for _, got := range []reading{leastDelayed(exact, interrupted), leastDelayed(interrupted, exact)} {
		if got != exact {
			t.Errorf("%v, not %v", got, exact)
		}
	}
}
