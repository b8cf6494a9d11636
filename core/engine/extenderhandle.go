package engine

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/extender"
	"orrery/core/world"
)

// checkVerbs refuses extenders with a verb that is not asked for.
func checkVerbs(all []*extender.Extender) error {
	for _, x := range all {
		if x.Has(world.ExtenderPreempt) {
			return fmt.Errorf("extender %q has a preemptVerb, and Orrery asks no extender about preemption: take the verb out of the configuration", x.Name())
		}
	}
	return nil
}

// extenderHandle is an extender as plugins see it; it implements fwk.Extender. They may ask what it is for, and not call it: an
// answer to a plugin would be in no recording.
type extenderHandle struct{ *extender.Extender }

func extenderHandles(all []*extender.Extender) []fwk.Extender {
	var handles []fwk.Extender
	for _, x := range all {
		handles = append(handles, extenderHandle{x})
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

func (h extenderHandle) ProcessPreemption(*v1.Pod, map[string]*extenderv1.Victims, fwk.NodeInfoLister) (map[string]*extenderv1.Victims, error) {
	return nil, h.refuse()
}

func (h extenderHandle) IsBinder() bool              { return h.Has(world.ExtenderBind) }
func (h extenderHandle) IsPrioritizer() bool         { return h.Has(world.ExtenderPrioritize) }
func (h extenderHandle) IsFilter() bool              { return h.Has(world.ExtenderFilter) }
func (h extenderHandle) SupportsPreemption() bool    { return h.Has(world.ExtenderPreempt) }
func (h extenderHandle) IsIgnorable() bool           { return h.Ignorable }
func (h extenderHandle) IsInterested(p *v1.Pod) bool { return h.Interested(p) }
