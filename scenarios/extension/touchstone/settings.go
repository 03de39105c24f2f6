package touchstone

import (
	"bytes"
	"encoding/json"
	"fmt"

	"touchstone/k6/record"
)

type settings struct {
	Limits        map[string]limits `json:"limits"`
	ProgressPath  string            `json:"progressPath"`
	EndsWithStdin bool              `json:"endsWithStdin"`
	EventsPath    string            `json:"eventsPath"`
	RequestIDs    string            `json:"requestIds"`
	StartAtUnixMs *float64          `json:"startAtUnixMs"`
	MaxUnits      *int64            `json:"maxUnits"`
	VUs           int64             `json:"vus"`
	WarmUpMs      float64           `json:"warmUpMs"`
	Budgets       []budget          `json:"budgets"`
}

type budget struct {
	Operation string  `json:"operation"`
	Metric    string  `json:"metric"`
	LimitMs   float64 `json:"limitMs"`
}

type limits struct {
	TTFTMs     *float64 `json:"ttftMs"`
	TextTTFTMs *float64 `json:"textTtftMs"`
	ITLMs      *float64 `json:"itlMs"`
	TPOTMs     *float64 `json:"tpotMs"`
	E2EMs      *float64 `json:"e2eMs"`
}

// readSettings parses the settings. It also returns their JSON, by which two calls are compared.
func readSettings(exported any) (read settings, written string, err error) {
	encoded, err := json.Marshal(exported)
	if err != nil {
		return settings{}, "", fmt.Errorf("setUp: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&read); err != nil {
		return settings{}, "", fmt.Errorf("setUp: %w", err)
	}
	return read, string(encoded), nil
}

func (s *settings) recordLimits() map[string]record.Limits {
	all := map[string]record.Limits{}
	for operation, l := range s.Limits {
		all[operation] = record.Limits{
			TTFT: ns(l.TTFTMs), TextTTFT: ns(l.TextTTFTMs), ITL: ns(l.ITLMs), TPOT: ns(l.TPOTMs), E2E: ns(l.E2EMs),
		}
	}
	return all
}

func (s *settings) recordBudgets() []record.Budget {
	all := []record.Budget{}
	for _, b := range s.Budgets {
		all = append(all, record.Budget{Operation: b.Operation, Metric: b.Metric, LimitNs: ns(&b.LimitMs)})
	}
	return all
}

func ns(ms *float64) int64 {
	if ms == nil {
		return record.None
	}
	return int64(*ms * 1e6)
}
