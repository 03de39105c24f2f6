// Package touchstone implements the JavaScript module k6/x/touchstone, which touchstone.d.ts describes.
package touchstone

import (
	"net/http"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
)

func init() { modules.Register("k6/x/touchstone", &module{process: newProcess()}) }

// module is the root module, which exists once per process.
type module struct{ process *process }

// instance is the module instance of one VU. Other VUs never use it.
type instance struct {
	vu      modules.VU
	process *process
	exports modules.Exports
	metrics *k6Metrics

	instrumented *http.Transport // the transport that Instrument has changed to record times
	isStarted    bool            // the VU has passed the gate
}

// NewModuleInstance creates the instance of a VU. k6 calls it.
func (m *module) NewModuleInstance(vu modules.VU) modules.Instance {
	registered, err := registerMetrics(vu.InitEnv().Registry)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	i := &instance{vu: vu, process: m.process, metrics: registered}
	i.exportFunctions(vu.Runtime())
	return i
}

// Exports returns the functions of the module. k6 calls it each time a script reads an imported name.
func (i *instance) Exports() modules.Exports { return i.exports }

// exportFunctions converts the functions of the module once. Otherwise, k6 would convert a Go function by reflection
// for each request of a script.
func (i *instance) exportFunctions(rt *sobek.Runtime) {
	i.exports.Named = map[string]any{
		"setUp":  rt.ToValue(i.setUp),
		"plan":   rt.ToValue(i.plan),
		"ready":  rt.ToValue(i.ready),
		"warmUp": rt.ToValue(i.warmUp),
		"file":   rt.ToValue(i.file),
		"send":   rt.ToValue(i.send),
		"result": rt.ToValue(i.result),
	}
}

func (i *instance) setUp(value sobek.Value) {
	if err := i.process.setUp(value.Export()); err != nil {
		common.Throw(i.vu.Runtime(), err)
	}
}

func (i *instance) file(path string) *fileHandle {
	handle, err := i.process.file(i.vu.InitEnv(), path)
	if err != nil {
		common.Throw(i.vu.Runtime(), err)
	}
	return handle
}

func (i *instance) result() string { return i.process.result() }
