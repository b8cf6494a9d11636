package engine

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
	"orrery/core/world/extender"
)

// extenderHandle is an extender as plugins see it; it implements fwk.Extender. They may ask what it is for, and in PostFilter about
// preemption. They may not call it otherwise: an answer to a plugin would be in no recording.
type extenderHandle struct {
	*extender.Extender
	engine *Engine
}

func (e *Engine) extenderHandles() []fwk.Extender {
	var handles []fwk.Extender
	for _, x := range e.extenders {
		handles = append(handles, extenderHandle{x, e})
	}
	return handles
}

func (h extenderHandle) refuse() error {
	return fmt.Errorf("extender %q cannot be called by a plugin: the scheduler asks it", h.Name())
}

func (h extenderHandle) Filter(*v1.Pod, []fwk.NodeInfo) ([]fwk.NodeInfo, extenderv1.FailedNodesMap, extenderv1.FailedNodesMap, error) {
	return nil, nil, nil, h.refuse()
}

func (h extenderHandle) Prioritize(*v1.Pod, []fwk.NodeInfo) (*extenderv1.HostPriorityList, int64, error) {
	return nil, 0, h.refuse()
}

func (h extenderHandle) Bind(*v1.Binding) error { return h.refuse() }

func (h extenderHandle) ProcessPreemption(pod *v1.Pod, victims map[string]*extenderv1.Victims, nodes fwk.NodeInfoLister) (map[string]*extenderv1.Victims, error) {
	a := h.engine.preempting.Load()
	if a == nil || !h.SupportsPreemption() {
		return nil, fmt.Errorf("extender %q cannot be called by a plugin, except about preemption, in PostFilter", h.Name())
	}
	return a.processPreemption(h.Extender, pod, victims, nodes)
}

// IsIgnorable is false while the extender is being asked: then the plugin has to stop.
func (h extenderHandle) IsIgnorable() bool {
	a := h.engine.preempting.Load()
	return h.Ignorable && (a == nil || a.asking.over())
}

func (h extenderHandle) IsBinder() bool              { return h.Has(world.ExtenderBind) }
func (h extenderHandle) IsPrioritizer() bool         { return h.Has(world.ExtenderPrioritize) }
func (h extenderHandle) IsFilter() bool              { return h.Has(world.ExtenderFilter) }
func (h extenderHandle) SupportsPreemption() bool    { return h.Has(world.ExtenderPreempt) }
func (h extenderHandle) IsInterested(p *v1.Pod) bool { return h.Interested(p) }
