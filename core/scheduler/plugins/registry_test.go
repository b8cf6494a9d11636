package plugins_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins"
	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// host is a handle with the methods that plugins' constructors call.
type host struct{ fwk.Handle }

func (host) SharedInformerFactory() informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(nil, 0)
}
func (host) SnapshotSharedLister() fwk.SharedLister    { return cache.NewSnapshot() }
func (host) Parallelizer() fwk.Parallelizer            { return nil }
func (host) Volumes() *volumes.State                   { return volumes.New(store.New()) }
func (host) Devices() *devices.State                   { return devices.New(store.New(), devices.Gates{}) }
func (host) EventRecorder() events.EventRecorderLogger { return nil }
func (host) Emit(world.Action, string) world.EffectID  { return 0 }
func (host) IntN(int) int                              { return 0 }
func (host) Now() time.Time                            { return time.Time{} }
func (h host) SharedCSIManager() fwk.CSIManager        { return framework.CSINodes(h.SharedInformerFactory()) }

// points returns the names of the extension points that a plugin implements, in the order of the scheduling cycle.
func points(p fwk.Plugin) string {
	var names []string
	add := func(implemented bool, name string) {
		if implemented {
			names = append(names, name)
		}
	}
	_, preEnqueue := p.(fwk.PreEnqueuePlugin)
	_, queueSort := p.(fwk.QueueSortPlugin)
	_, preFilter := p.(fwk.PreFilterPlugin)
	_, filter := p.(fwk.FilterPlugin)
	_, postFilter := p.(fwk.PostFilterPlugin)
	_, preScore := p.(fwk.PreScorePlugin)
	scorer, score := p.(fwk.ScorePlugin)
	_, reserve := p.(fwk.ReservePlugin)
	_, permit := p.(fwk.PermitPlugin)
	_, preBind := p.(fwk.PreBindPlugin)
	_, bind := p.(fwk.BindPlugin)
	_, postBind := p.(fwk.PostBindPlugin)
	_, enqueue := p.(fwk.EnqueueExtensions)
	_, sign := p.(fwk.SignPlugin)
	add(preEnqueue, "PreEnqueue")
	add(queueSort, "QueueSort")
	add(preFilter, "PreFilter")
	add(filter, "Filter")
	add(postFilter, "PostFilter")
	add(preScore, "PreScore")
	add(score, "Score")
	add(score && scorer.ScoreExtensions() != nil, "Normalize")
	add(reserve, "Reserve")
	add(permit, "Permit")
	add(preBind, "PreBind")
	add(bind, "Bind")
	add(postBind, "PostBind")
	add(enqueue, "Enqueue")
	add(sign, "Sign")
	return strings.Join(names, " ")
}

// The extension points of kube-scheduler's 21 plugins, and of one more. They decide in which lists of a configuration a plugin may be
// enabled.
// Shows FRAME-01 and FRAME-31.
func TestRegistry_ExtensionPoints(t *testing.T) {
	want := map[string]string{
		"SchedulingGates":                 "PreEnqueue Enqueue",
		"PrioritySort":                    "QueueSort",
		"NodeUnschedulable":               "Filter Enqueue Sign",
		"NodeName":                        "Filter Enqueue Sign",
		"TaintToleration":                 "Filter PreScore Score Normalize Enqueue Sign",
		"NodeAffinity":                    "PreFilter Filter PreScore Score Normalize Enqueue Sign",
		"NodePorts":                       "PreFilter Filter Enqueue Sign",
		"NodeResourcesFit":                "PreFilter Filter PreScore Score Enqueue Sign",
		"VolumeRestrictions":              "PreFilter Filter Enqueue Sign",
		"NodeVolumeLimits":                "PreFilter Filter Enqueue Sign",
		"VolumeBinding":                   "PreFilter Filter PreScore Score Reserve PreBind Enqueue Sign",
		"VolumeZone":                      "PreFilter Filter Enqueue Sign",
		"PodTopologySpread":               "PreFilter Filter PreScore Score Normalize Enqueue Sign",
		"InterPodAffinity":                "PreFilter Filter PreScore Score Normalize Enqueue Sign",
		"DynamicResources":                "PreEnqueue PreFilter Filter PostFilter Score Normalize Reserve PreBind Enqueue Sign",
		"DefaultPreemption":               "PreEnqueue PostFilter Enqueue",
		"NodeResourcesBalancedAllocation": "PreScore Score Sign",
		"ImageLocality":                   "Score Sign",
		"DefaultBinder":                   "Bind",
		"NodeDeclaredFeatures":            "PreFilter Filter Enqueue Sign",
		"GangScheduling":                  "PreEnqueue Reserve Permit Enqueue",
		"UnreadableVolumes":               "PreEnqueue PreFilter Enqueue Sign", // Orrery's own
	}
	features := config.DefaultFeatures()
	got := map[string]string{}
	for name, factory := range plugins.Registry(features) {
		plugin, err := factory(t.Context(), config.DefaultArgs(name, features), host{})
		if err != nil {
			t.Errorf("creating %s: %v", name, err)
			continue
		}
		if plugin.Name() != name {
			t.Errorf("%s has the name %s", name, plugin.Name())
		}
		got[name] = points(plugin)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("extension points by plugin (-want +got):\n%s", diff)
	}
}

// The default configuration enables plugins at every extension point; all must exist and implement their points.
func TestRegistry_DefaultProfile(t *testing.T) {
	for name, gates := range map[string]map[string]bool{
		"the default gates":       nil,
		"all gates of plugins on": {"NodeDeclaredFeatures": true, "GenericWorkload": true, "GangScheduling": true},
	} {
		t.Run(name, func(t *testing.T) {
			features, err := config.ParseFeatures(gates)
			if err != nil {
				t.Fatal(err)
			}
			objects := informers.NewSharedInformerFactory(nil, 0)
			_, err = framework.NewProfile(t.Context(), plugins.Registry(features), config.Default(features).Profiles[0], framework.Options{
				Snapshot: cache.NewSnapshot(), Informers: objects, CSI: framework.CSINodes(objects), Features: features,
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRegistry_ReturnsNewMap(t *testing.T) {
	factory := func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return nil, nil }
	mine := plugins.Registry(config.DefaultFeatures())
	if err := mine.Register("Mine", factory); err != nil {
		t.Fatal(err)
	}
	if _, leaked := plugins.Registry(config.DefaultFeatures())["Mine"]; leaked {
		t.Error("a plugin registered with one registry is in the next")
	}
}
