package framework

import (
	"fmt"

	fwk "k8s.io/kube-scheduler/framework"
)

// ReadState reads what a plugin wrote into a cycle's state, as the type that it wrote.
func ReadState[T fwk.StateData](state fwk.CycleState, key fwk.StateKey) (T, error) {
	data, err := state.Read(key)
	if err != nil {
		var none T
		return none, err
	}
	value, ok := data.(T)
	if !ok {
		return value, fmt.Errorf("it is a %T where a %T was expected", data, value)
	}
	return value, nil
}
