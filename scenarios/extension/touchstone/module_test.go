package touchstone

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/fsext"
	"go.k6.io/k6/v2/metrics"

	"touchstone/k6/record"
)

// vu is one VU of a process, and the samples that it pushes to k6.
type vu struct {
	*modulestest.Runtime
	samples chan metrics.SampleContainer
}

func newVU(t testing.TB, p *process) *vu {
	t.Helper()
	runtime := modulestest.NewRuntime(t)
	runtime.VU.InitEnvField.FileSystems = map[string]fsext.Fs{"file": fsext.NewOsFs()}
	exports := (&module{process: p}).NewModuleInstance(runtime.VU).Exports().Named
	if err := runtime.VU.Runtime().Set("touchstone", exports); err != nil {
		t.Fatal(err)
	}
	return &vu{Runtime: runtime, samples: make(chan metrics.SampleContainer, 100)}
}

// start ends the init context, so that the VU can send requests.
func (v *vu) start(change func(*lib.State)) *vu {
	registry := v.VU.InitEnv().Registry
	state := &lib.State{
		Transport:      http.DefaultTransport,
		BuiltinMetrics: metrics.RegisterBuiltinMetrics(registry),
		Samples:        v.samples,
		Tags:           lib.NewVUStateTags(registry.RootTagSet()),
		Options:        lib.Options{SystemTags: &metrics.DefaultSystemTagSet},
	}
	if change != nil {
		change(state)
	}
	v.MoveToVUContext(state)
	return v
}

func (v *vu) run(t testing.TB, code string) string {
	t.Helper()
	value, err := v.VU.Runtime().RunString(code)
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return value.String()
}

func (v *vu) fails(t *testing.T, code, with string) {
	t.Helper()
	if _, err := v.VU.Runtime().RunString(code); err == nil || !strings.Contains(err.Error(), with) {
		t.Errorf("%s: %v", code, err)
	}
}

// sampled returns the values of each metric that the VU pushed to k6, and the tags of the last sample.
func (v *vu) sampled() (values map[string][]float64, tags map[string]string) {
	values = map[string][]float64{}
	for _, container := range metrics.GetBufferedSamples(v.samples) {
		for _, sample := range container.GetSamples() {
			values[sample.Metric.Name] = append(values[sample.Metric.Name], sample.Value)
			tags = sample.Tags.Map()
		}
	}
	return values, tags
}

func resultOf(t *testing.T, v *vu) *record.Result {
	t.Helper()
	result := &record.Result{}
	if err := json.Unmarshal([]byte(v.run(t, "touchstone.result()")), result); err != nil {
		t.Fatal(err)
	}
	return result
}

const chunks = `data: {"id":"c","choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"id":"c","choices":[{"delta":{"content":"a"},"finish_reason":null}]}

data: {"id":"c","choices":[{"delta":{"content":"b"},"finish_reason":null}]}

data: {"id":"c","choices":[{"delta":{},"finish_reason":"stop"}]}

`

// serve starts a server for /stream, /cut (a stream without an end), /chat and /form. Any other path sets the status of its response.
func serve(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	stream := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("X-Request-Id", "req-1")
			_, _ = io.WriteString(w, body)
		}
	}
	mux.HandleFunc("/stream", stream(chunks+"data: [DONE]\n\n"))
	mux.HandleFunc("/cut", stream(chunks))
	mux.HandleFunc("/chat", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":2,"completion_tokens":1}}`)
	})
	mux.HandleFunc("/form", func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("file")
		if err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		content, _ := io.ReadAll(file)
		_, _ = fmt.Fprintf(w, "%s %s %d %s", r.FormValue("model"), header.Filename, len(content), r.UserAgent())
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func sendCode(address, more string) string {
	return fmt.Sprintf(`touchstone.send({ operation: 'chat-stream', method: 'POST', url: '%s', headers: { a: 'b' }, body: '{}', model: 'm', %s })`, address, more)
}

func writeFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestScriptsReadTheSameFunctionEachTime(t *testing.T) {
	runtime := modulestest.NewRuntime(t)
	i := (&module{process: &process{}}).NewModuleInstance(runtime.VU)
	read := func() sobek.Value { return runtime.VU.Runtime().ToValue(i.Exports().Named["send"]) }
	if first, second := read(), read(); !first.StrictEquals(second) {
		t.Error("each read converts the function again")
	}
}
