package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

var ctx = context.Background()

var weatherSchema = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"city":    map[string]any{"type": "string"},
		"celsius": map[string]any{"type": "integer"},
	},
	"required":             []string{"city", "celsius"},
	"additionalProperties": false,
}

func createClient(apiKey string) openai.Client {
	return openai.NewClient(option.WithBaseURL(baseURL), option.WithAPIKey(apiKey))
}

func prompt(model, text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)},
	}
}

func ask(apiKey, text string) (string, error) {
	return complete(apiKey, prompt(model, text))
}

func complete(apiKey string, params openai.ChatCompletionNewParams) (string, error) {
	client := createClient(apiKey)
	completion, err := client.Chat.Completions.New(ctx, params)
	if err != nil {
		return "", err
	}
	return completion.Choices[0].Message.Content, nil
}

// read joins the texts of a stream. It stops after the first text if `first` is true.
func read(model, text string, first bool) (string, error) {
	client := createClient(key)
	stream := client.Chat.Completions.NewStreaming(ctx, prompt(model, text))
	defer stream.Close()
	var joined strings.Builder
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			joined.WriteString(choice.Delta.Content)
		}
		if first && joined.Len() > 0 {
			return joined.String(), nil
		}
	}
	return joined.String(), stream.Err()
}

func loop(next func(openai.ChatCompletionNewParams) (*openai.ChatCompletion, error)) (any, error) {
	params := prompt(model, askWeather)
	params.Tools = []openai.ChatCompletionToolUnionParam{
		openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: "get_weather",
			Parameters: openai.FunctionParameters{
				"type":       "object",
				"properties": map[string]any{"city": map[string]string{"type": "string"}},
				"required":   []string{"city"},
			},
		}),
	}
	var result ToolLoop
	for {
		completion, err := next(params)
		if err != nil {
			return nil, err
		}
		message := completion.Choices[0].Message
		if len(message.ToolCalls) == 0 {
			result.Text = message.Content
			return result, nil
		}
		params.Messages = append(params.Messages, message.ToParam())
		for _, call := range message.ToolCalls {
			result.Calls = append(result.Calls, json.RawMessage(call.Function.Arguments))
			params.Messages = append(params.Messages, openai.ToolMessage("21 degrees", call.ID))
		}
	}
}

func main() {
	client := createClient(key)
	printResults([]scenario{
		{"models", func() (any, error) {
			for pager := client.Models.ListAutoPaging(ctx); pager.Next(); {
				if pager.Current().ID == model {
					return true, nil
				}
			}
			return false, nil
		}},
		{"chat", func() (any, error) { return ask(key, hello) }},
		{"stream", func() (any, error) { return read(model, hello, false) }},
		{"forms", func() (any, error) {
			return readForms(func(text string) (string, error) { return read(model, text, false) })
		}},
		{"wrong_key", func() (any, error) { return statusOf(ask(wrongKey, hello)) }},
		{"no_credits", func() (any, error) { return statusOf(ask(noCreditsKey, hello)) }},
		{"retries", func() (any, error) { return ask(key, failOnce) }},
		{"broken_stream", func() (any, error) { return outcomeOf(read(breakingModel, hello, false)) }},
		{"abort", func() (any, error) { return read(slowModel, count, true) }},
		{"tools", func() (any, error) {
			return loop(func(params openai.ChatCompletionNewParams) (*openai.ChatCompletion, error) {
				return client.Chat.Completions.New(ctx, params)
			})
		}},
		{"streamed_tools", func() (any, error) {
			return loop(func(params openai.ChatCompletionNewParams) (*openai.ChatCompletion, error) {
				stream := client.Chat.Completions.NewStreaming(ctx, params)
				accumulator := openai.ChatCompletionAccumulator{}
				for stream.Next() {
					if !accumulator.AddChunk(stream.Current()) {
						return nil, errors.New("the accumulator rejects a chunk")
					}
				}
				return &accumulator.ChatCompletion, stream.Err()
			})
		}},
		{"structured", func() (any, error) {
			params := prompt(model, askJSON)
			params.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{
				OfJSONSchema: &openai.ResponseFormatJSONSchemaParam{
					JSONSchema: openai.ResponseFormatJSONSchemaJSONSchemaParam{
						Name: "Weather", Schema: weatherSchema, Strict: openai.Bool(true),
					},
				},
			}
			text, err := complete(key, params)
			if err != nil {
				return nil, err
			}
			var weather Weather
			err = json.Unmarshal([]byte(text), &weather)
			return weather, err
		}},
		{"image", func() (any, error) {
			images, err := client.Images.Generate(ctx, openai.ImageGenerateParams{
				Model: mediaModel, Prompt: "a harbor", Size: openai.ImageGenerateParamsSize512x512,
			})
			if err != nil {
				return nil, err
			}
			response, err := http.Get(images.Data[0].URL)
			if err != nil {
				return nil, err
			}
			defer response.Body.Close()
			data, err := io.ReadAll(response.Body)
			if err != nil {
				return nil, err
			}
			return string(data[1:4]), nil
		}},
		{"audio", func() (any, error) {
			speech, err := client.Audio.Speech.New(ctx, openai.AudioSpeechNewParams{
				Model: mediaModel,
				Input: "The rain has stopped.",
				Voice: openai.AudioSpeechNewParamsVoiceUnion{OfString: openai.String("alloy")},
			})
			if err != nil {
				return nil, err
			}
			defer speech.Body.Close()
			transcription, err := client.Audio.Transcriptions.New(ctx, openai.AudioTranscriptionNewParams{
				Model: slowModel,
				File:  openai.File(speech.Body, "speech.mp3", "audio/mpeg"),
			})
			if err != nil {
				return nil, err
			}
			return transcription.Text, nil
		}},
	})
}
