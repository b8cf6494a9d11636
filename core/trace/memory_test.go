package trace_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/world"
)

// most is what reading a file of up to a megabyte may allocate, what it frees at once included.
const most = 256 << 20

// entryOf is an entry in the contents of a block.
func entryOf(parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(binary.AppendUvarint(nil, uint64(len(body))), body...)
}

// manyOf is a field of a protocol buffer, times over, without contents.
func manyOf(number byte, n int) []byte { return bytes.Repeat([]byte{number<<3 | 2, 0}, n) }

// inside is a field of a protocol buffer.
func inside(number byte, contents []byte) []byte {
	return append(binary.AppendUvarint([]byte{number<<3 | 2}, uint64(len(contents))), contents...)
}

// changed is an entry of a changed object.
func changed(kind string, object []byte) []byte {
	return entryOf([]byte{1, 0, 0, 0, 0, byte(len(kind))}, []byte(kind), object)
}

// hostileFiles are small files that ask for much memory, by name.
func hostileFiles() map[string][]byte {
	containers := func(n int) []byte { return inside(2, manyOf(2, n)) }
	pods := binary.AppendUvarint([]byte{2, 0, 0, 0, 3, 'P', 'o', 'd'}, 1<<20)
	return map[string][]byte{
		"a list of empty pods":                trace.FileOfEntries(trace.FromStart, append(entryOf(pods), bytes.Repeat(entryOf([]byte{3, 3, 'P', 'o', 'd'}), 1<<19)...)),
		"a pod of a million empty containers": trace.FileOfEntries(trace.FromStart, changed("Pod", containers(1<<20-64))),
		"many pods of many containers":        trace.FileOfEntries(trace.FromStart, bytes.Repeat(changed("Pod", containers(2000)), 500)),
		"a deployment of many containers":     trace.FileOfEntries(trace.FromStart, changed("Deployment", inside(2, inside(3, containers(1<<19))))),
		"nodes of many taints":                trace.FileOfEntries(trace.FromStart, bytes.Repeat(changed("Node", inside(2, manyOf(5, 10_000))), 100)),
		"custom objects of many owners":       trace.FileOfEntries(trace.FromStart, bytes.Repeat(changed("foos.v1.example.com", inside(1, manyOf(13, 10_000))), 100)),
		"millions of ticks":                   trace.FileOfEntries(trace.FromStart, bytes.Repeat(entryOf([]byte{6, 0, 0, 0}), 1<<19)),
		"millions of names to activate":       trace.FileOfEntries(trace.FromStart, entryOf(binary.AppendUvarint([]byte{5, 0, 0, 0}, 1<<20-8), make([]byte, 2<<20-64))),
		"the usage of many pods":              trace.FileOfReadings(bytes.Repeat(entryOf([]byte{12, 0, 0, 0, 0, 0, 0, 0, 0}, binary.AppendVarint(nil, 250_000), make([]byte, 8*250_000)), 2)),
		"usage of millions of containers":     trace.FileOfReadings(bytes.Repeat(entryOf([]byte{12, 0, 0, 0, 0, 0, 0, 0}, binary.AppendVarint(nil, 500_000), make([]byte, 4*500_000+1)), 2)),
		"millions of marks":                   trace.FileOfEntries(trace.FromStart, bytes.Repeat(entryOf([]byte{9, 0, 0, 0, 0, 0, 0, 0}), 400_000)),
	}
}

func TestReader_BoundsMemory(t *testing.T) {
	for name, file := range hostileFiles() {
		t.Run(name, func(t *testing.T) {
			if len(file) > 64<<10 {
				t.Errorf("the file has %d bytes: it is not small", len(file))
			}
			var damage *trace.Damage
			took := allocated(func() { _, damage = read(t, file) })
			if damage == nil || !strings.Contains(damage.Error(), "MiB of memory") {
				t.Errorf("it is read with %v", damage)
			}
			if took > most {
				t.Errorf("reading %d bytes allocates %d MiB", len(file), took>>20)
			}
		})
	}
}

// Reading this quantity would take a minute.
func TestReader_RefusesHugeExponents(t *testing.T) {
	quantity := inside(1, []byte("1e-100000000"))
	entry := append(inside(1, []byte("cpu")), inside(2, quantity)...)
	_, damage := read(t, trace.FileOfEntries(trace.FromStart, changed("Node", inside(3, inside(1, entry)))))
	if damage == nil || !strings.Contains(damage.Error(), "a Node has a quantity with an exponent that is that of no amount") {
		t.Errorf("it is read with %v", damage)
	}
}

func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// The memory of a recording grows with its cluster, and what it may take grows with its bytes. So at a hundredth of
// 10,000 nodes and 300,000 pods, what it takes has to be below what its bytes alone allow, without the fixed part.
func TestReader_TakesRecordingsOfLargeClusters(t *testing.T) {
	const nodes, pods, changes = 100, 3000, 3
	draw := rand.New(rand.NewPCG(1, 2))
	uid := func() types.UID {
		return types.UID(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", draw.Uint32(), draw.IntN(1<<16), draw.IntN(1<<12), draw.IntN(1<<12), draw.Int64N(1<<48)))
	}
	version, at := 10_000_000, start
	list := func(kind world.Kind, n int, one func(i int) world.Object) trace.Record {
		l := world.Listed{Kind: kind}
		for i := range n {
			l.Objects = append(l.Objects, one(i))
		}
		return trace.Record{At: at, Body: inputBody(l)}
	}
	records := []trace.Record{list(world.Node, nodes, func(i int) world.Object {
		node := mk.Node(fmt.Sprintf("ip-10-%d-%d-%d.eu-west-1.compute.internal", i/64, i%64, i*7%256)).CPU("16").Memory("64Gi").Pods("110").Zone("eu-west-1a").
			Label(v1.LabelInstanceTypeStable, "m6i.4xlarge").Label(v1.LabelOSStable, "linux").Obj()
		node.UID = uid()
		return node
	})}
	all := make([]*v1.Pod, pods)
	records = append(records, list(world.Pod, pods, func(i int) world.Object {
		app := fmt.Sprintf("app-%d", i/50)
		b := mk.Pod(fmt.Sprintf("%s-%08x-%05x", app, i/50*7919, draw.IntN(1<<20))).CPU("250m").Memory("512Mi").Image("registry.example/"+app+":v1").
			Owner("apps/v1", "ReplicaSet", app).Label("app", app).Label("pod-template-hash", fmt.Sprintf("%08x", i/50*7919))
		for _, key := range []string{v1.TaintNodeNotReady, v1.TaintNodeUnreachable} {
			b.Toleration(v1.Toleration{Key: key, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute})
		}
		all[i] = b.UID(string(uid())).Obj()
		return all[i]
	}))
	for change := range changes {
		for i, pod := range all {
			pod = pod.DeepCopy()
			version += 1 + draw.IntN(5)
			pod.ResourceVersion = fmt.Sprint(version)
			pod.Spec.NodeName = fmt.Sprintf("node-%d", i%nodes)
			pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{Type: v1.PodConditionType(fmt.Sprintf("Condition%d", change)), Status: v1.ConditionTrue})
			all[i], at = pod, at.Add(time.Duration(draw.IntN(1e6)))
			records = append(records, trace.Record{At: at, Body: inputBody(world.Changed{Op: world.Modified, Object: pod})})
		}
	}
	file := written(t, trace.Header{Start: start}, records...)
	r, err := trace.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	got, damage := readAll(t, r)
	if damage != nil || len(got) != len(records) {
		t.Fatalf("%d of %d records are read: %v", len(got), len(records), damage)
	}
	used := r.Memory()
	if perByte := used / int64(len(file)); perByte >= trace.MemoryPerByte {
		t.Errorf("it takes %d bytes of memory for each of its own, and %d are allowed", perByte, trace.MemoryPerByte)
	}
}

// Objects that change little are packed so well that their file would be too small for them.
func TestWriter_PacksSoThatItCanBeRead(t *testing.T) {
	replicas := &appsv1.ReplicaSet{ObjectMeta: *mk.Pod("web").Label("app", "web").Obj().ObjectMeta.DeepCopy()}
	replicas.Spec.Template.Spec = mk.Pod("web").CPU("1").Memory("1Gi").Obj().Spec
	replicas.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	var records []trace.Record
	for i := range 20_000 {
		changed := *replicas
		changed.ResourceVersion = fmt.Sprint(i)
		records = append(records, trace.Record{At: start, Body: inputBody(world.Changed{Op: world.Modified, Object: &changed})})
	}
	file := written(t, trace.Header{Start: start}, records...)
	got, damage := read(t, file)
	if damage != nil || len(got) != len(records) {
		t.Errorf("%d of %d records are read: %v", len(got), len(records), damage)
	}
	if len(file) > 2<<20 {
		t.Errorf("the file has %d bytes: it is hardly packed at all", len(file))
	}
}

// An object that could not be read again is left out, and the list goes on.
func TestWriter_RefusesObjectsOfTooMuchMemory(t *testing.T) {
	large := mk.Pod("large").Obj()
	large.Spec.Containers = make([]v1.Container, 40_000)
	small := mk.Pod("small").Obj()
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range []world.Event{
		world.Changed{Op: world.Added, Object: large},
		world.Listed{Kind: world.Pod, Objects: []world.Object{large, small}},
	} {
		if err := w.Write(trace.Record{At: start, Body: inputBody(event)}); err == nil || !strings.Contains(err.Error(), `recording "default/large": a Pod takes`) {
			t.Errorf("recording a %T gives %v", event, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, damage := read(t, file.Bytes())
	if damage != nil || len(got) != 1 {
		t.Fatalf("%d records are read: %v", len(got), damage)
	}
	if list := got[0].Body.(trace.Input).Event.(world.Listed); len(list.Objects) != 1 || list.Objects[0].GetName() != "small" {
		t.Errorf("the list has %d objects", len(list.Objects))
	}
}
