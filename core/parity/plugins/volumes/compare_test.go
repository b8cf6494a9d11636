package volumes

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	uplimits "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	uprestrictions "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumerestrictions"
	upzone "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumezone"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins"
	"orrery/core/scheduler/release"
)

func TestMain(m *testing.M) {
	metrics.Register()
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

var upstream = map[string]func(context.Context, runtime.Object, fwk.Handle, feature.Features) (fwk.Plugin, error){
	uprestrictions.Name: uprestrictions.New, uplimits.CSIName: uplimits.NewCSI, upzone.Name: upzone.New,
}

// plugin has the methods of all three plugins.
type plugin interface {
	fwk.PreFilterPlugin
	fwk.FilterPlugin
	fwk.SignPlugin
	fwk.EnqueueExtensions
}

// side is one of the plugins that must agree, with its snapshot.
type side struct {
	name     string
	plugin   plugin
	lister   fwk.SharedLister
	newState func() fwk.CycleState
	podInfo  func(*v1.Pod) fwk.PodInfo
}

func upstreamState() fwk.CycleState { return upframework.NewCycleState() }
func homeState() fwk.CycleState     { return framework.NewCycleState() }

func upstreamInfo(pod *v1.Pod) fwk.PodInfo { info, _ := upframework.NewPodInfo(pod); return info }
func homeInfo(pod *v1.Pod) fwk.PodInfo     { info, _ := cache.NewPodInfo(pod); return info }

// kubeScheduler is the name of kube-scheduler's side.
const kubeScheduler = "kube-scheduler"

// sides makes one of the plugins on every side, kube-scheduler's first.
func (c *cluster) sides(name string, scaling bool) []side {
	features, err := config.ParseFeaturesOf(release.Newest, map[string]bool{string(config.VolumeLimitScaling): scaling})
	must(err)
	theirs, err := upstream[name](context.Background(), nil, c.upstreamHandle(), feature.Features{EnableVolumeLimitScaling: scaling})
	must(err)
	hosted, err := plugins.Registry(features)[name](context.Background(), nil, c.upstreamHandle())
	must(err)
	home, err := plugins.Registry(features)[name](context.Background(), nil, c.homeHandle())
	must(err)
	return []side{
		{kubeScheduler, theirs.(plugin), c.upstreamSnap, upstreamState, upstreamInfo},
		{"Orrery's plugin on kube-scheduler's nodes", hosted.(plugin), c.upstreamSnap, upstreamState, upstreamInfo},
		{"Orrery", home.(plugin), c.homeSnap, homeState, homeInfo},
	}
}

// verdict is a status as text. Of the drivers that a node lacks kube-scheduler names a random one. A Filter that finds no state
// has its own words for it.
func verdict(s *fwk.Status) string {
	text := s.Code().String() + ": " + s.Message()
	switch {
	case strings.HasSuffix(text, " CSI driver is not installed on the node"):
		return "a CSI driver is not installed on the node"
	case strings.Contains(text, "from cycleState"):
		return "no state"
	}
	return text
}

// agreeOn compares the answers of all sides.
func agreeOn[T any](t *difftest.Source, sides []side, what string, answer func(i int, s side) T) T {
	want := answer(0, sides[0])
	for i, s := range sides[1:] {
		if diff := cmp.Diff(want, answer(i+1, s)); diff != "" {
			t.Fatalf("%s of %s: kube-scheduler (-) and %s (+) differ:\n%s", what, s.plugin.Name(), s.name, diff)
		}
	}
	return want
}

// compare runs a plugin's whole part of a scheduling cycle, on all sides.
func (c *cluster) compare(t *difftest.Source, sides []side, pod *v1.Pod, seen difftest.Coverage) {
	ctx := context.Background()
	name := sides[0].plugin.Name()
	agreeOn(t, sides, "SignPod", func(_ int, s side) string {
		fragments, status := s.plugin.SignPod(ctx, pod)
		return fmt.Sprint(signature(fragments), verdict(status))
	})
	states := make([]fwk.CycleState, len(sides))
	filtering := agreeOn(t, sides, "PreFilter", func(i int, s side) string {
		states[i] = s.newState()
		nodes, _ := s.lister.NodeInfos().List()
		result, status := s.plugin.PreFilter(ctx, states[i], pod, nodes)
		return fmt.Sprint(result, verdict(status))
	})
	seen.Count("%s: PreFilter %s", name, kindOf(strings.TrimPrefix(filtering, "<nil>")))
	for _, node := range c.nodes {
		filter := func(of string, states func(i int, s side) fwk.CycleState, change func(s side, state fwk.CycleState, info fwk.NodeInfo)) {
			answer := agreeOn(t, sides, fmt.Sprintf("Filter %sof pod %s on %s", of, pod.Name, node.Name), func(i int, s side) string {
				info, err := s.lister.NodeInfos().Get(node.Name)
				must(err)
				state := states(i, s)
				if change != nil {
					info = info.Snapshot()
					change(s, state, info)
				}
				return verdict(s.plugin.Filter(ctx, state, pod, info))
			})
			seen.Count("%s: Filter %s%s", name, of, kindOf(answer))
		}
		filter("without PreFilter ", func(_ int, s side) fwk.CycleState { return s.newState() }, nil)
		if strings.HasSuffix(filtering, "Success: ") {
			filter("", func(i int, _ side) fwk.CycleState { return states[i] }, nil)
			filter("in a dry run ", func(i int, _ side) fwk.CycleState { return states[i].Clone() }, c.someDryRun(t, node, pod))
			filter("", func(i int, _ side) fwk.CycleState { return states[i] }, nil)
		}
	}
}

// someDryRun draws pods to remove from a node, and one to add, as preemption and nominated pods do.
func (c *cluster) someDryRun(t *difftest.Source, node *v1.Node, pod *v1.Pod) func(side, fwk.CycleState, fwk.NodeInfo) {
	var removed []*v1.Pod
	for _, p := range c.pods {
		if p.Spec.NodeName == node.Name && t.Bool() {
			removed = append(removed, p)
		}
	}
	added := somePod(t, c.name("p"))
	added.Spec.NodeName = node.Name
	adds := t.Bool()
	return func(s side, state fwk.CycleState, info fwk.NodeInfo) {
		extensions := s.plugin.PreFilterExtensions()
		for _, p := range removed {
			must(info.RemovePod(klog.Logger{}, p))
			if extensions != nil {
				must(extensions.RemovePod(context.Background(), state, pod, s.podInfo(p), info).AsError())
			}
		}
		if adds {
			info.AddPodInfo(s.podInfo(added))
			if extensions != nil {
				must(extensions.AddPod(context.Background(), state, pod, s.podInfo(added), info).AsError())
			}
		}
	}
}

func signature(fragments []fwk.SignFragment) string {
	var all []string
	for _, f := range fragments {
		all = append(all, f.Key+difftest.JSON(f.Value))
	}
	return strings.Join(all, "\n")
}

// kindOf is a verdict without names.
func kindOf(verdict string) string {
	for _, kind := range []string{"looking up PVC", "persistentvolumeclaim", "persistentvolume", "storageclass", "was not created for pod", "converting volume"} {
		if strings.Contains(verdict, kind) {
			code, _, _ := strings.Cut(verdict, ":")
			return code + ": " + kind
		}
	}
	verdict, _, _ = strings.Cut(verdict, "StorageClass \"")
	return verdict
}

func TestVolumePlugins_SameAnswers(t *testing.T) {
	seen := difftest.Coverage{}
	compared := difftest.Check(t, comparisons.Volumes.Cases, func(r *difftest.Source) {
		c := newCluster()
		c.fill(r)
		scaling := r.OneIn(3)
		var all [][]side
		for _, name := range []string{uprestrictions.Name, uplimits.CSIName, upzone.Name} {
			all = append(all, c.sides(name, scaling))
		}
		for range r.Range(1, 8) {
			for range r.Range(0, 4) {
				c.change(r)
			}
			c.refresh()
			pod := c.newPod(r)
			for _, sides := range all {
				c.compare(r, sides, pod, seen)
				c.compareHints(r, sides, pod, seen)
			}
		}
	})
	seen.Require(t, compared,
		"VolumeRestrictions: PreFilter Success: ", "VolumeRestrictions: PreFilter UnschedulableAndUnresolvable: persistentvolumeclaim",
		"VolumeRestrictions: Filter Unschedulable: node(s) had no available disk",
		"VolumeRestrictions: Filter Unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
		"VolumeRestrictions: Filter in a dry run Success: ", "VolumeRestrictions: Filter without PreFilter no state",
		"NodeVolumeLimits: Filter Success: ", "NodeVolumeLimits: Filter Unschedulable: node(s) exceed max volume count",
		"NodeVolumeLimits: Filter in a dry run Unschedulable: node(s) exceed max volume count",
		"NodeVolumeLimits: Filter UnschedulableAndUnresolvable: looking up PVC", "NodeVolumeLimits: Filter Error: was not created for pod",
		"NodeVolumeLimits: Filter Error: converting volume", "NodeVolumeLimits: Filter a CSI driver is not installed on the node",
		"NodeVolumeLimits: PreFilter Skip: ",
		"VolumeZone: PreFilter Success: ", "VolumeZone: Filter UnschedulableAndUnresolvable: node(s) had no available volume zone",
		"VolumeZone: PreFilter UnschedulableAndUnresolvable: persistentvolume", "VolumeZone: PreFilter UnschedulableAndUnresolvable: storageclass",
		"VolumeZone: PreFilter UnschedulableAndUnresolvable: PersistentVolume had no name",
		"VolumeZone: PreFilter UnschedulableAndUnresolvable: VolumeBindingMode not set for ",
	)
}
