package touchstone

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
	"gopkg.in/guregu/null.v3"

	"touchstone/k6/chunk"
	"touchstone/k6/clock"
	"touchstone/k6/exchange"
	"touchstone/k6/record"
	"touchstone/k6/stream"
)

func TestReturnsOutcomeOfAStream(t *testing.T) {
	address := serve(t)
	v := newVU(t, newProcess()).start(nil)
	v.run(t, "var o = "+sendCode(address+"/stream", "stream: {}"))
	got := v.run(t, `JSON.stringify([o.status, o.isOk, o.error, o.body, o.events, o.tokenEvents, o.usage, o.violations,
		o.headers['x-request-id'], o.headers.none === undefined, o.bytes])`)
	want := fmt.Sprintf(`[200,true,null,null,5,2,null,[],"req-1",true,%d]`, len(chunks)+14)
	if got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

func TestOutcomesAreReadOnlyObjects(t *testing.T) {
	v := newVU(t, newProcess()).start(nil)
	v.run(t, "var o = "+sendCode(serve(t)+"/chat", ""))
	got := v.run(t, `[Object.keys({ ...o }).join(), 'status' in o, 'none' in o, o.none, JSON.parse(JSON.stringify(o)).usage.completionTokens].join(' ')`)
	want := "status,isOk,error,headers,body,bytes,events,tokenEvents,usage,violations true false  1"
	if got != want {
		t.Errorf("%s, not %s", got, want)
	}
	v.fails(t, "'use strict'; o.status = 500", "TypeError")
	v.fails(t, "'use strict'; delete o.status", "TypeError")
	if got := v.run(t, "o.status"); got != "200" {
		t.Error(got)
	}
}

func TestReturnsOutcomeOfAJSONResponse(t *testing.T) {
	address := serve(t)
	v := newVU(t, newProcess()).start(nil)
	v.run(t, "var o = "+sendCode(address+"/chat", ""))
	got := v.run(t, `JSON.stringify([o.status, o.isOk, o.error, JSON.parse(o.body).choices.length, o.usage.completionTokens])`)
	if want := `[200,true,null,1,1]`; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	v.run(t, "var o = "+sendCode(address+"/chat", "stream: {}"))
	if got := v.run(t, "o.violations.join()"); !strings.Contains(got, "response is JSON") {
		t.Error(got)
	}
}

func TestCountsStatusesAndFailures(t *testing.T) {
	address := serve(t)
	v := newVU(t, newProcess()).start(nil)
	for code, want := range map[string]string{
		sendCode(address+"/429", ""):                               `[429,false,null]`,
		sendCode(address+"/429", "expectedStatuses: [200, 429]"):   `[429,true,null]`,
		sendCode(address+"/204", "expectedStatuses: [429]"):        `[204,false,null]`,
		sendCode(address+"/stream", "stream: {}, maxBytes: 20"):    `[200,false,"too-large"]`,
		sendCode(address+"/stream", "stream:{abortAfterEvents:1}"): `[200,false,"left"]`,
		sendCode("http://127.0.0.1:1", ""):                         `[0,false,"refused"]`,
	} {
		if got := v.run(t, "var o = "+code+"; JSON.stringify([o.status, o.isOk, o.error])"); got != want {
			t.Errorf("%s: %s, not %s", code, got, want)
		}
	}
	counts := resultOf(t, v).Operations["chat-stream"].Counts
	if want := (record.Counts{Sent: 6, OK: 1, Failed: 4, Aborted: 1}); counts != want {
		t.Errorf("%+v, not %+v", counts, want)
	}
}

func TestMeasuresReasoningAndText(t *testing.T) {
	reader := stream.NewReader()
	reader.TokenTimes = []int64{20 * 1e6, 30 * 1e6, 60 * 1e6}
	reader.TokenLows = []int64{19 * 1e6, 30 * 1e6, 56 * 1e6}
	reader.FirstText, reader.HasReasoning, reader.Finish = 2, true, "length"
	reader.Usage = &chunk.Usage{Prompt: 7, Completion: 15, Reasoning: 8}
	a := &exchange.Result{StartNs: 10 * 1e6, Start: clock.Bounds{Low: 10 * 1e6, High: 11 * 1e6}}
	m := &measured{sample: record.Sample{TTFT: record.None, TextTTFT: record.None, TPOT: record.None}}
	m.readStream(a, reader)
	s := m.sample
	if s.TTFT != 10*1e6 || s.TextTTFT != 50*1e6 || s.TPOT != 4*1e6 || !slices.Equal(s.ITLs, []int64{10 * 1e6, 30 * 1e6}) {
		t.Errorf("%+v", s)
	}
	want := []clock.Bounds{{Low: 8 * 1e6, High: 10 * 1e6}, {Low: 45 * 1e6, High: 50 * 1e6}, {Low: 36 * 1e5, High: 41 * 1e5}}
	if got := []clock.Bounds{s.TTFTBounds, s.TextTTFTBounds, s.TPOTBounds}; !slices.Equal(got, want) || !s.IsCutByLength || s.Completion != 15 {
		t.Errorf("%v, %+v", got, s)
	}
	reader.FirstText, reader.Usage = -1, nil
	m = &measured{sample: record.Sample{TTFT: record.None, TextTTFT: record.None, TPOT: record.None}}
	if m.readStream(a, reader); m.sample.TextTTFT != record.None || m.sample.TPOT != record.None || m.sample.TTFT != 10*1e6 {
		t.Errorf("%+v", m.sample)
	}
}

func TestPushesBuiltinAndOwnMetrics(t *testing.T) {
	address := serve(t)
	v := newVU(t, newProcess()).start(nil)
	v.run(t, sendCode(address+"/stream", "stream: {}"))
	values, tags := v.sampled()
	for name, count := range map[string]int{
		"http_reqs": 1, "http_req_duration": 1, "http_req_failed": 1, "ttft": 1, "ttft_count": 1, "e2e": 1, "e2e_count": 1,
		"text_ttft": 1, "text_ttft_count": 1, "tpot": 0, "tpot_count": 0, "itl": 0, "itl_count": 1, "start_lag": 0, "tokens": 1, "stream_events": 1, "good": 1,
	} {
		if len(values[name]) != count {
			t.Errorf("%d samples of %s, not %d", len(values[name]), name, count)
		}
	}
	if values["tokens"][0] != 2 || values["stream_events"][0] != 5 || values["http_req_failed"][0] != 0 || values["itl_count"][0] != 1 {
		t.Errorf("%v", values)
	}
	want := map[string]string{
		"operation": "chat-stream", "status": "200", "method": "POST", "proto": "HTTP/1.1",
		"expected_response": "true", "name": address + "/stream", "url": address + "/stream",
	}
	for name, value := range want {
		if tags[name] != value {
			t.Errorf("the tag %s is %q, not %q", name, tags[name], value)
		}
	}
	v.run(t, sendCode(address+"/500", ""))
	values, tags = v.sampled()
	if values["http_req_failed"][0] != 1 || tags["error_code"] != "1500" || len(values["e2e"]) != 0 {
		t.Errorf("%v, %v", values, tags)
	}
	v.run(t, sendCode("http://127.0.0.1:1", ""))
	if _, tags = v.sampled(); tags["error_code"] != "1212" || tags["error"] != "refused" || tags["status"] != "0" {
		t.Errorf("%v", tags)
	}
}

func TestPushesITLsOnlyOnRequest(t *testing.T) {
	address := serve(t)
	v := newVU(t, newProcess()).start(func(s *lib.State) {
		s.Options.Thresholds = map[string]metrics.Thresholds{"itl{operation:chat-stream}": {}}
	})
	v.run(t, sendCode(address+"/stream", "stream: {}"))
	if values, _ := v.sampled(); len(values["itl"]) != 1 {
		t.Errorf("%d ITLs", len(values["itl"]))
	}
}

func TestSendsFormsWithFiles(t *testing.T) {
	address := serve(t)
	p := newProcess()
	path := writeFile(t, strings.Repeat("x", 5000))
	first, second := newVU(t, p), newVU(t, p)
	for _, v := range []*vu{first, second} {
		v.run(t, fmt.Sprintf("var handle = touchstone.file('%s')", path))
		v.start(func(s *lib.State) { s.Options.UserAgent = null.StringFrom("k6/test") })
	}
	if len(p.files) != 1 || first.run(t, "handle.bytes") != "5000" {
		t.Errorf("%v", p.files)
	}
	held := p.files[path]
	if again, err := p.file(newVU(t, p).VU.InitEnv(), path); err != nil || again != held {
		t.Errorf("the file was loaded twice: %v", err)
	}
	got := second.run(t, fmt.Sprintf(`touchstone.send({ operation: 'transcriptions', method: 'POST', url: '%s/form', headers: {},
		body: { fields: { model: 'm' }, file: { field: 'file', handle, name: 'a.mp3', type: 'audio/mpeg' } } }).body`, address))
	if got != "m a.mp3 5000 k6/test" {
		t.Error(got)
	}
}

func TestWritesEventsFile(t *testing.T) {
	address := serve(t)
	path := writeFile(t, "")
	v := newVU(t, newProcess())
	v.run(t, fmt.Sprintf("touchstone.setUp({ eventsPath: '%s' })", path))
	v.start(nil)
	v.run(t, sendCode(address+"/stream", "stream: {}")+";"+sendCode(address+"/chat", "")+";"+sendCode(address+"/500", "")+";touchstone.result()")
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(written)), "\n")
	if len(lines) != 2 {
		t.Fatalf("%s", written)
	}
	var streamed, whole record.Events
	if json.Unmarshal([]byte(lines[0]), &streamed) != nil || json.Unmarshal([]byte(lines[1]), &whole) != nil {
		t.Fatalf("%s", written)
	}
	if *streamed.RequestID != "req-1" || len(streamed.AtMs) != 5 || len(streamed.Tokens) != 2 || streamed.Tokens[0] != 1 || streamed.FirstText != 0 {
		t.Errorf("%+v", streamed)
	}
	if whole.RequestID != nil || len(whole.AtMs) != 0 || whole.E2EMs <= 0 || !whole.IsComplete {
		t.Errorf("%+v", whole)
	}
}

func TestBoundsOfEventsCountFromTheEarliestStart(t *testing.T) {
	reader := stream.NewReader()
	reader.TokenLows = []int64{14 * 1e6, 16 * 1e6}
	result := &exchange.Result{
		StartNs: 10 * 1e6, Start: clock.Bounds{Low: 10 * 1e6, High: 11 * 1e6}, End: clock.Bounds{Low: 18 * 1e6, High: 20 * 1e6}, IsStream: true,
	}
	got := eventBounds(result, reader)
	if got.StartMs != 1 || !slices.Equal(got.TokenMs, []float64{4, 6}) || got.E2EMs != 8 {
		t.Errorf("%+v", got)
	}
}

func TestIdentifiesRequestsInTheEventsFile(t *testing.T) {
	address := serve(t)
	path := writeFile(t, "")
	v := newVU(t, newProcess())
	v.run(t, fmt.Sprintf("touchstone.setUp({ eventsPath: '%s', requestIds: 'run-' })", path))
	v.start(nil)
	v.run(t, sendCode(address+"/stream", "stream: {}")+";"+sendCode(address+"/chat", "")+";"+sendCode(address+"/500", "")+";"+
		sendCode("http://127.0.0.1:1", "")+";touchstone.result()")
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, text := range strings.Split(strings.TrimSpace(string(written)), "\n") {
		var line record.Events
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(line.ClientRequestID, " ", line.Status, " ", line.CompletionID, " ", *line.HasUsage, " ", line.TextSha256))
	}
	text := sha256.Sum256([]byte("ab"))
	if want := fmt.Sprintf("run-1 200 c false %x,run-2 200  true ,run-3 500  false ,run-4 0  false ", text); strings.Join(got, ",") != want {
		t.Errorf("%q, not %q", strings.Join(got, ","), want)
	}
}

func TestRejectsInvalidRequests(t *testing.T) {
	v := newVU(t, newProcess())
	v.fails(t, sendCode("http://127.0.0.1:1", ""), "init context")
	v.start(nil)
	v.fails(t, "touchstone.send({ url: 'http://a' })", "needs an operation")
	v.fails(t, "touchstone.send({ operation: 'chat', url: '/v1' })", "absolute URL")
	v.fails(t, "touchstone.send({ operation: 'chat', url: 'http://a', body: {} })", "a form with a file")
	v.fails(t, "touchstone.send({ operation: 'chat', url: 'http://a', body: { file: { handle: 1 } } })", "file()")
	v.fails(t, "touchstone.file('x')", "init context")
}
