package engine

import (
	"reflect"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// All tests of this package run with poison.
func init() { poison = poisoner{} }

// poisoner fills what is given back with values that no cycle has. A reader trips over them, and a writer is found when the memory
// is taken again.
type poisoner struct{}

const givenBack = "given back"

var (
	poisonPod     = &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: givenBack, Name: givenBack, UID: givenBack}}
	poisonBinding = binding{assumed: poisonPod, node: givenBack, stage: 255, next: -1, extender: -1, effect: 1<<64 - 1}
	poisonData    = &framework.PodsToActivate{}
)

func (poisoner) memory(m *cycleMemory) {
	if lent := m.binding.state; lent != nil && lent != &m.state {
		spoilState(lent) // a plugin worked on a copy, and has returned it
	}
	m.clear()
	spoilState(&m.state)
	m.toActivate.Map[givenBack] = poisonPod
	m.binding = poisonBinding
}

func spoilState(s *framework.CycleState) {
	s.Reset()
	s.Write(givenBack, poisonData)
}

func (poisoner) takeMemory(m *cycleMemory) {
	switch {
	case m.binding != poisonBinding:
		panic("a binding was written to after its memory was given back")
	case len(m.toActivate.Map) != 1 || m.toActivate.Map[givenBack] != poisonPod:
		panic("pods to activate were written to after their memory was given back")
	case !holdsPoisonOnly(&m.state):
		panic("the state of a cycle was written to after its memory was given back")
	}
	m.clear()
}

func holdsPoisonOnly(s *framework.CycleState) bool {
	data, err := s.Read(givenBack)
	return err == nil && data == fwk.StateData(poisonData) && entries(s) == 1
}

func entries(s *framework.CycleState) int {
	return reflect.ValueOf(s).Elem().FieldByName("entries").Len()
}

func (poisoner) fit(f *framework.FitError) {
	*f = framework.FitError{Pod: poisonPod, NumAllNodes: -1}
}

func (poisoner) takeFit(f *framework.FitError) {
	if f.Pod != poisonPod || f.NumAllNodes != -1 || f.Diagnosis.NodeToStatus != nil || f.Diagnosis.UnschedulablePlugins != nil {
		panic("the error of a cycle was written to after it was given back")
	}
}

func TestPoison_FindsWritesAfterRelease(t *testing.T) {
	for name, write := range map[string]func(*cycleMemory){
		"a binding":        func(m *cycleMemory) { m.binding.node = "n" },
		"pods to activate": func(m *cycleMemory) { m.toActivate.Map["p"] = poisonPod },
		"a state":          func(m *cycleMemory) { m.state.Write("key", poisonData) },
	} {
		t.Run(name, func(t *testing.T) {
			e := &Engine{}
			m := e.takeCycleMemory()
			e.release(m)
			write(m)
			defer func() {
				if recover() == nil {
					t.Error("the write is not found")
				}
			}()
			e.takeCycleMemory()
		})
	}
}

func TestPoison_MemoryIsTakenEmpty(t *testing.T) {
	e := &Engine{}
	m := e.takeCycleMemory()
	m.binding.node = "n"
	m.state.Write("key", poisonData)
	e.release(m)
	if _, err := m.state.Read("key"); err == nil || m.binding.node != givenBack {
		t.Error("what was given back can still be read")
	}
	if again := e.takeCycleMemory(); again != m || again.binding != (binding{}) || len(again.toActivate.Map) != 0 || entries(&again.state) != 0 {
		t.Errorf("the next cycle takes %+v", again)
	}
}
