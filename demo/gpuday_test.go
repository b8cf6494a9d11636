package demo_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

const byDeviceTaint = "DeletionByDeviceTaintManager"

// failing is the GPU that fails at 70 s and is repaired at 94 s.
var failing = gpuID{"serve-b-2", "a100-0"}

func TestGPUDay_HundredGPUs(t *testing.T) {
	d := openGPUDay(t)
	models := map[string]int{}
	for _, one := range d.at(time.Second).whole {
		models[one.model]++
	}
	if len(models) != 2 || models["h100"] != 48 || models["a100"] != 52 {
		t.Errorf("the GPUs are %v, want 48 h100 and 52 a100", models)
	}
	r, err := trace.NewReader(bytes.NewReader(bytesOf(t, "gpu-day")))
	if err != nil {
		t.Fatal(err)
	}
	features, err := config.ParseFeatures(r.Header().FeatureGates)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"DRAConsumableCapacity=true", "DRADeviceTaints=true", "DRAExtendedResource=true", "DRAPartitionableDevices=true"}
	if got := features.Changed(); !slices.Equal(got, want) {
		t.Errorf("the gates beside the defaults are %v, want %v", got, want)
	}
}

// allocationObserver looks at all devices whenever a claim has got some.
type allocationObserver struct {
	t      *testing.T
	engine *engine.Engine
	seen   map[types.UID]bool
}

func (o *allocationObserver) Applied(in world.Input, _ error) {
	changed, _ := in.Event.(world.Changed)
	claim, ok := changed.Object.(*resourcev1.ResourceClaim)
	if !ok || claim.Status.Allocation == nil || o.seen[claim.UID] {
		return
	}
	o.seen[claim.UID] = true
	if problem := gpusOf(o.engine).overcommitted(); problem != "" {
		o.t.Errorf("at %v %s", in.At, problem)
	}
}

func (o *allocationObserver) Stepped(*engine.Decision) {}
func (o *allocationObserver) Emitted(world.Effect)     {}
func (o *allocationObserver) Fork() play.Follower      { panic("a replay does not fork") }

func TestGPUDay_NoDeviceTwice(t *testing.T) {
	o := &allocationObserver{t: t, seen: map[types.UID]bool{}}
	_, _, err := play.Replay(bytes.NewReader(bytesOf(t, "gpu-day")), play.Options{Follower: func(e *engine.Engine) play.Follower {
		o.engine = e
		return o
	}})
	if err != nil || len(o.seen) < 200 {
		t.Errorf("%d claims got devices, want 200: %v", len(o.seen), err)
	}
}

// A job of eight GPUs finds twelve, two on each node, and waits until a node has eight.
func TestGPUDay_Fragmentation(t *testing.T) {
	w, d := observe(t, "gpu-day"), openGPUDay(t)
	first := slices.IndexFunc(w.decisions, isOf("train-large"))
	reason := engine.Rejection{Plugin: "DynamicResources", Reason: "cannot allocate all claims", Nodes: 19}
	if got := w.decisions[first]; got.Verdict != engine.Unschedulable || !slices.Contains(got.Rejections, reason) {
		t.Errorf("train-large is %s first: %v, want %v", got.Verdict, got.Rejections, reason)
	}
	total, byNode := d.at(w.when[first]).free("h100")
	if total != 12 || len(byNode) != 6 || byNode["train-a-1"] != 2 {
		t.Errorf("then %d H100s are free, %v, want 12, two on each node", total, byNode)
	}
	placed := -1
	for i, of := range w.decisions {
		if isOf("train-large")(of) && of.Verdict == engine.Placed {
			placed = i
		}
	}
	if placed < 0 || w.when[placed]-w.when[first] < 15*time.Second {
		t.Fatalf("train-large is placed by decision %d, want a while after its first", placed)
	}
	_, byNode = d.at(w.when[placed]).free("h100")
	for node, n := range byNode {
		if want := map[bool]int{true: 8, false: 2}[node == w.decisions[placed].Node]; n != want {
			t.Errorf("when train-large is placed on %s, %d H100s are free on %s, want %d", w.decisions[placed].Node, n, node, want)
		}
	}
}

func isOf(workload string) func(engine.Decision) bool {
	return func(d engine.Decision) bool {
		return strings.HasPrefix(d.Pod.Name, workload+"-") && !strings.Contains(d.Pod.Name[len(workload)+1:], "-")
	}
}

// A prioritized list takes H100s as long as a node has two, then A100s.
func TestGPUDay_FallsBack(t *testing.T) {
	d := openGPUDay(t)
	now := d.at(52 * time.Second)
	took := map[string]int{}
	for id, claims := range now.claims {
		for _, claim := range claims {
			if claim.Annotations["resource.kubernetes.io/pod-claim-name"] != "gpus" || claim.Spec.Devices.Requests[0].FirstAvailable == nil {
				continue
			}
			for _, r := range claim.Status.Allocation.Devices.Results {
				if model := now.whole[id].model; r.Request != "devices/"+model {
					t.Errorf("claim %s got the %s %v for request %s", claim.Name, model, id, r.Request)
				}
			}
			took[now.whole[id].model]++
		}
	}
	if took["h100"] != 10 || took["a100"] != 14 {
		t.Errorf("twelve claims for two GPUs got %v, want 10 h100 and 14 a100", took)
	}
	if total, byNode := now.free("h100"); total > 0 {
		t.Errorf("%d H100s are free, %v, want none", total, byNode)
	}
}

// All pods that share a failed GPU are evicted, and no others. They find room on other GPUs; the failed one is used again
// once it is repaired.
func TestGPUDay_FailedGPU(t *testing.T) {
	w, d := observe(t, "gpu-day"), openGPUDay(t)
	var held []string
	for _, claim := range d.at(70*time.Second - time.Millisecond).claims[failing] {
		held = append(held, claim.Status.ReservedFor[0].Name)
	}
	replicas := map[string]int{"chat": len(d.pods("chat")), "search": len(d.pods("search"))}
	var evicted []string
	workloads := map[string]bool{}
	for _, e := range w.evictions(byDeviceTaint, "") {
		evicted = append(evicted, e.pod.Name)
		workloads[app(e.pod)] = true
		if e.at < 70*time.Second || e.at > 71*time.Second {
			t.Errorf("%s is evicted at %v, want at 70 s", e.pod.Name, e.at)
		}
	}
	slices.Sort(held)
	slices.Sort(evicted)
	if !slices.Equal(held, evicted) || len(evicted) != 3 || len(workloads) != 2 {
		t.Errorf("%v share the GPU and %v are evicted, want the same three of two workloads", held, evicted)
	}
	w.eventsOf(t, trace.Eviction, byDeviceTaint)

	now := d.at(79 * time.Second)
	for workload, n := range replicas {
		running := slices.DeleteFunc(d.pods(workload), func(pod *v1.Pod) bool { return pod.Status.Phase != v1.PodRunning })
		if len(running) != n {
			t.Errorf("%d pods of %s run after the failure, want %d", len(running), workload, n)
		}
	}
	if claims := now.claims[failing]; len(claims) > 0 {
		t.Errorf("claim %s has the failed GPU", claims[0].Name)
	}
	if len(d.at(94 * time.Second).claims[failing]) > 0 || len(d.at(104 * time.Second).claims[failing]) == 0 {
		t.Error("the failed GPU is used before it is repaired, or not after it")
	}
}

// Notebooks have quarters of GPUs, of which no pod has the whole.
func TestGPUDay_Partitions(t *testing.T) {
	d := openGPUDay(t)
	now := d.at(40 * time.Second)
	quarters, divided := 0, 0
	for id := range now.whole {
		if n := now.inUse(id); n > 0 {
			quarters += n
			divided++
		}
	}
	if notebooks := len(d.pods("notebook")); quarters != notebooks || quarters < 30 || divided > quarters/3 {
		t.Errorf("%d notebooks have %d quarters of %d GPUs", notebooks, quarters, divided)
	}
}

// Pods that request a plain resource have GPUs of a claim that the scheduler made.
func TestGPUDay_ExtendedResource(t *testing.T) {
	d := openGPUDay(t)
	now := d.at(90 * time.Second)
	rendering := d.pods("render")
	for _, pod := range rendering {
		status := pod.Status.ExtendedResourceClaimStatus
		if status == nil || pod.Status.Phase != v1.PodRunning {
			t.Errorf("%s is %s and has the claim %v", pod.Name, pod.Status.Phase, status)
			continue
		}
		claim := d.player.Engine().Store().Object(world.ResourceClaim, pod.Namespace, status.ResourceClaimName).(*resourcev1.ResourceClaim)
		id := gpuID{claim.Status.Allocation.Devices.Results[0].Pool, claim.Status.Allocation.Devices.Results[0].Device}
		if whole := now.whole[id]; whole == nil || whole.model != "a100" || len(now.claims[id]) != 1 {
			t.Errorf("%s has %v, want an A100 of its own", pod.Name, id)
		}
	}
	if len(rendering) != 4 {
		t.Errorf("%d rendering pods, want 4", len(rendering))
	}
	if waits := observe(t, "gpu-day").pendingReasons(); len(waits) > 0 {
		t.Errorf("pending at the end: %v", waits)
	}
}
