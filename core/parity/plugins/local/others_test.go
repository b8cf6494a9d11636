package local

import (
	"context"
	"errors"
	"testing"
	"time"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes"
	"orrery/core/testing/mk"
	"orrery/core/world"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	upbinder "k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	uppreemption "k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	updynamic "k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	upimagelocality "k8s.io/kubernetes/pkg/scheduler/framework/plugins/imagelocality"
	upaffinity "k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	upnodeaffinity "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	updeclared "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodedeclaredfeatures"
	upnodename "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	upnodeports "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	upnoderesources "k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	upunschedulable "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	uplimits "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	upspread "k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	upsort "k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	upgates "k8s.io/kubernetes/pkg/scheduler/framework/plugins/schedulinggates"
	uptaints "k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	upvolumebinding "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	uprestrictions "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumerestrictions"
	upzone "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumezone"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

// ourPlugin returns one of Orrery's plugins with the default args.
func ourPlugin(t testing.TB, name string, h fwk.Handle) fwk.Plugin {
	features := config.FeaturesOf(release.Newest)
	p, err := plugins.Registry(features)[name](t.Context(), config.DefaultArgs(name, features), h)
	if err != nil {
		t.Fatalf("creating %s: %v", name, err)
	}
	return p
}

func TestQueueSort_Same(t *testing.T) {
	theirs, err := upsort.New(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ours := ourPlugin(t, upsort.Name, nil)
	queued := func(t *difftest.Source, name string) *upframework.QueuedPodInfo {
		b := mk.Pod(name)
		if t.Bool() {
			b.Priority(int32(t.Range(-1, 2)))
		}
		info, err := upframework.NewPodInfo(b.Obj())
		if err != nil {
			t.Fatalf("%v", err)
		}
		return &upframework.QueuedPodInfo{PodInfo: info, QueueingParams: upframework.QueueingParams{Timestamp: time.Unix(0, int64(t.Range(0, 2)))}}
	}
	difftest.Check(t, comparisons.NodePlugins.Cases, func(t *difftest.Source) {
		a, b := queued(t, "a"), queued(t, "b")
		want, got := theirs.(fwk.QueueSortPlugin).Less(a, b), ours.(fwk.QueueSortPlugin).Less(a, b)
		if want != got {
			t.Fatalf("a sorts before b: kube-scheduler %v, Orrery %v\n%s\n%s", want, got, show(a), show(b))
		}
	})
}

// client is a handle with a client.
type client struct {
	fwk.Handle
	clientset.Interface
}

func (c client) ClientSet() clientset.Interface { return c.Interface }
func (c client) APICacher() fwk.APICacher       { return nil }

func TestBind_Same(t *testing.T) {
	for name, bindErr := range map[string]error{"the binding succeeds": nil, "the binding fails": errors.New("no")} {
		t.Run(name, func(t *testing.T) {
			api := fake.NewClientset()
			var sent []runtime.Object
			api.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
				sent = append(sent, action.(clienttesting.CreateAction).GetObject())
				return true, nil, bindErr
			})
			h := client{Interface: api}
			theirs, err := upbinder.New(t.Context(), nil, h)
			if err != nil {
				t.Fatal(err)
			}
			pod := mk.Pod("p").Namespace("shop").Obj()
			var statuses []string
			for _, p := range []fwk.Plugin{theirs, ourPlugin(t, upbinder.Name, h)} {
				statuses = append(statuses, statusText(p.(fwk.BindPlugin).Bind(context.Background(), nil, pod, "n1")))
			}
			if statuses[0] != statuses[1] {
				t.Errorf("status: kube-scheduler %q, Orrery %q", statuses[0], statuses[1])
			}
			if diff := cmp.Diff(sent[0], sent[1]); diff != "" || len(sent) != 2 {
				t.Errorf("bindings (-kube-scheduler +Orrery):\n%s", diff)
			}
		})
	}
}

// extensionPoints returns the extension points that a plugin implements; a nil pointer of its type is enough.
func extensionPoints(p fwk.Plugin) map[string]bool {
	points := map[string]bool{}
	mark := func(implemented bool, point string) {
		if implemented {
			points[point] = true
		}
	}
	_, preEnqueue := p.(fwk.PreEnqueuePlugin)
	_, queueSort := p.(fwk.QueueSortPlugin)
	_, preFilter := p.(fwk.PreFilterPlugin)
	_, filter := p.(fwk.FilterPlugin)
	_, postFilter := p.(fwk.PostFilterPlugin)
	_, preScore := p.(fwk.PreScorePlugin)
	_, score := p.(fwk.ScorePlugin)
	_, normalize := p.(fwk.ScoreExtensions)
	_, reserve := p.(fwk.ReservePlugin)
	_, permit := p.(fwk.PermitPlugin)
	_, preBind := p.(fwk.PreBindPlugin)
	_, bind := p.(fwk.BindPlugin)
	_, postBind := p.(fwk.PostBindPlugin)
	_, enqueue := p.(fwk.EnqueueExtensions)
	_, sign := p.(fwk.SignPlugin)
	mark(preEnqueue, "PreEnqueue")
	mark(queueSort, "QueueSort")
	mark(preFilter, "PreFilter")
	mark(filter, "Filter")
	mark(postFilter, "PostFilter")
	mark(preScore, "PreScore")
	mark(score, "Score")
	mark(normalize, "NormalizeScore")
	mark(reserve, "Reserve")
	mark(permit, "Permit")
	mark(preBind, "PreBind")
	mark(bind, "Bind")
	mark(postBind, "PostBind")
	mark(enqueue, "EnqueueExtensions")
	mark(sign, "Sign")
	return points
}

// everything is a handle with the methods that plugins' constructors call.
type everything struct{ fwk.Handle }

func (everything) SharedInformerFactory() informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(nil, 0)
}
func (everything) SnapshotSharedLister() fwk.SharedLister { return cache.NewSnapshot() }
func (everything) Parallelizer() fwk.Parallelizer         { return nil }
func (everything) SharedDRAManager() fwk.SharedDRAManager { return noDevices }
func (e everything) SharedCSIManager() fwk.CSIManager {
	return framework.CSINodes(e.SharedInformerFactory())
}
func (everything) Volumes() *volumes.State                   { return volumes.New(store.New()) }
func (everything) Devices() *devices.State                   { return devices.New(store.New(), devices.Gates{}) }
func (everything) Emit(world.Action, string) world.EffectID  { return 0 }
func (everything) IntN(int) int                              { return 0 }
func (everything) Now() time.Time                            { return time.Time{} }
func (everything) EventRecorder() events.EventRecorderLogger { return nil }

func TestExtensionPoints_Same(t *testing.T) {
	for name, theirs := range map[string]fwk.Plugin{
		upgates.Name:                           (*upgates.SchedulingGates)(nil),
		upsort.Name:                            (*upsort.PrioritySort)(nil),
		upunschedulable.Name:                   (*upunschedulable.NodeUnschedulable)(nil),
		upnodename.Name:                        (*upnodename.NodeName)(nil),
		uptaints.Name:                          (*uptaints.TaintToleration)(nil),
		upnodeaffinity.Name:                    (*upnodeaffinity.NodeAffinity)(nil),
		upnodeports.Name:                       (*upnodeports.NodePorts)(nil),
		upnoderesources.Name:                   (*upnoderesources.Fit)(nil),
		uprestrictions.Name:                    (*uprestrictions.VolumeRestrictions)(nil),
		uplimits.CSIName:                       (*uplimits.CSILimits)(nil),
		upvolumebinding.Name:                   (*upvolumebinding.VolumeBinding)(nil),
		upzone.Name:                            (*upzone.VolumeZone)(nil),
		upspread.Name:                          (*upspread.PodTopologySpread)(nil),
		upaffinity.Name:                        (*upaffinity.InterPodAffinity)(nil),
		updynamic.Name:                         (*updynamic.DynamicResources)(nil),
		uppreemption.Name:                      (*uppreemption.DefaultPreemption)(nil),
		upnoderesources.BalancedAllocationName: (*upnoderesources.BalancedAllocation)(nil),
		upimagelocality.Name:                   (*upimagelocality.ImageLocality)(nil),
		upbinder.Name:                          (*upbinder.DefaultBinder)(nil),
		updeclared.Name:                        (*updeclared.NodeDeclaredFeatures)(nil),
	} {
		want := extensionPoints(theirs)
		if diff := cmp.Diff(want, extensionPoints(ourPlugin(t, name, everything{}))); diff != "" {
			t.Errorf("%s (-kube-scheduler +Orrery):\n%s", name, diff)
		}
	}
}
