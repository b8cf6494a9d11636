package framework_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

type (
	client  struct{ clientset.Interface }
	factory struct {
		informers.SharedInformerFactory
	}
	announcer struct{ events.EventRecorderLogger }
	dra       struct{ fwk.SharedDRAManager }
	csi       struct{ fwk.CSIManager }
	fixedRand int
)

func (c fixedRand) IntN(n int) int { return int(c) % n }

type changed string

func (c changed) ObjectChanges(kind world.Kind, since uint64) ([]types.NamespacedName, uint64, bool) {
	return []types.NamespacedName{{Namespace: string(kind), Name: string(c)}}, since + 1, true
}

func TestHandle_ReturnsProfileOptions(t *testing.T) {
	o := framework.Options{
		Snapshot: nodes("n1"), Nominator: nominator{"n1": {podInfo{pod: web}}}, Rand: fixedRand(17),
		Changes: changed("data"),
		Client:  client{}, KubeConfig: &restclient.Config{Host: "here"}, Informers: factory{}, Events: announcer{},
		DRA: dra{}, CSI: csi{}, Extenders: []fwk.Extender{extender{}},
	}
	var h fwk.Handle = profile(t, o)
	given := []any{o.Client, o.KubeConfig, o.Informers, o.Events, o.DRA, o.CSI, len(o.Extenders), "test"}
	handed := []any{
		h.ClientSet(), h.KubeConfig(), h.SharedInformerFactory(), h.EventRecorder(), h.SharedDRAManager(), h.SharedCSIManager(),
		len(h.Extenders()), h.ProfileName(),
	}
	for i := range given {
		if given[i] != handed[i] {
			t.Errorf("got %#v, want %#v", handed[i], given[i])
		}
	}
	if n, err := h.SnapshotSharedLister().NodeInfos().List(); err != nil || len(n) != 1 {
		t.Errorf("the snapshot has %d nodes, error %v", len(n), err)
	}
	if n := h.NominatedPodsForNode("n1"); len(n) != 1 {
		t.Errorf("%d pods are nominated to n1", len(n))
	}
	if h.APIDispatcher() != nil || h.APICacher() != nil {
		t.Error("there is an API dispatcher, want none")
	}
	if got := h.(framework.Rand).IntN(10); got != 7 {
		t.Errorf("the random number is %d, want 7", got)
	}
	if names, now, known := h.(framework.ObjectChanges).ObjectChanges(world.PersistentVolumeClaim, 7); !known || now != 8 || len(names) != 1 ||
		names[0].String() != "PersistentVolumeClaim/data" {
		t.Errorf("the changes are %v up to %d, known: %v", names, now, known)
	}
	var alone fwk.Handle = profile(t, framework.Options{})
	if _, _, known := alone.(framework.ObjectChanges).ObjectChanges(world.PersistentVolumeClaim, 0); known {
		t.Error("without an engine the changes are known")
	}
	if got := alone.(framework.Rand).IntN(10); got != 0 {
		t.Errorf("without dice the first is chosen, not %d", got)
	}
}

func TestProfile_ListsPluginsAndWeights(t *testing.T) {
	percentage := int32(30)
	c := config.Profile{
		SchedulerName: "test", PercentageOfNodesToScore: &percentage,
		Plugins: &configv1.Plugins{MultiPoint: set("Sort A", "")},
	}
	p, err := framework.NewProfile(ctx, framework.Registry{"A": made(newTracer("A", nil)), "Sort": cast["Sort"]}, c, framework.Options{})
	if err != nil {
		t.Fatal(err)
	}
	points := map[framework.Point]string{}
	for _, point := range []framework.Point{
		framework.PreEnqueue, framework.QueueSort, framework.PreFilter, framework.Filter, framework.PostFilter, framework.PreScore,
		framework.Score, framework.Reserve, framework.Permit, framework.PreBind, framework.Bind, framework.PostBind, "Nowhere",
	} {
		points[point] = strings.Join(p.Enabled(point), " ")
	}
	want := map[framework.Point]string{
		framework.PreEnqueue: "A", framework.QueueSort: "Sort", framework.PreFilter: "A", framework.Filter: "A", framework.PostFilter: "A",
		framework.PreScore: "A", framework.Score: "A", framework.Reserve: "A", framework.Permit: "A", framework.PreBind: "A",
		framework.Bind: "A", framework.PostBind: "A", "Nowhere": "",
	}
	if diff := cmp.Diff(want, points); diff != "" {
		t.Errorf("plugins by point (-want +got):\n%s", diff)
	}
	if got := p.PercentageOfNodesToScore(); *got != 30 {
		t.Errorf("percentage of nodes to score: %d", *got)
	}
	bare := profile(t, framework.Options{})
	got := []bool{
		p.HasFilterPlugins(), p.HasPostFilterPlugins(), p.HasScorePlugins(),
		bare.HasFilterPlugins(), bare.HasPostFilterPlugins(), bare.HasScorePlugins(),
	}
	if diff := cmp.Diff([]bool{true, true, true, false, false, false}, got); diff != "" {
		t.Errorf("has plugins that filter, post-filter, score (-want +got):\n%s", diff)
	}
}

type queued struct {
	fwk.QueuedEntityInfo
	since time.Time
}

func (q queued) GetTimestamp() time.Time { return q.since }

func TestProfile_QueueSortFunc(t *testing.T) {
	less := profile(t, framework.Options{}).QueueSortFunc()
	early, late := queued{since: t0}, queued{since: t0.Add(time.Second)}
	if !less(early, late) || less(late, early) {
		t.Error("the queue's order is not the plugin's")
	}
}

// A profile without plugins is a handle for tests of single plugins.
func TestProfile_WithoutPlugins(t *testing.T) {
	p, err := framework.NewProfile(ctx, nil, config.Profile{SchedulerName: "bare"}, framework.Options{Snapshot: nodes("n1")})
	if err != nil {
		t.Fatal(err)
	}
	state := framework.NewCycleState()
	if status := p.RunFilterPlugins(ctx, state, web, nodes("n1")[0]); !status.IsSuccess() {
		t.Errorf("without plugins Filter returns %s", describe(status))
	}
	if status := p.RunBindPlugins(ctx, state, web, "n1"); !status.IsSkip() {
		t.Errorf("without plugins Bind returns %s", describe(status))
	}
}
