package framework_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
	"orrery/core/testing/mk"
)

// answer is a fake plugin's result. The zero value is success.
type answer struct {
	code   fwk.Code
	reason string
}

func (s answer) status() *fwk.Status {
	switch {
	case s.code == fwk.Success:
		return nil
	case s.code == fwk.Error:
		return fwk.AsStatus(errors.New(s.reason))
	}
	return fwk.NewStatus(s.code, s.reason)
}

// describe formats a status in one line: "Unschedulable by A: no room".
func describe(s *fwk.Status) string {
	if s == nil {
		return "Success"
	}
	text := s.Code().String()
	if s.Plugin() != "" {
		text += " by " + s.Plugin()
	}
	if s.Message() != "" {
		text += ": " + s.Message()
	}
	return text
}

// The fake plugins below each implement one extension point, and note each call in a log they share.
type fake struct {
	name string
	log  *[]string
}

func (f fake) Name() string { return f.name }

func (f fake) note(what string) {
	if f.log != nil {
		*f.log = append(*f.log, what+" "+f.name)
	}
}

type sorter struct{ fake }

func (sorter) Less(a, b fwk.QueuedEntityInfo) bool { return a.GetTimestamp().Before(b.GetTimestamp()) }

type preFilter struct {
	fake
	answer
	nodes     []string
	extension *extension
	seen      *int
}

func (p preFilter) PreFilter(_ context.Context, _ fwk.CycleState, _ *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	p.note("PreFilter")
	if p.seen != nil {
		*p.seen = len(nodes)
	}
	if p.nodes == nil {
		return nil, p.status()
	}
	return &fwk.PreFilterResult{NodeNames: sets.New(p.nodes...)}, p.status()
}

func (p preFilter) PreFilterExtensions() fwk.PreFilterExtensions {
	if p.extension == nil {
		return nil
	}
	return p.extension
}

type extension struct {
	fake
	answer
}

func (e extension) AddPod(_ context.Context, _ fwk.CycleState, _ *v1.Pod, pod fwk.PodInfo, _ fwk.NodeInfo) *fwk.Status {
	e.note("AddPod " + pod.GetPod().Name)
	return e.status()
}

func (e extension) RemovePod(_ context.Context, _ fwk.CycleState, _ *v1.Pod, pod fwk.PodInfo, _ fwk.NodeInfo) *fwk.Status {
	e.note("RemovePod " + pod.GetPod().Name)
	return e.status()
}

type filter struct {
	fake
	status func(node fwk.NodeInfo) *fwk.Status
}

func (f filter) Filter(_ context.Context, _ fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	f.note("Filter")
	if f.status == nil {
		return nil
	}
	return f.status(node)
}

func returning(s answer) func(fwk.NodeInfo) *fwk.Status {
	return func(fwk.NodeInfo) *fwk.Status { return s.status() }
}

type postFilter struct {
	fake
	answer
	nominate *fwk.NominatingInfo
}

func (p postFilter) PostFilter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	p.note("PostFilter")
	if p.nominate == nil {
		return nil, p.status()
	}
	return &fwk.PostFilterResult{NominatingInfo: p.nominate}, p.status()
}

type preScore struct {
	fake
	answer
}

func (p preScore) PreScore(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) *fwk.Status {
	p.note("PreScore")
	return p.status()
}

type score struct {
	fake
	answer
	scores    map[string]int64
	normalize func(fwk.NodeScoreList) *fwk.Status
}

func (s score) Score(_ context.Context, _ fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	s.note("Score " + node.Node().Name)
	return s.scores[node.Node().Name], s.status()
}

func (s score) ScoreExtensions() fwk.ScoreExtensions {
	if s.normalize == nil {
		return nil
	}
	return s
}

func (s score) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	s.note("Normalize")
	return s.normalize(scores)
}

type reserve struct {
	fake
	answer
}

func (r reserve) Reserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	r.note("Reserve")
	return r.status()
}

func (r reserve) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) { r.note("Unreserve") }

type permit struct {
	fake
	answer
	wait time.Duration
}

func (p permit) Permit(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.Status, time.Duration) {
	p.note("Permit")
	return p.status(), p.wait
}

type preBind struct {
	fake
	answer
	preFlight answer
}

func (p preBind) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	p.note("PreBindPreFlight")
	return nil, p.preFlight.status()
}

func (p preBind) PreBind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	p.note("PreBind")
	return p.status()
}

type bind struct {
	fake
	answer
}

func (b bind) Bind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	b.note("Bind")
	return b.status()
}

// profile makes a profile of plugins through MultiPoint. A sorter and a binder are added where there is none.
func profile(t testing.TB, o framework.Options, plugins ...fwk.Plugin) *framework.Profile {
	t.Helper()
	var sorts, binds bool
	for _, p := range plugins {
		_, isSort := p.(fwk.QueueSortPlugin)
		_, isBind := p.(fwk.BindPlugin)
		sorts, binds = sorts || isSort, binds || isBind
	}
	if !sorts {
		plugins = append(plugins, sorter{fake{name: "Sort"}})
	}
	if !binds {
		plugins = append(plugins, bind{fake: fake{name: "Bind"}})
	}
	registry := framework.Registry{}
	set := &configv1.Plugins{}
	for _, p := range plugins {
		if err := registry.Register(p.Name(), made(p)); err != nil {
			t.Fatal(err)
		}
		set.MultiPoint.Enabled = append(set.MultiPoint.Enabled, configv1.Plugin{Name: p.Name()})
	}
	if o.Snapshot == nil {
		o.Snapshot = cluster{}
	}
	p, err := framework.NewProfile(context.Background(), registry, config.Profile{SchedulerName: "test", Plugins: set}, o)
	if err != nil {
		t.Fatalf("making the profile: %v", err)
	}
	return p
}

func made(p fwk.Plugin) framework.PluginFactory {
	return func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return p, nil }
}

// cluster is a snapshot of nodes.
type cluster []fwk.NodeInfo

func nodes(names ...string) cluster {
	var c cluster
	for _, name := range names {
		c = append(c, &node{object: mk.Node(name).Obj()})
	}
	return c
}

func (c cluster) PodGroups() fwk.PodGroupLister                             { return nil }
func (c cluster) PodGroupStates() fwk.PodGroupStateLister                   { return nil }
func (c cluster) CompositePodGroups() fwk.CompositePodGroupLister           { return nil }
func (c cluster) CompositePodGroupStates() fwk.CompositePodGroupStateLister { return nil }

func (c cluster) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	return nil, nil
}

func (c cluster) NodeInfos() fwk.NodeInfoLister       { return c }
func (c cluster) StorageInfos() fwk.StorageInfoLister { return nil }
func (c cluster) List() ([]fwk.NodeInfo, error)       { return c, nil }

func (c cluster) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) { return nil, nil }

func (c cluster) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) { return nil, nil }

func (c cluster) Get(name string) (fwk.NodeInfo, error) {
	for _, n := range c {
		if n.Node().Name == name {
			return n, nil
		}
	}
	return nil, fmt.Errorf("node %q is not in the snapshot", name)
}

// unreadable is a snapshot that cannot be read.
type unreadable struct{ cluster }

func (u unreadable) NodeInfos() fwk.NodeInfoLister { return u }
func (unreadable) List() ([]fwk.NodeInfo, error)   { return nil, errors.New("snapshot lost") }

// node implements the methods of NodeInfo that the framework and the fake plugins use.
type node struct {
	fwk.NodeInfo
	object *v1.Node
	pods   []string
}

func (n *node) Node() *v1.Node { return n.object }

func (n *node) GetGeneration() int64 { return 0 }

func (n *node) Snapshot() fwk.NodeInfo {
	return &node{object: n.object, pods: append([]string(nil), n.pods...)}
}

func (n *node) AddPodInfo(pod fwk.PodInfo) { n.pods = append(n.pods, pod.GetPod().Name) }

type podInfo struct {
	fwk.PodInfo
	pod *v1.Pod
}

func (p podInfo) GetPod() *v1.Pod { return p.pod }

// nominator holds the nominated pods by node.
type nominator map[string][]fwk.PodInfo

func (n nominator) NominatedPodsForNode(node string) []fwk.PodInfo              { return n[node] }
func (nominator) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (nominator) DeleteNominatedPodIfExists(*v1.Pod)                            {}
func (nominator) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo)          {}

var (
	ctx = context.Background()
	web = mk.Pod("web").Obj()
	t0  = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
)

func sorted[T cmp.Ordered](set sets.Set[T]) []T {
	if set == nil {
		return nil
	}
	return sets.List(set)
}

// placed is a list of nodes of these generations. Nothing says which of them changed.
type placed struct {
	cluster
	generations []int64
}

func (p placed) ChangesSince(uint64) ([]int32, uint64, bool) { return nil, 0, false }
func (p placed) Amounts() []reuse.Amounts                    { return make([]reuse.Amounts, len(p.cluster)) }

func (p placed) Places() []reuse.Place {
	var places []reuse.Place
	for i, generation := range p.generations {
		places = append(places, reuse.Place{Number: int32(i), Generation: generation})
	}
	return places
}

// counted is a list of nodes with so many pods.
type counted struct {
	placed
	pods []int64
}

func (c counted) Amounts() []reuse.Amounts {
	var all []reuse.Amounts
	for _, n := range c.pods {
		all = append(all, reuse.Amounts{Pods: n})
	}
	return all
}
