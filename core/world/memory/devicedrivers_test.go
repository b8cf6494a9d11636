package memory_test

import (
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
	"orrery/core/world/memory"
)

func devicesNamed(names string) []resourcev1.Device {
	var all []resourcev1.Device
	for _, name := range strings.Fields(names) {
		all = append(all, resourcev1.Device{Name: name})
	}
	return all
}

// gpusOf is the pool of a node.
func gpusOf(node, names string) memory.DevicePool {
	return memory.DevicePool{Driver: gpus, Node: node, Name: node, Devices: devicesNamed(names)}
}

var failed = resourcev1.DeviceTaint{Key: "gpu.example.com/failed", Effect: resourcev1.DeviceTaintEffectNoExecute}

func (s *scene) publish(p memory.DevicePool) {
	s.t.Helper()
	s.must(s.PublishDevices(p))
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// publishing watches the slices only, of a driver that takes a second for each.
func publishing(t *testing.T) *scene {
	t.Helper()
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.ResourceSlice}, Latency: memory.Latency{Publish: memory.Delay{Base: time.Second}}})
	create(s, node("n1"))
	s.pass(0)
	return s
}

func TestDeviceDriver_Publishes(t *testing.T) {
	s := publishing(t)
	pool := gpusOf("n1", "a b c")
	pool.PerSlice = 2
	s.publish(pool)
	s.wants(10*time.Second, `
		1s added slice n1-gpu.example.com-* n1/n1 1 of 2: a b
		2s added slice n1-gpu.example.com-* n1/n1 1 of 2: c
	`)
	slice := s.List(world.ResourceSlice)[0]
	if owner := metav1.GetControllerOf(slice); owner == nil || owner.Kind != "Node" || owner.UID != s.Node("n1").UID {
		t.Errorf("the slice's owner is %v, want the node", owner)
	}
	s.pass(time.Hour)
	if at, ok := s.NextAt(); ok {
		t.Errorf("something happens at %v, want rest", at)
	}
}

// Every change of a pool that is not one write of one slice makes a new generation, and the pool incomplete on the way.
func TestDeviceDriver_Changes(t *testing.T) {
	for _, row := range []struct {
		name       string
		perSlice   int
		from, then string // devices
		want       string
	}{
		{"an only slice is updated", 0, "a b", "a b c", "11s modified slice n1-gpu.example.com-* n1/n1 1 of 1: a b c"},
		{"a removed device", 0, "a b", "a", "11s modified slice n1-gpu.example.com-* n1/n1 1 of 1: a"},
		{"the last removed device", 0, "a", "", "11s modified slice n1-gpu.example.com-* n1/n1 1 of 1:"},
		{"one more slice", 2, "a b", "a b c", `
			11s modified slice n1-gpu.example.com-* n1/n1 2 of 2: a b
			12s added slice n1-gpu.example.com-* n1/n1 2 of 2: c
		`},
		{"one slice less", 1, "a b", "b", `
			11s deleted slice n1-gpu.example.com-* n1/n1 1 of 2: a
			12s modified slice n1-gpu.example.com-* n1/n1 1 of 1: b
		`},
		{"another device", 1, "a b", "b c", `
			11s deleted slice n1-gpu.example.com-* n1/n1 1 of 2: a
			12s modified slice n1-gpu.example.com-* n1/n1 2 of 2: b
			13s added slice n1-gpu.example.com-* n1/n1 2 of 2: c
		`},
		{"nothing", 1, "a b", "a b", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := publishing(t)
			for i, names := range []string{row.from, row.then} {
				pool := gpusOf("n1", names)
				pool.PerSlice = row.perSlice
				s.publish(pool)
				if i == 0 {
					s.pass(10 * time.Second)
				}
			}
			got := strings.Join(sortedLines(s.pass(time.Minute)), "\n")
			if want := strings.Join(sortedLines(row.want), "\n"); got != want {
				t.Errorf("the scheduler was told\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A change that comes while a pool is being published is published afterwards.
func TestDeviceDriver_ChangesWhilePublishing(t *testing.T) {
	s := publishing(t)
	pool := gpusOf("n1", "a b")
	pool.PerSlice = 1
	s.publish(pool)
	s.pass(time.Second)
	pool.Devices = devicesNamed("a b c")
	s.publish(pool)
	s.pass(time.Minute)
	s.wantsState(`
		slice n1-gpu.example.com-* n1/n1 2 of 3: a
		slice n1-gpu.example.com-* n1/n1 2 of 3: b
		slice n1-gpu.example.com-* n1/n1 2 of 3: c
	`, world.ResourceSlice)
}

// Shows DRA-15.
func TestDeviceDriver_RestoresSlices(t *testing.T) {
	for name, change := range map[string]func(s *scene, slice *resourcev1.ResourceSlice){
		"a deleted slice": func(s *scene, slice *resourcev1.ResourceSlice) {
			s.mustDeleteCluster(world.ResourceSlice, slice.Name)
		},
		"a device that was added": func(s *scene, slice *resourcev1.ResourceSlice) {
			slice.Spec.Devices = append(slice.Spec.Devices, devicesNamed("mine")...)
			must[world.Object](s.t)(s.Update(slice))
		},
		"a device that was removed": func(s *scene, slice *resourcev1.ResourceSlice) {
			slice.Spec.Devices = nil
			must[world.Object](s.t)(s.Update(slice))
		},
		"a taint that was added": func(s *scene, slice *resourcev1.ResourceSlice) {
			slice.Spec.Devices[0].Taints = []resourcev1.DeviceTaint{failed}
			must[world.Object](s.t)(s.Update(slice))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := publishing(t)
			s.publish(gpusOf("n1", "a"))
			s.pass(time.Minute)
			change(s, s.List(world.ResourceSlice)[0].DeepCopyObject().(*resourcev1.ResourceSlice))
			if changed := s.state(world.ResourceSlice); strings.Contains(changed, "1 of 1: a\n") {
				t.Fatalf("the change did nothing: %s", changed)
			}
			s.pass(time.Minute)
			s.wantsState("slice n1-gpu.example.com-* n1/n1 1 of 1: a", world.ResourceSlice)
		})
	}
}

func TestDeviceDriver_DeviceFails(t *testing.T) {
	s := publishing(t)
	s.publish(gpusOf("n1", "a b"))
	s.pass(time.Minute)
	s.must(s.TaintDevice(gpus, "n1", "n1", "b", failed))
	s.wants(time.Minute, "1m1s modified slice n1-gpu.example.com-* n1/n1 1 of 1: a b!failed")
	s.must(s.PlugDevice(gpus, "n1", "n1", resourcev1.Device{Name: "c"}))
	s.wants(time.Minute, "2m1s modified slice n1-gpu.example.com-* n1/n1 1 of 1: a b!failed c")
	taint := s.List(world.ResourceSlice)[0].(*resourcev1.ResourceSlice).Spec.Devices[1].Taints[0]
	if at := taint.TimeAdded; at == nil || !at.Time.Equal(dawn.Add(time.Minute)) {
		t.Errorf("the taint was added at %v, want %v", at, dawn.Add(time.Minute))
	}
	s.must(s.UntaintDevice(gpus, "n1", "n1", "b", failed.Key))
	s.must(s.UnplugDevice(gpus, "n1", "n1", "a"))
	s.wants(time.Minute, "3m1s modified slice n1-gpu.example.com-* n1/n1 1 of 1: b c")
}

func TestDeviceDriver_ErrorsNameDevice(t *testing.T) {
	s := publishing(t)
	s.publish(gpusOf("n1", "a"))
	for _, row := range []struct {
		err  error
		want string
	}{
		{s.PublishDevices(gpusOf("n2", "a")), `publishing devices of driver gpu.example.com: there is no node "n2"`},
		{s.TaintDevice(gpus, "n1", "n1", "b", failed), `driver gpu.example.com publishes no device "b" in pool "n1"`},
		{s.UnplugDevice(gpus, "n2", "n1", "a"), `driver gpu.example.com publishes no pool "n1" on node "n2"`},
		{s.PlugDevice(gpus, "n1", "n1", resourcev1.Device{Name: "a"}), `driver gpu.example.com publishes a device "a" in pool "n1" already`},
	} {
		if row.err == nil || row.err.Error() != row.want {
			t.Errorf("the error is %v, want %s", row.err, row.want)
		}
	}
}

func TestDeviceDriver_GoesAndReturns(t *testing.T) {
	s := publishing(t)
	s.publish(gpusOf("n1", "a"))
	s.pass(time.Minute)
	s.StopDeviceDriver(gpus, "n1")
	s.must(s.PlugDevice(gpus, "n1", "n1", resourcev1.Device{Name: "b"}))
	s.wants(10*time.Second, "") // the kubelet gives it half a minute
	s.StartDeviceDriver(gpus, "n1")
	s.wants(time.Minute, "1m11s modified slice n1-gpu.example.com-* n1/n1 1 of 1: a b")
	s.StopDeviceDriver(gpus, "n1")
	s.wants(time.Hour, "2m40s deleted slice n1-gpu.example.com-* n1/n1 1 of 1: a b")
	s.StartDeviceDriver(gpus, "n1")
	s.wants(time.Hour, "1h2m11s added slice n1-gpu.example.com-* n1/n1 1 of 1: a b")
}

// A driver that loses its node publishes when the node is back, and a kubelet deletes the slices of a driver then.
func TestDeviceDriver_NodeIsLost(t *testing.T) {
	s := publishing(t)
	s.publish(gpusOf("n1", "a"))
	s.pass(time.Minute)
	s.must(s.LoseNode("n1"))
	s.must(s.PlugDevice(gpus, "n1", "n1", resourcev1.Device{Name: "b"}))
	s.wants(time.Minute, "")
	s.must(s.RecoverNode("n1"))
	s.wants(time.Minute, "2m1s modified slice n1-gpu.example.com-* n1/n1 1 of 1: a b")
	s.must(s.LoseNode("n1"))
	s.StopDeviceDriver(gpus, "n1")
	s.wants(time.Hour, "")
	s.must(s.RecoverNode("n1"))
	s.wants(time.Minute, "1h3m0s deleted slice n1-gpu.example.com-* n1/n1 1 of 1: a b")
}

func TestDeviceDriver_SlicesGoWithNode(t *testing.T) {
	s := publishing(t)
	create(s, node("n2"))
	s.publish(gpusOf("n1", "a"))
	s.publish(gpusOf("n2", "a"))
	s.publish(memory.DevicePool{Driver: gpus, Name: "far", Devices: devicesNamed("x")})
	s.pass(time.Minute)
	s.mustDeleteCluster(world.Node, "n1")
	s.pass(time.Minute)
	s.wantsState(`
		slice gpu.example.com-* far 1 of 1: x everywhere
		slice n2-gpu.example.com-* n2/n2 1 of 1: a
	`, world.ResourceSlice)
	create(s, node("n1"))
	s.pass(time.Minute)
	if _, there := s.Devices(gpus, "n1", "n1"); there {
		t.Error("a node of the same name has the devices of the deleted one")
	}
}

func TestDeviceDriver_NodeIsReplaced(t *testing.T) {
	s := publishing(t)
	s.publish(gpusOf("n1", "a"))
	s.pass(time.Minute)
	s.mustDeleteCluster(world.Node, "n1")
	create(s, node("n1"))
	s.publish(gpusOf("n1", "a"))
	s.pass(time.Minute)
	s.wantsState("slice n1-gpu.example.com-* n1/n1 1 of 1: a", world.ResourceSlice)
	if owner := metav1.GetControllerOf(s.List(world.ResourceSlice)[0]); owner.UID != s.Node("n1").UID {
		t.Errorf("the slice's owner is %v, want the new node", owner)
	}
}

// Devices that share counters are published beside them, and those of several nodes each with its node.
// Shows DRA-12.
func TestDeviceDriver_CountersAndNodes(t *testing.T) {
	s := publishing(t)
	pool := memory.DevicePool{Driver: gpus, Name: "parts", Devices: devicesNamed("a b")}
	pool.Counters = []resourcev1.CounterSet{{Name: "memory", Counters: map[string]resourcev1.Counter{"memory": {}}}}
	pool.Devices[0].NodeName, pool.Devices[1].AllNodes = ptr("n1"), ptr(true)
	s.publish(pool)
	s.pass(time.Minute)
	s.wantsState(`
		slice gpu.example.com-* parts 1 of 2: a b each with its nodes
		slice gpu.example.com-* parts 1 of 2: memory everywhere
	`, world.ResourceSlice)
}
