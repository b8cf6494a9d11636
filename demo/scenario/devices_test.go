package scenario_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// deviceObserver knows the slices, classes and claims that a scheduler was told of.
type deviceObserver struct{ objects map[string]string }

func (l *deviceObserver) Applied(in world.Input, _ error) {
	switch e := in.Event.(type) {
	case world.Listed:
		for _, o := range e.Objects {
			l.learn(world.Added, o)
		}
	case world.Changed:
		l.learn(e.Op, e.Object)
	}
}

func (l *deviceObserver) learn(op world.Op, o world.Object) {
	var words []string
	switch o := o.(type) {
	case *resourcev1.ResourceSlice:
		words = append(words, "slice of", o.Spec.Pool.Name, fmt.Sprintf("1/%d:", o.Spec.Pool.ResourceSliceCount))
		for _, d := range o.Spec.Devices {
			word := d.Name
			if len(d.BindingConditions) > 0 {
				word += "?" + d.BindingConditions[0]
			}
			if len(d.Taints) > 0 {
				word += "!" + d.Taints[0].Key
			}
			words = append(words, word)
		}
		for _, set := range o.Spec.SharedCounters {
			words = append(words, "counters of "+set.Name)
		}
		if o.Spec.NodeSelector != nil {
			words = append(words, "in "+o.Spec.NodeSelector.NodeSelectorTerms[0].MatchExpressions[0].Values[0])
		}
	case *resourcev1.DeviceClass:
		words = append(words, "class", o.Name)
		for _, s := range o.Spec.Selectors {
			words = append(words, "("+s.CEL.Expression+")")
		}
	case *resourcev1.ResourceClaim:
		words = append(words, "claim", strings.TrimSuffix(o.GenerateName, "-"))
		if o.GenerateName == "" {
			words[1] = o.Name
		}
		for _, r := range o.Spec.Devices.Requests {
			if r.Exactly != nil {
				words = append(words, fmt.Sprintf("%d %s", r.Exactly.Count, r.Exactly.DeviceClassName)+capacityText(r.Exactly.Capacity))
			}
			for _, sub := range r.FirstAvailable {
				words = append(words, fmt.Sprintf("or %d %s", sub.Count, sub.DeviceClassName)+capacityText(sub.Capacity))
			}
		}
		for _, c := range o.Spec.Devices.Constraints {
			words = append(words, "same", string(*c.MatchAttribute))
		}
	default:
		return
	}
	key := fmt.Sprintf("%s %s/%s", world.KindOf(o), o.GetNamespace(), o.GetName())
	if l.objects[key] = strings.Join(words, " "); op == world.Deleted {
		delete(l.objects, key)
	}
}

func capacityText(c *resourcev1.CapacityRequirements) string {
	text := ""
	if c != nil {
		for _, name := range slices.Sorted(maps.Keys(c.Requests)) {
			q := c.Requests[name]
			text += fmt.Sprintf(" with %s %s", &q, name)
		}
	}
	return text
}

func (l *deviceObserver) Stepped(*engine.Decision) {}
func (l *deviceObserver) Emitted(world.Effect)     {}

// devicesAtEnd plays a scenario and lists the slices, classes and claims at its end.
func devicesAtEnd(t *testing.T, text string) ([]string, error) {
	t.Helper()
	l := &deviceObserver{objects: map[string]string{}}
	_, err := parsed(t, text).Play(func(*engine.Engine, engine.Options) (drive.Observer, error) { return l, nil }, nil)
	var all []string
	for _, text := range l.objects {
		all = append(all, text)
	}
	slices.Sort(all)
	return all, err
}

func wantDevices(t *testing.T, text string, want ...string) {
	t.Helper()
	got, err := devicesAtEnd(t, text)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
}

// gpuCluster has two nodes with two devices each.
const gpuCluster = `
cluster:
  nodes: [{name: train, count: 2, cpu: 64, memory: 256Gi, zone: east, devices: {a100: 2}}]
  devices:
    models: {a100: {driver: gpu.example.com, attributes: {numa: 0, fast: true, driver: 1.2.3}, capacity: {memory: 80Gi}}}
`

// Shows DRA-02 and DRA-12.
func TestDevices_ClassesAndSlices(t *testing.T) {
	wantDevices(t, gpuCluster+`
    classes:
      gpu: gpu.example.com
      a100: a100
      large: {driver: gpu.example.com, selector: "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) > 0"}
    pools: [{name: fabric, model: a100, count: 1, nodes: zone=east}]
`, `class a100 (device.driver == "gpu.example.com") (device.attributes["gpu.example.com"].model == "a100")`,
		`class gpu (device.driver == "gpu.example.com")`,
		`class large (device.driver == "gpu.example.com") (device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) > 0)`,
		"slice of fabric 1/1: a100-0 in east", "slice of train-1 1/1: a100-0 a100-1", "slice of train-2 1/1: a100-0 a100-1")
}

func TestDevices_CapacityOfShared(t *testing.T) {
	wantDevices(t, `
cluster:
  nodes: [{name: n, cpu: 4, memory: 8Gi}]
  devices:
    models: {a100: {driver: gpu.example.com, shared: true, capacity: {memory: 80Gi}}}
    classes: {gpu: gpu.example.com, best: gpu.example.com}
    claims: [{name: part, class: gpu, capacity: {memory: 20Gi}}, {name: any, anyOf: [best, gpu], capacity: {cores: 2, memory: 10Gi}}]
`, "claim any or 1 best with 2 cores with 10Gi memory or 1 gpu with 2 cores with 10Gi memory", "claim part 1 gpu with 20Gi memory",
		`class best (device.driver == "gpu.example.com")`, `class gpu (device.driver == "gpu.example.com")`)
}

// A pod whose device fails is evicted, if the scheduler reads the taints of devices, and gets another one.
func TestDevices_FailedDeviceEvictsPod(t *testing.T) {
	const story = gpuCluster + `
    classes: {gpu: gpu.example.com}
workloads: [{statefulset: train, devices: {gpu: gpu}}]
steps: [{at: 20s, devices: {fail: {"*": a100-0}}}]
`
	for gates, want := range map[string]string{"{DRADeviceTaints: true}": "a100-1", "{}": "a100-0"} {
		e, err := parsed(t, story+"scheduler: {featureGates: "+gates+"}\n").Play(func(*engine.Engine, engine.Options) (drive.Observer, error) {
			return &deviceObserver{objects: map[string]string{}}, nil
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.PodState("default", "train-0"); got != engine.StateBound {
			t.Errorf("with the gates %s the pod is %s", gates, got)
		}
		for o := range e.Store().Objects(world.ResourceClaim) {
			if got := o.(*resourcev1.ResourceClaim).Status.Allocation.Devices.Results[0].Device; got != want {
				t.Errorf("with the gates %s the pod has %s at the end, want %s", gates, got, want)
			}
		}
	}
}

// What happens to devices and drivers, and after a warm-up.
func TestDevices_Steps(t *testing.T) {
	const untouched = "slice of train-2 1/1: a100-0 a100-1"
	for name, row := range map[string]struct {
		steps string
		want  []string
	}{
		"a device fails":                  {"{at: 1s, devices: {fail: {train-1: a100-1}}}", []string{"slice of train-1 1/1: a100-0 a100-1!gpu.example.com/failed", untouched}},
		"it is repaired":                  {"{at: 1s, devices: {fail: {train-1: a100-1}}}, {at: 9s, devices: {repair: {train-1: 'a100-*'}}}", []string{"slice of train-1 1/1: a100-0 a100-1", untouched}},
		"devices are plugged in":          {"{at: 1s, devices: {plug: {train-1: {a100: 2}}}}", []string{"slice of train-1 1/1: a100-0 a100-1 a100-2 a100-3", untouched}},
		"one is plugged out and in":       {"{at: 1s, devices: {unplug: {train-1: a100-0}}}, {at: 9s, devices: {plug: {train-1: {a100: 1}}}}", []string{"slice of train-1 1/1: a100-1 a100-0", untouched}},
		"a driver goes":                   {"{at: 1s, devices: {stopDrivers: {gpu.example.com: train-1}}}", []string{untouched}},
		"a driver goes and comes back":    {"{at: 1s, devices: {stopDrivers: {gpu.example.com: 'train-*'}}}, {at: 40s, devices: {startDrivers: {gpu.example.com: train-2}}}", []string{untouched}},
		"a node is removed":               {"{at: 1s, remove: train-1}", []string{untouched}},
		"a node with devices is added":    {"{at: 1s, add: [{name: more, cpu: 64, memory: 256Gi, devices: {a100: 1}}]}", []string{"slice of more 1/1: a100-0", "slice of train-1 1/1: a100-0 a100-1", untouched}},
		"every node of a label is struck": {"{at: 1s, devices: {unplug: {zone=east: 'a100-1'}}}", []string{"slice of train-1 1/1: a100-0", "slice of train-2 1/1: a100-0"}},
	} {
		for _, warmup := range []string{"", "warmup: 10m\n"} {
			t.Run(name+warmup, func(t *testing.T) {
				wantDevices(t, warmup+gpuCluster+"steps: ["+row.steps+"]\n", row.want...)
			})
		}
	}
}

func TestDevices_SharedPoolChanges(t *testing.T) {
	wantDevices(t, `
cluster:
  nodes: [{name: n, cpu: 4, memory: 8Gi}]
  devices:
    models: {nic: {driver: nic.example.com, pool: fast, perSlice: 1}}
    pools: [{name: fabric, model: nic, count: 2}]
steps:
  - {at: 1s, devices: {plug: {fabric: {nic: 1}}}}
  - {at: 9s, devices: {fail: {fabric: nic-0}, unplug: {fabric: nic-1}}}
`, "slice of fabric/fast 1/2: nic-0!nic.example.com/failed", "slice of fabric/fast 1/2: nic-2")
}

// A device with partitions is published whole and in parts, which share its counters.
func TestDevices_Partitions(t *testing.T) {
	wantDevices(t, `
cluster:
  nodes: [{name: n, cpu: 4, memory: 8Gi, devices: {h100: 1}}]
  devices: {models: {h100: {driver: gpu.example.com, partitions: [2, 3], capacity: {memory: 60Gi}}}}
`, "slice of n 1/2: h100-0 h100-0-1of2 h100-0-2of2 h100-0-1of3 h100-0-2of3 h100-0-3of3", "slice of n 1/2: counters of h100-0")
}

// Devices that their driver attaches have conditions.
func TestDevices_Binding(t *testing.T) {
	wantDevices(t, `
cluster:
  nodes: [{name: n, cpu: 4, memory: 8Gi}]
  devices: {models: {nic: {driver: nic.example.com, binding: true}}, pools: [{name: fabric, model: nic, count: 1}]}
steps: [{at: 1s, devices: {bindingHangs: {nic.example.com: 1m}, bindingFails: {nic.example.com: 1m}}}]
`, "slice of fabric 1/1: nic-0?nic.example.com/attached")
}

// Each pod gets the claims of its workload, which go with it.
func TestDevices_Workloads(t *testing.T) {
	const classes = `
    classes: {gpu: gpu.example.com, a100: a100}
    claims: [{name: shared, class: gpu, all: true}, {name: pair, namespace: ml, class: a100, count: 2, sameAttribute: gpu.example.com/numa}]
workloads:
  - {deployment: serve, replicas: 2, devices: {gpu: gpu}}
  - {statefulset: train, replicas: 1, namespace: ml, devices: {main: {anyOf: [a100, gpu], count: 2}, extra: {claim: pair}}}
  - {job: batch, devices: {gpu: {claim: shared}}}
`
	fixed := []string{
		"claim pair 2 a100 same gpu.example.com/numa", "claim shared 0 gpu", `class a100 (device.driver == "gpu.example.com") (device.attributes["gpu.example.com"].model == "a100")`,
		`class gpu (device.driver == "gpu.example.com")`, "slice of train-1 1/1: a100-0 a100-1", "slice of train-2 1/1: a100-0 a100-1",
	}
	got, err := devicesAtEnd(t, gpuCluster+classes)
	if err != nil {
		t.Fatal(err)
	}
	var claims []string
	for _, line := range got {
		if rest, ok := strings.CutPrefix(line, "claim serve-"); ok {
			line = "claim serve-POD" + rest[strings.LastIndex(rest, "-gpu"):]
		}
		claims = append(claims, line)
	}
	want := append(slices.Clone(fixed), "claim serve-POD-gpu 1 gpu", "claim serve-POD-gpu 1 gpu", "claim train-0-main or 2 a100 or 2 gpu")
	slices.Sort(want)
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
	wantDevices(t, gpuCluster+classes+"steps: [{at: 5s, delete: [serve, train]}]\n", fixed...)
}

// A recording of devices is the same twice, and can be replayed.
func TestDevices_Recorded(t *testing.T) {
	s := parsed(t, "warmup: 1m\n"+gpuCluster+`
    classes: {gpu: gpu.example.com}
workloads: [{deployment: serve, replicas: 3, devices: {gpu: gpu}}]
steps:
  - {at: 5s, devices: {fail: {train-1: a100-0}, plug: {train-2: {a100: 100}}, stopDrivers: {gpu.example.com: train-1}}}
  - {at: 9s, delete: serve}
`)
	var files [2]bytes.Buffer
	for i := range files {
		if err := s.Record(&files[i], nil); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("recorded twice, it differs")
	}
	wantSameDecisions(t, &files[0])
}

// Templates can be written in full, too.
func TestDevices_ObjectsInFull(t *testing.T) {
	wantDevices(t, gpuCluster+`
    classes: {gpu: gpu.example.com}
objects:
  - kind: ResourceClaimTemplate
    metadata: {name: two}
    spec: {spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu, count: 2}}]}}}
workloads:
  - {pod: p, spec: {containers: [{name: a, image: a}], resourceClaims: [{name: gpu, resourceClaimTemplateName: two}]}}
`, "claim p-gpu 2 gpu", `class gpu (device.driver == "gpu.example.com")`, "slice of train-1 1/1: a100-0 a100-1", "slice of train-2 1/1: a100-0 a100-1")
}

func TestDevices_RuntimeErrorsNameField(t *testing.T) {
	for text, want := range map[string]string{
		gpuCluster + "steps: [{at: 1s, devices: {fail: {train-1: [a100-0, a100-7]}}}]\n": `steps[0].devices: there is no device "a100-7" at train-1, 1s after the beginning`,
	} {
		if _, err := devicesAtEnd(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %s", err, want)
		}
	}
}
