package extender

import (
	"cmp"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/safe/address"
	"orrery/core/world"
)

// Extender is a configured extender.
type Extender struct {
	// Index is its position in the configuration.
	Index int
	// Weight multiplies its priorities.
	Weight int64
	// Ignorable says that a failure to answer does not fail the scheduling cycle.
	Ignorable bool
	// NamesOnly says that it is nodeCacheCapable.
	NamesOnly bool
	// Timeout is how long it may take to answer.
	Timeout time.Duration

	address string // as configured, which is its name in kube-scheduler
	verbs   [world.ExtenderBind + 1]string
	managed map[v1.ResourceName]bool
}

// defaultTimeout is how long an extender may take that has no httpTimeout.
//
//orrery:limit extenders; a call without httpTimeout; the call fails
const defaultTimeout = 5 * time.Second

// All returns the extenders in the order in which they are asked: those that may be ignored come last.
func All(configured []configv1.Extender) []*Extender {
	var required, ignorable []*Extender
	for i := range configured {
		x := of(i, &configured[i])
		if x.Ignorable {
			ignorable = append(ignorable, x)
		} else {
			required = append(required, x)
		}
	}
	return append(required, ignorable...)
}

func of(i int, c *configv1.Extender) *Extender {
	x := &Extender{
		Index: i, Weight: c.Weight, Ignorable: c.Ignorable, address: address.Public(c.URLPrefix), NamesOnly: c.NodeCacheCapable,
		Timeout: cmp.Or(c.HTTPTimeout.Duration, defaultTimeout),
		verbs: [...]string{
			world.ExtenderFilter: c.FilterVerb, world.ExtenderPrioritize: c.PrioritizeVerb,
			world.ExtenderPreempt: c.PreemptVerb, world.ExtenderBind: c.BindVerb,
		},
	}
	if len(c.ManagedResources) > 0 {
		x.managed = map[v1.ResourceName]bool{}
		for _, r := range c.ManagedResources {
			x.managed[v1.ResourceName(r.Name)] = true
		}
	}
	return x
}

// Name is its address as configured, but without a user name and a password.
func (x *Extender) Name() string { return x.address }

// Has reports whether it answers a verb.
func (x *Extender) Has(verb world.ExtenderVerb) bool { return x.verbs[verb] != "" }

// URL is the address of a verb, without a user name and a password.
func (x *Extender) URL(verb world.ExtenderVerb) string {
	return strings.TrimRight(x.address, "/") + "/" + x.verbs[verb]
}

// Interested reports whether it is asked about a pod: about every one, unless it manages resources; then about those that
// request one of them.
func (x *Extender) Interested(pod *v1.Pod) bool {
	return x.managed == nil || x.manages(pod.Spec.Containers) || x.manages(pod.Spec.InitContainers)
}

func (x *Extender) manages(containers []v1.Container) bool {
	for i := range containers {
		for _, list := range []v1.ResourceList{containers[i].Resources.Requests, containers[i].Resources.Limits} {
			for name := range list {
				if x.managed[name] {
					return true
				}
			}
		}
	}
	return false
}
