package dynamicresources

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	updynamicresources "k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"

	"orrery/core/parity/claimwrites"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle/allocations"
	"orrery/core/parity/oracle/claimserver"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// hostedName is the name of kube-scheduler's plugin in Orrery, whose own cannot be replaced under its name.
const hostedName = "Hosted" + dynamicresources.Name

// theirPlugin is kube-scheduler's plugin under that name.
type theirPlugin struct {
	*updynamicresources.DynamicResources
}

func (theirPlugin) Name() string { return hostedName }

// Filter has the pools in the same order as Orrery's plugin.
func (p theirPlugin) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	return p.DynamicResources.Filter(allocations.WithPoolOrder(ctx), state, pod, node)
}

// host is Orrery's engine with one of the plugins, and the API server that it writes to. The plugin's PreBind runs on a
// goroutine of its own if it blocks.
type host struct {
	engine *engine.Engine
	server *claimserver.Server
	ctx    context.Context
	events []string
	nodes  []string // by pod
	atOnce bool     // whether a pod's plugin is under way while the next pod is decided

	mu    sync.Mutex
	ended []world.EffectDone
}

func newHost(ctx context.Context, set map[string]bool, theirs bool) *host {
	must(utilfeature.DefaultMutableFeatureGate.SetFromMap(set))
	features, err := config.ParseFeaturesOf(release.Newest, set)
	must(err)
	settings := config.Default(features)
	registry := framework.Registry{}
	if theirs {
		registry[hostedName] = func(ctx context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			plugin, err := updynamicresources.New(ctx, &upconfig.DynamicResourcesArgs{}, h, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
			if err != nil {
				return nil, err
			}
			return theirPlugin{plugin.(*updynamicresources.DynamicResources)}, nil
		}
		replace(settings)
	}
	h := &host{ctx: ctx, server: (&cluster{}).server()}
	h.server.Begin(nil)
	h.engine, err = engine.New(engine.Options{Config: settings, TieBreak: engine.ByHeap, Start: time.Now(), Plugins: registry, Client: claimserver.Client{Server: h.server}})
	must(err)
	return h
}

func replace(settings *config.Configuration) {
	for i := range settings.Profiles {
		multi := &settings.Profiles[i].Plugins.MultiPoint
		for j := range multi.Enabled {
			if multi.Enabled[j].Name == dynamicresources.Name {
				multi.Enabled[j].Name = hostedName
			}
		}
	}
}

// apply tells the engine something, at the time of the present pod.
func (h *host) apply(at time.Time, event world.Event) {
	must(h.engine.Apply(world.Input{At: at, Event: event}))
}

func (h *host) add(at time.Time, o world.Object) {
	o = o.DeepCopyObject().(world.Object)
	if claim, is := o.(*resourcev1.ResourceClaim); is {
		h.server.Lock()
		o = h.server.Put(claim)
		h.server.Unlock()
	}
	h.apply(at, world.Changed{Op: world.Added, Object: o})
}

// settle makes all decisions, and carries out what follows, until nothing is under way.
func (h *host) settle(at time.Time) (decisions []string) {
	for under := true; under; {
		for d, more := h.engine.Step(); more; d, more = h.engine.Step() {
			decisions = append(decisions, plain(fmt.Sprint(d.Pod.Name, " on ", d.Node, ": ", d.Message)))
			if h.atOnce {
				h.carryOut(at)
			}
		}
		under = h.write(at)
		under = h.deliver(at) || under
	}
	return decisions
}

// write carries out effects, and what follows from their answers: a pod's claims are written without a decision between two of them, as
// kube-scheduler's plugin writes them in one call. It reports whether there were any.
func (h *host) write(at time.Time) (some bool) {
	for h.carryOut(at) {
		h.deliver(at)
		some = true
	}
	return some
}

func plain(text string) string { return strings.ReplaceAll(text, hostedName, dynamicresources.Name) }

// carryOut carries out effects. A call of a plugin gets a goroutine, and the engine goes on meanwhile. It reports whether any gets an answer.
func (h *host) carryOut(at time.Time) (answered bool) {
	for _, effect := range h.engine.Effects() {
		switch act := effect.Action.(type) {
		case world.EmitEvent:
			h.events = append(h.events, plain(fmt.Sprint(act.Regarding.Name, " ", act.Reason, ": ", act.Note)))
			continue
		case world.RunPlugin:
			answered = true
			go func() {
				status := act.Call(h.ctx)
				h.answer(effect.ID, world.Outcome{Code: status.Code(), Message: status.Message()})
			}()
			continue
		case world.Bind:
			h.bound(at, act)
			h.answer(effect.ID, world.Outcome{})
			answered = true
			continue
		}
		answered = true
		outcome := claimwrites.CarryOut(h.server, effect.Action)
		if reserve, is := effect.Action.(world.ReserveResourceClaim); is && outcome.OK() {
			outcome.Version = h.server.Written[reserve.Claim.Name].ResourceVersion
		}
		h.answer(effect.ID, *outcome)
	}
	return answered
}

func (h *host) bound(at time.Time, act world.Bind) {
	h.nodes = append(h.nodes, act.Pod.Name+" on "+act.Node)
	pod := h.engine.Store().Pod(act.Pod.Namespace, act.Pod.Name).DeepCopy()
	pod.Spec.NodeName = act.Node
	h.apply(at, world.Changed{Op: world.Modified, Object: pod})
}

func (h *host) answer(id world.EffectID, outcome world.Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = append(h.ended, world.EffectDone{Effect: id, Outcome: outcome})
}

// deliver delivers the changes of claims, and then the answers, and reports whether there were any. Time passes until there are,
// as long as a plugin is under way.
func (h *host) deliver(at time.Time) bool {
	for range 200 {
		synctest.Wait() // until the plugin's goroutines have written what they write at once
		changes := h.changes()
		for _, change := range changes {
			h.apply(at, change)
		}
		h.mu.Lock()
		ended := h.ended
		h.ended = nil
		h.mu.Unlock()
		for _, one := range ended {
			h.apply(at, one)
		}
		if len(changes)+len(ended) > 0 {
			return true
		}
		if h.engine.BindingCount() == 0 {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	panic("a binding does not end")
}

// changes are those of claims that the engine has not been told.
func (h *host) changes() (all []world.Changed) {
	h.server.Lock()
	defer h.server.Unlock()
	var names []string
	for name := range h.server.Written {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		is, was := h.server.Written[name], h.engine.Devices().StoredClaim(v1.NamespaceDefault, name)
		switch {
		case is == nil && was != nil:
			all = append(all, world.Changed{Op: world.Deleted, Object: was})
		case is != nil && was == nil:
			all = append(all, world.Changed{Op: world.Added, Object: is})
		case is != nil && is.ResourceVersion != was.ResourceVersion:
			all = append(all, world.Changed{Op: world.Modified, Object: is})
		}
	}
	return all
}

// scenario is what both engines are told.
type scenario struct {
	gates   map[string]bool
	objects []world.Object
	pods    [][]*v1.Pod // those of one time
}

// drawScenario draws gates but those for binding conditions, under which kube-scheduler's plugin goes on later, and those under
// which it panics.
func drawScenario(r *difftest.Source) scenario {
	s := scenario{gates: map[string]bool{}}
	for _, gate := range gates {
		s.gates[gate.name] = r.OneIn(gate.other) != gate.on
	}
	s.gates["DRADeviceBindingConditions"], s.gates["DRAPartitionableDevices"] = false, false
	for _, name := range classNames {
		s.objects = append(s.objects, class(r, name))
	}
	for _, name := range nodes {
		s.objects = append(s.objects, node(r, name))
	}
	for _, one := range inventory(r) {
		s.objects = append(s.objects, one)
	}
	for _, name := range claimNames {
		s.objects = append(s.objects, claim(r, name))
	}
	for i := range r.Range(2, 8) {
		p := pod(r, i)
		if len(p.Spec.ResourceClaims) > 0 { // see createsEmptyClaim
			p.Spec.InitContainers, p.Spec.Containers = nil, mk.Pod("").Obj().Spec.Containers
		}
		if i > 0 && r.OneIn(3) {
			s.pods[len(s.pods)-1] = append(s.pods[len(s.pods)-1], p)
		} else {
			s.pods = append(s.pods, []*v1.Pod{p})
		}
	}
	return s
}

// result is what became of a scenario.
type result struct {
	Decisions, Events, Nodes []string
	Claims                   map[string]*resourcev1.ResourceClaim
}

// run has one engine schedule the pods of a scenario. Those of one time are bound at the same time.
func (s scenario) run(ctx context.Context, theirs, atOnce bool) result {
	ctx, cancel := context.WithCancel(ctx)
	defer time.Sleep(retries)
	defer cancel()
	h := newHost(ctx, s.gates, theirs)
	h.atOnce = atOnce
	at := time.Now()
	for _, o := range s.objects {
		h.add(at, o)
	}
	var got result
	for _, pods := range s.pods {
		for _, pod := range pods {
			h.add(at, pod)
		}
		got.Decisions = append(got.Decisions, h.settle(at)...)
		must(h.engine.Check())
		at = at.Add(10 * time.Second)
		h.apply(at, world.Tick{})
	}
	slices.Sort(h.events)
	slices.Sort(h.nodes)
	got.Events, got.Nodes, got.Claims = h.events, h.nodes, renamed(normalized(h.server.Written))
	return got
}

// renamed returns claims without the ends of their names that are chosen by chance, and their users in order: pods of one time
// are bound in any.
func renamed(claims map[string]*resourcev1.ResourceClaim) map[string]*resourcev1.ResourceClaim {
	all := map[string]*resourcev1.ResourceClaim{}
	for name, claim := range claims {
		if claim != nil && claim.GenerateName != "" {
			name, claim.Name, claim.UID = claim.GenerateName, "", ""
		}
		if claim != nil {
			slices.SortFunc(claim.Status.ReservedFor, func(a, b resourcev1.ResourceClaimConsumerReference) int { return strings.Compare(a.Name, b.Name) })
		}
		all[name] = claim
	}
	return all
}

// kube-scheduler's plugin in Orrery decides and writes what Orrery's does.
func TestHosted_SameDecisions(t *testing.T) {
	n := difftest.Check(t, comparisons.HostedDevices.Cases, func(r *difftest.Source) {
		s := drawScenario(r)
		var theirs, ours result
		var failure any
		for into, hosted := range map[*result]bool{&theirs: true, &ours: false} {
			synctest.Test(t, func(t *testing.T) {
				defer func() { failure = recover() }()
				*into = s.run(t.Context(), hosted, false)
			})
			if failure != nil {
				panic(failure)
			}
		}
		if diff := cmp.Diff(theirs, ours); diff != "" {
			r.Fatalf("gates %v (-kube-scheduler's plugin +Orrery's):\n%s", s.gates, diff)
		}
		for range ours.Nodes {
			hostedSeen.Count("bound")
		}
	})
	hostedSeen.Require(t, n, "bound")
}

// The plugin's goroutines run beside the engine, which the race detector sees, and no device is given twice.
func TestHosted_BesideEngine(t *testing.T) {
	n := difftest.Check(t, 50, func(r *difftest.Source) {
		s := drawScenario(r)
		for i := range s.pods[1:] { // all at one time
			s.pods[0] = append(s.pods[0], s.pods[i+1]...)
		}
		s.pods = s.pods[:1]
		var got result
		var failure any
		synctest.Test(t, func(t *testing.T) {
			defer func() { failure = recover() }()
			got = s.run(t.Context(), true, true)
		})
		if failure != nil {
			panic(failure)
		}
		owners := map[string]string{}
		for name, claim := range got.Claims {
			for _, id := range devicesOf(claim) {
				if owners[id] != "" {
					r.Fatalf("device %s is given to %s and to %s", id, owners[id], name)
				}
				owners[id] = name
			}
		}
		hostedSeen.Count("bound at one time: %v", len(got.Nodes) > 1)
	})
	hostedSeen.Require(t, n, "bound at one time: true")
}

// devicesOf lists the devices that a claim has for itself.
func devicesOf(claim *resourcev1.ResourceClaim) (ids []string) {
	if claim == nil || claim.Status.Allocation == nil {
		return nil
	}
	for _, result := range claim.Status.Allocation.Devices.Results {
		if result.AdminAccess == nil && result.ShareID == nil {
			ids = append(ids, result.Driver+"/"+result.Pool+"/"+result.Device)
		}
	}
	return ids
}

var hostedSeen = difftest.Coverage{}
