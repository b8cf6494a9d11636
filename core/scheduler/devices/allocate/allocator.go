package allocate

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// ErrOnNode is the error of an allocation that fails on a node because of the node's devices. It may succeed on another one.
var ErrOnNode = errors.New("")

// Classes finds device classes.
type Classes interface {
	Get(name string) (*resourcev1.DeviceClass, error)
}

// Source is what an allocator allocates.
type Source struct {
	Features
	Taken     Taken
	Classes   Classes
	Slices    []*Slice // by name; all of every pool that the node reaches
	Selectors *Selectors
}

// Allocator allocates devices, for one node after the other. It reads what claims have when it is first asked for counters, and does
// not look again.
type Allocator struct {
	Features
	traits
	taken     Taken
	classes   Classes
	slices    []*Slice
	selectors *Selectors
	left      map[counterKey]leftover
}

// New returns an allocator. What it is given must not change as long as it is used.
func New(s Source) *Allocator {
	return &Allocator{
		Features: s.Features, traits: s.Features.traits(), taken: s.Taken, classes: s.Classes, slices: s.Slices, selectors: s.Selectors,
		left: map[counterKey]leftover{},
	}
}

// Allocate chooses devices on a node for claims without any. It returns a result for each claim, or none if there are not enough devices.
// ErrOnNode is an error of this node, ErrOutOfSteps is that of the limit; any other is about the claims or the classes. Shared parts of
// devices have an empty ID.
func (a *Allocator) Allocate(ctx context.Context, limit *Limit, node *v1.Node, claims []*resourcev1.ResourceClaim) ([]resourcev1.AllocationResult, error) {
	s := &search{Allocator: a, ctx: ctx, limit: limit, node: node, taking: map[DeviceID][]int{}, counters: map[counterKey]amounts{}, consumed: Parts{}}
	var err error
	if s.pools, s.devices, err = a.gather(node); err != nil {
		return nil, err
	}
	if err := s.check(claims); err != nil {
		return nil, err
	}
	switch found, err := s.claim(0); {
	case err != nil:
		return nil, err
	case found:
		return s.results()
	}
	for _, p := range s.pools {
		if p.invalid {
			return nil, fmt.Errorf("invalid resource pools were encountered%w", ErrOnNode)
		}
	}
	return nil, nil
}

// refused is the error for what kube-scheduler's allocator panics on.
func (s *search) refused(text string, args ...any) error {
	return fmt.Errorf("allocating devices on node %q: "+text, append([]any{s.node.Name}, args...)...)
}
