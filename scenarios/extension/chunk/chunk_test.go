package chunk

import (
	"reflect"
	"strings"
	"testing"
)

const (
	role    = `{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`
	content = `{"id":"c","choices":[{"index":0,"delta":{"content":"TEXT"},"finish_reason":null}]}`
)

func read(t *testing.T, data string) (Chunk, string) {
	t.Helper()
	r := &Reader{}
	r.Reset()
	c, _ := r.Read([]byte(data))
	return *c, string(r.Text())
}

func TestParsesChunk(t *testing.T) {
	cases := []struct {
		data, text string
		want       Chunk
	}{
		{role, "", Chunk{IsJSON: true, HasChoices: true, ID: "c", Role: "assistant"}},
		{content, "TEXT", Chunk{IsJSON: true, HasChoices: true, ID: "c", HasContent: true, HasToken: true}},
		{`{"choices":[{"delta":{},"finish_reason":"stop"}]}`, "", Chunk{IsJSON: true, HasChoices: true, Finish: "stop"}},
		{`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}`, "",
			Chunk{IsJSON: true, Usage: &Usage{3, 4, 0}}},
		{`{"choices":[],"usage":null}`, "", Chunk{IsJSON: true}},
		{`{"usage":{"completion_tokens":4,"completion_tokens_details":{"reasoning_tokens":3}}}`, "",
			Chunk{IsJSON: true, Usage: &Usage{0, 4, 3}}},
		{`{"usage":{"completion_tokens":4,"completion_tokens_details":{"reasoning_tokens":5}}}`, "",
			Chunk{IsJSON: true, Usage: &Usage{0, 4, 4}}},
		{strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "", Chunk{}},
		{`{"id":"` + strings.Repeat("i", 1000) + `"}`, "", Chunk{IsJSON: true, ID: strings.Repeat("i", 256)}},
		{`{"usage":{"prompt_tokens":-5,"completion_tokens":4}}`, "", Chunk{IsJSON: true}},
		{`{"usage":{"prompt_tokens":3,"completion_tokens":4.5}}`, "", Chunk{IsJSON: true}},
		{`{"usage":{"prompt_tokens":3,"completion_tokens":9e18}}`, "", Chunk{IsJSON: true}},
		{`{"usage":{"prompt_tokens":"3","completion_tokens":4}}`, "", Chunk{IsJSON: true}},
		{`{"usage":{"completion_tokens":4.0}}`, "", Chunk{IsJSON: true, Usage: &Usage{0, 4, 0}}},
		{`{"error":{"message":"broken"}}`, "", Chunk{IsJSON: true, IsError: true}},
		{`{"error":"broken"}`, "", Chunk{IsJSON: true, IsError: true}},
		{`{"type":"error","choices":[]}`, "", Chunk{IsJSON: true, IsError: true}},
		{`{"error":null}`, "", Chunk{IsJSON: true}},
		{`{"error":"","type":"chunk"}`, "", Chunk{IsJSON: true}},
		{`{"choices":[{"delta":{"content":null}}]}`, "", Chunk{IsJSON: true, HasChoices: true}},
		{`{"choices":[{"delta":{"content":"a\n\"\u00e9\ud83d\ude00"}}]}`, "a\n\"é😀",
			Chunk{IsJSON: true, HasChoices: true, HasContent: true, HasToken: true}},
		{`[1]`, "", Chunk{IsJSON: true}},
		{`{"id":`, "", Chunk{}},
		{``, "", Chunk{}},
	}
	for _, c := range cases {
		got, text := read(t, c.data)
		if !reflect.DeepEqual(got, c.want) || text != c.text {
			t.Errorf("%s is read as %+v with text %q", c.data, got, text)
		}
	}
}

func TestFindsTokensOfEachChannel(t *testing.T) {
	for delta, want := range map[string]string{
		`"content":"a"`:                                           "text token",
		`"role":"assistant","content":""`:                         "",
		`"content":null,"reasoning_content":"a"`:                  "reasoning token",
		`"reasoning":"a"`:                                         "reasoning token",
		`"reasoning_content":"a","content":"b"`:                   "text reasoning token",
		`"content":"","reasoning_content":null`:                   "",
		`"refusal":"a"`:                                           "token",
		`"refusal":null`:                                          "",
		`"tool_calls":[{"index":0,"function":{"arguments":"{"}}]`: "token",
		`"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]`:      "token",
		`"tool_calls":[{"index":0,"id":"c","type":"function"},{"function":{"name":"f"}}]`: "token",
		`"tool_calls":[{"index":0,"function":{"arguments":""}}]`:                          "",
		`"tool_calls":null,"function_call":{"name":"f"}`:                                  "token",
		`"content":[{"type":"text","text":"a"}]`:                                          "text token",
		`"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]`:         "reasoning token",
		`"content":[{"type":"text","text":""}]`:                                           "",
		`"role":"assistant","annotations":"a"`:                                            "",
	} {
		c, _ := func() (*Chunk, bool) {
			r := &Reader{}
			r.Reset()
			return r.Read([]byte(`{"choices":[{"delta":{` + delta + `}}]}`))
		}()
		found := []string{}
		for name, has := range map[string]bool{"text": c.HasContent, "reasoning": c.HasReasoning, "token": c.HasToken} {
			if has {
				found = append(found, name)
			}
		}
		for _, name := range found {
			if !strings.Contains(want, name) {
				t.Errorf("%s has %s", delta, name)
			}
		}
		if len(found) != len(strings.Fields(want)) {
			t.Errorf("%s has %v, not %s", delta, found, want)
		}
	}
}

func TestComparesRepeatedReasoning(t *testing.T) {
	r := &Reader{}
	r.Reset()
	const reasoning = `{"choices":[{"delta":{"content":"","reasoning_content":"TEXT"}}]}`
	for index, step := range []struct {
		data                 string
		isRepeat, isThinking bool
	}{
		{reasoning, false, true}, {strings.Replace(reasoning, "TEXT", "more", 1), true, true},
		{strings.Replace(reasoning, "TEXT", "", 1), true, false}, {reasoning, true, true},
		{content, false, false}, {content, true, false},
	} {
		c, isRepeat := r.Read([]byte(step.data))
		if isRepeat != step.isRepeat || c.HasReasoning != step.isThinking || c.HasContent != (index > 3) || c.HasToken != (index != 2) {
			t.Errorf("step %d: %v, %+v", index, isRepeat, *c)
		}
	}
}

func TestComparesRepeatedChunks(t *testing.T) {
	r := &Reader{}
	r.Reset()
	for index, step := range []struct {
		data     string
		isRepeat bool
	}{
		{role, false}, {content, false}, {content, true},
		{`{"id":"c","choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]}`, true},
		{`{"id":"c","choices":[{"index":0,"delta":{"content":"TEXT"},"finish_reason":"ab"}]}`, false},
		{`{"id":"d","choices":[{"index":0,"delta":{"content":"TEXT"},"finish_reason":null}]}`, false},
		{`{"id":"d","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`, false},
	} {
		if _, isRepeat := r.Read([]byte(step.data)); isRepeat != step.isRepeat {
			t.Errorf("step %d: %v", index, isRepeat)
		}
	}
}

func TestComparesChunksWhoseTextHasEscapes(t *testing.T) {
	r := &Reader{}
	r.Reset()
	r.Read([]byte(content))
	for _, step := range []struct {
		text, want string
		isRepeat   bool
	}{
		{`a\n\"\\\/\b\f\r\t`, "a\n\"\\/\b\f\r\t", true},
		{`\u00e9\uD83D\ude00`, "é😀", true},
		{`a\`, "", false}, {content, "TEXT", false},
		{`\x`, "", false}, {content, "TEXT", false},
		{`\u00g9`, "", false}, {content, "TEXT", false},
		{`\u00e`, "", false},
	} {
		data := step.text
		if data != content {
			data = strings.Replace(content, "TEXT", step.text, 1)
		}
		if c, isRepeat := r.Read([]byte(data)); isRepeat != step.isRepeat || c.IsJSON != (step.want != "") || string(r.Text()) != step.want {
			t.Errorf("%s: %v, %+v, %q", data, isRepeat, *c, r.Text())
		}
	}
}

func TestRepeatsOnlyTheTextOfChunksWithWhitespace(t *testing.T) {
	r := &Reader{}
	r.Reset()
	for index, text := range []string{"c", "other"} {
		c, isRepeat := r.Read([]byte(`  {"id": "c", "choices": [ {"index":0, "delta": { "content": "` + text + `" } } ] } `))
		if isRepeat != (index == 1) || string(r.Text()) != text || c.ID != "c" {
			t.Errorf("%q: %v, %q, %+v", text, isRepeat, r.Text(), c)
		}
	}
}

// For any pair of events, Read returns the same chunk for the second event whether it compares the event with the first
// one or parses it.
func FuzzRepeat(f *testing.F) {
	texts := []string{
		role, content, `{"choices":[{"delta":{"content":"a\"b"}}]}`, `{"choices":[{"delta":{"content":"a","x":"b"}}]}`,
		`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],"id":"b"}`, `{"a":"","choices":[{"delta":{"content":"\\"}}]}`,
		`{"choices":[{"delta":{"content":"","reasoning":"a"}}]}`, `{"choices":[{"delta":{"content":"","reasoning":""}}]}`,
		`{"choices":[{"delta":{"content":"b","reasoning":"a"}}]}`, `{"choices":[{"delta":{"content":"b","refusal":"a"}}]}`,
		`{"choices":[{"delta":{"content":"a` + "\n" + `b"}}]}`, `{"choices":[{"delta":{"content":"a\n\u00e9\ud83d"}}]}`,
		`{"choices":[{"delta":{"content":"a\"}}]}`, `{"choices":[{"delta":{"content":"a\u00g9\x"}}]}`,
	}
	for _, first := range texts {
		for _, second := range texts {
			f.Add([]byte(first), []byte(second))
		}
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		after, alone := &Reader{}, &Reader{}
		after.Reset()
		alone.Reset()
		after.Read(first)
		got, isRepeat := after.Read(second)
		want, _ := alone.Read(second)
		if !reflect.DeepEqual(*got, *want) {
			t.Fatalf("%q after %q (a repeat: %v) is %+v, alone %+v", second, first, isRepeat, *got, *want)
		}
		if string(after.Text()) != string(alone.Text()) {
			t.Fatalf("%q after %q has the text %q, alone %q", second, first, after.Text(), alone.Text())
		}
	})
}
