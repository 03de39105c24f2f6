package main

import (
	"fmt"
	"strings"
)

// event is an event between the role and the finish reason of a stream. Its kind is "text", "reasoning", or "none" for a
// heartbeat.
type event struct {
	Kind   string `json:"kind"`
	Tokens int    `json:"tokens"`
	data   string
}

// shape is the content of a stream.
type shape struct {
	Events     []event `json:"events"`
	Completion int     `json:"completion"` // completion tokens according to usage
	end        string  // finish reason, usage and [DONE]
}

// hiddenTokens is the number of reasoning tokens of a stream that does not show them.
const hiddenTokens = 100

// shapeOf builds the content of a stream by its name. The name "silent" means that of ten streams, one has no token and
// three have only reasoning.
func shapeOf(name string, tokens int, index int) shape {
	s := shape{}
	reasoning := 0
	for at := range tokens {
		switch {
		case name == "silent" && index%10 == 0:
			s.add("none", 0, ": no token\n\n")
		case name == "reasoning" && at < tokens/2, name == "silent" && index%10 < 4:
			reasoning++
			s.add("reasoning", 1, chunkOf(`{"reasoning_content":" thought"}`, ""))
		case name == "several":
			// Usage in each chunk tells how many tokens it has.
			s.add("text", 1+at%4, chunkOf(`{"content":" several words"}`, fmt.Sprintf(`,"usage":{"completion_tokens":%d}`, s.Completion+1+at%4)))
		case name == "heartbeats" && at%4 == 1:
			s.add("none", 0, ": heartbeat\n\n")
		case name == "heartbeats" && at%4 == 3:
			s.add("none", 0, chunkOf(`{"content":""}`, ""))
		default:
			s.add("text", 1, chunkOf(`{"content":" `+words[at%len(words)]+`"}`, ""))
		}
	}
	if name == "hidden" {
		reasoning = hiddenTokens
		s.Completion += hiddenTokens
	}
	finish := "length"
	if strings.Contains(fmt.Sprint(s.Events), "text") {
		finish = "stop"
	}
	s.end = head + `{},"finish_reason":"` + finish + `"}]}` + "\n\n" + fmt.Sprintf(
		`data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":%d,"completion_tokens_details":{"reasoning_tokens":%d}}}`,
		s.Completion, reasoning) + "\n\ndata: [DONE]\n\n"
	return s
}

func (s *shape) add(kind string, tokens int, data string) {
	s.Events = append(s.Events, event{kind, tokens, data})
	s.Completion += tokens
}

func chunkOf(delta, usage string) string {
	return head + delta + `,"finish_reason":null}]` + usage + "}\n\n"
}
