// Package touchstone is the module k6/x/touchstone: what touchstone.d.ts says, for scripts of k6.
package touchstone

import (
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
)

func init() { modules.Register("k6/x/touchstone", &module{process: newProcess()}) }

// module is there once in a process.
type module struct{ process *process }

// instance is there once for each VU, and used by that VU alone.
type instance struct {
	vu      modules.VU
	process *process
	metrics *k6Metrics
	tags    tagCache
}

// NewModuleInstance is called by k6 for each VU.
func (m *module) NewModuleInstance(vu modules.VU) modules.Instance {
	registered, err := registerMetrics(vu.InitEnv().Registry)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	return &instance{vu: vu, process: m.process, metrics: registered, tags: tagCache{}}
}

// Exports is called by k6.
func (i *instance) Exports() modules.Exports {
	return modules.Exports{Named: map[string]any{
		"setUp":  i.setUp,
		"plan":   i.plan,
		"file":   i.file,
		"send":   i.send,
		"result": i.result,
	}}
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
