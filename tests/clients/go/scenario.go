// Command clients runs the scenarios with the OpenAI SDK for Go and prints their results as one JSON object.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
)

const (
	model         = "vendora-v4-flash"
	breakingModel = "vendora-v4-pro"
	slowModel     = "o3-mini"
	mediaModel    = "vendorc-4o"

	hello      = "Say hello."
	failOnce   = "Fail once."
	count      = "Count to a hundred."
	askWeather = "What is the weather in Paris?"
	askJSON    = "Give the weather in Paris as JSON."
)

var (
	baseURL      = os.Getenv("TOUCHSTONE_URL") + "/v1"
	key          = os.Getenv("TOUCHSTONE_KEY")
	noCreditsKey = os.Getenv("TOUCHSTONE_KEY_NO_CREDITS")
	wrongKey     = "sk-svc-wrong-key"
)

// Weather is the type of the structured output.
type Weather struct {
	City    string `json:"city"`
	Celsius int    `json:"celsius"`
}

// ToolLoop is the result of the tool loop.
type ToolLoop struct {
	Calls []json.RawMessage `json:"calls"`
	Text  string            `json:"text"`
}

type scenario struct {
	name string
	run  func() (any, error)
}

// printResults runs scenarios one after another, and prints their results. A result that is an error never equals the
// expected one.
func printResults(scenarios []scenario) {
	results := map[string]any{}
	for _, scenario := range scenarios {
		result, err := scenario.run()
		if err != nil {
			result = map[string]string{"error": err.Error()}
		}
		results[scenario.name] = result
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}

// readForms reads a stream with the same text in each form.
func readForms(read func(message string) (string, error)) (any, error) {
	var forms []string
	if err := json.Unmarshal([]byte(os.Getenv("TOUCHSTONE_FORMS")), &forms); err != nil {
		return nil, err
	}
	results := map[string]any{}
	for _, form := range forms {
		text, err := read(form)
		results[form] = text
		if err != nil {
			results[form] = map[string]string{"error": err.Error()}
		}
	}
	return results, nil
}

// statusOf extracts the HTTP status from an error.
func statusOf(_ string, err error) (any, error) {
	var apiError *openai.Error
	if errors.As(err, &apiError) {
		return apiError.StatusCode, nil
	}
	return fmt.Sprintf("no status: %v", err), nil
}

func outcomeOf(text string, err error) (any, error) {
	if err == nil {
		return "ended without an error: " + text, nil
	}
	return "raised", nil
}
