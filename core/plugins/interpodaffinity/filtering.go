package interpodaffinity

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/plugins/census"
)

const preFilterStateKey = "PreFilter" + Name

// preFilterState is what Filter needs to know. Clones share the counts and have their own changes.
type preFilterState struct {
	question *question
	roster   *census.Roster
	round    uint64
	views    views
	// pod is asked about terms that AddPod and RemovePod bring, which may see labels that the question leaves out.
	pod *v1.Pod
	// first: should nobody match the pod's affinity terms, the pod does so itself.
	first   bool
	changes []change
}

// change is a count added in thought.
type change struct {
	kind       kind
	key, value string
	amount     int64
}

// Clone implements fwk.StateData.
func (s *preFilterState) Clone() fwk.StateData {
	c := *s
	c.changes = append([]change(nil), s.changes...)
	return &c
}

// PreFilter sums up, per domain, whom the pod requires or rejects and who rejects it.
func (pl *Plugin) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	wary, err := pl.nodes.HavePodsWithRequiredAntiAffinityList()
	if err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("failed to list NodeInfos with pods with affinity: %w", err))
	}
	own, parsing, resolving := pl.ownTerms(pod)
	if parsing != nil {
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf("parsing pod: %+v", parsing)).WithPlugin(Name)
	}
	if resolving != nil {
		return nil, fwk.AsStatus(resolving)
	}
	required := len(own.affinity) > 0 || len(own.antiAffinity) > 0
	if !required && len(wary) == 0 {
		return nil, skip
	}
	pl.roster.Sync(nodes)
	q := pl.question(pod, own)
	q.refresh(pl.roster)
	s := &preFilterState{question: q, roster: pl.roster, round: pl.roster.Round(), views: q.views, pod: pod}
	s.first = matchesAll(own.affinity, pod)
	// PreScore uses it even if Filter does not.
	state.Write(preFilterStateKey, s)
	if !required && !s.anyUnwelcome() {
		return nil, skip
	}
	return nil, nil
}

func (s *preFilterState) anyUnwelcome() bool {
	for i := range s.views[unwelcome] {
		if s.views[unwelcome][i].Hits > 0 {
			return true
		}
	}
	return false
}

// AddPod counts a pod as if it ran on the node.
func (pl *Plugin) AddPod(_ context.Context, state fwk.CycleState, _ *v1.Pod, added fwk.PodInfo, info fwk.NodeInfo) *fwk.Status {
	return update(state, added, info.Node(), 1)
}

// RemovePod counts a pod as if it had gone from the node.
func (pl *Plugin) RemovePod(_ context.Context, state fwk.CycleState, _ *v1.Pod, removed fwk.PodInfo, info fwk.NodeInfo) *fwk.Status {
	return update(state, removed, info.Node(), -1)
}

func update(state fwk.CycleState, pod fwk.PodInfo, node *v1.Node, amount int64) *fwk.Status {
	s, err := readPreFilterState(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	s.question.requires(pod.GetPod(), func(kind kind, key string) { s.change(node, kind, key, amount) })
	theirs := pod.GetRequiredAntiAffinityTerms()
	for i := range theirs {
		if theirs[i].Matches(s.pod, s.question.namespace) {
			s.change(node, unwelcome, theirs[i].TopologyKey, amount)
		}
	}
	return nil
}

func (s *preFilterState) change(node *v1.Node, kind kind, key string, amount int64) {
	value, has := node.Labels[key]
	if !has {
		return
	}
	for i := range s.changes {
		if c := &s.changes[i]; c.kind == kind && c.key == key && c.value == value {
			c.amount += amount
			return
		}
	}
	s.changes = append(s.changes, change{kind, key, value, amount})
}

// Filter rejects a node that lacks a pod wanted near, or has one in its domains that is not to be near.
func (pl *Plugin) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	s, err := readPreFilterState(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	node := info.Node()
	slot, found := s.roster.Find(node)
	switch {
	case !s.company(node, slot, found):
		return noCompany
	case s.present(anti, node, slot, found):
		return badCompany
	case s.present(unwelcome, node, slot, found):
		return notWelcome
	}
	return nil
}

var (
	skip       = fwk.NewStatus(fwk.Skip).WithPlugin(Name)
	noCompany  = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, ErrReasonAffinityRulesNotMatch).WithPlugin(Name)
	badCompany = fwk.NewStatus(fwk.Unschedulable, ErrReasonAntiAffinityRulesNotMatch).WithPlugin(Name)
	notWelcome = fwk.NewStatus(fwk.Unschedulable, ErrReasonExistingAntiAffinityRulesNotMatch).WithPlugin(Name)
)

// company reports whether each affinity term has a match in the node's domain. If nobody matches anywhere, and the pod
// would itself, it may be the first, on any node that has all keys.
func (s *preFilterState) company(node *v1.Node, slot int32, found bool) bool {
	all := true
	for i := range s.views[affinity] {
		v := &s.views[affinity][i]
		domain, has := v.Locate(node, slot, found)
		if !has {
			return false
		}
		all = all && s.sum(affinity, v, domain, node) > 0
	}
	return all || (s.first && s.nobody())
}

// present reports whether something counts against the node in one of its domains.
func (s *preFilterState) present(kind kind, node *v1.Node, slot int32, found bool) bool {
	for i := range s.views[kind] {
		v := &s.views[kind][i]
		if domain, has := v.Locate(node, slot, found); has && s.sum(kind, v, domain, node) > 0 {
			return true
		}
	}
	for i := range s.changes {
		if c := &s.changes[i]; c.kind == kind && c.amount > 0 && s.isNew(c) {
			if value, has := node.Labels[c.key]; has && value == c.value {
				return true
			}
		}
	}
	return false
}

// sum is the count in a domain, changes included.
func (s *preFilterState) sum(kind kind, v *census.Counts, domain int32, node *v1.Node) int64 {
	sum := v.Of(domain)
	for i := range s.changes {
		if c := &s.changes[i]; c.kind == kind && c.key == v.Key.Name && c.value == node.Labels[c.key] {
			sum += c.amount
		}
	}
	return sum
}

// isNew reports whether a change is to a key that nothing was counted for.
func (s *preFilterState) isNew(c *change) bool {
	for i := range s.views[c.kind] {
		if s.views[c.kind][i].Key.Name == c.key {
			return false
		}
	}
	return true
}

// nobody reports whether no pod at all matches the pod's required affinity.
func (s *preFilterState) nobody() bool {
	for i := range s.views[affinity] {
		v := &s.views[affinity][i]
		left := v.Hits
		for j := range s.changes {
			c := &s.changes[j]
			if c.kind != affinity || c.key != v.Key.Name {
				continue
			}
			left += c.amount
			if v.Of(v.Find(c.value))+c.amount != 0 {
				return false
			}
		}
		if left != 0 {
			return false
		}
	}
	return true
}

func readPreFilterState(state fwk.CycleState) (*preFilterState, error) {
	data, err := state.Read(preFilterStateKey)
	if err != nil {
		return nil, fmt.Errorf("error reading %q from cycleState: %w", preFilterStateKey, err)
	}
	s, ok := data.(*preFilterState)
	if !ok {
		return nil, fmt.Errorf("reading %q from cycleState: it holds a %T, which PreFilter did not write", preFilterStateKey, data)
	}
	return s, nil
}
