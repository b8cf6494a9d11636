package collect_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/core/objects/workloads"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// everyPane are all panes that a collector fills.
var everyPane = []views.PaneID{
	views.Overview, views.QueuePane, views.SnapshotPane, views.ZonesPane, views.EvictionsPane, views.LeaderPane, views.DecisionsPane,
	views.PluginsPane, views.MetricsPane, views.ExplainPane, views.JourneyPane, views.NodePane,
	views.PressurePane, views.OrreryPane, views.StoragePane, views.VolumesPane, views.NodesPane, views.PodsPane,
	views.DevicesPane, views.DeviceClaimsPane, views.GangsPane,
}

// Strings of objects are escaped: no escape sequence reaches a model.
func TestModel_AllTextIsPrintable(t *testing.T) {
	const evil = "a\x1b[31m\u202eb\n"
	e, ch := busyCluster(t)
	node := mk.Node("n"+evil).CPU("8").Memory("16Gi").Pods("10").Zone("z"+evil).Taint("k"+evil, "v", v1.TaintEffectPreferNoSchedule).Obj()
	node.Status.Images = []v1.ContainerImage{{Names: []string{"i" + evil}, SizeBytes: 1}}
	node.Status.NodeInfo.KubeletVersion = evil
	pod := mk.Pod("p"+evil).Namespace("ns"+evil).Label("l", evil).CPU("100m").Memory("100Mi").Owner("v1", "K"+evil, "o"+evil).PVC("c" + evil).Node("n" + evil).Obj()
	held := mk.Pod("h" + evil).Namespace("ns" + evil).Gate("g" + evil).Obj()
	big := mk.Pod("b"+evil).Namespace("ns"+evil).CPU("900").NodeSelector("s"+evil, "x").Obj()
	big.Status.NominatedNodeName = "n" + evil
	small := mk.Pod("s" + evil).Namespace("ns" + evil).CPU("1m").Obj()
	claim := mk.Claim("c" + evil).Namespace("ns" + evil).Class("class" + evil).Bound("v" + evil).Obj()
	volume := mk.Volume("v"+evil).Class("class"+evil).On("k"+evil, evil).For(claim).Obj()
	attachment := mk.Attachment("a", "n"+evil, "d"+evil, "v"+evil)
	attachment.Status.AttachError = &storagev1.VolumeError{Message: evil}
	selected := mk.Claim("selected").Class("class"+evil).Annotation("volume.kubernetes.io/selected-node", "n"+evil).Obj()
	slice := mk.ResourceSlice("s"+evil, "d"+evil, "p"+evil).Node("n"+evil).Pool(1, 2).Devices("free"+evil, "held"+evil).Attribute("model", "m"+evil).Taint("k"+evil, "NoExecute").Obj()
	deviceClaim := mk.ResourceClaim("held"+evil).Request("r"+evil, "c"+evil, 1).Allocated("n", "r"+evil, "d"+evil, "p"+evil, "held"+evil).ReservedFor(pod.Name).Obj()
	goneClaim := mk.ResourceClaim("gone"+evil).Request("r"+evil, "c"+evil, 1).Allocated("n", "r"+evil, "d"+evil, "p"+evil, "gone"+evil).Obj()
	deviceClaim.Namespace, goneClaim.Namespace = "ns"+evil, "ns"+evil
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "c" + evil, ResourceClaimName: &deviceClaim.Name}, {Name: "u" + evil, ResourceClaimTemplateName: &goneClaim.Name}}
	workloads.SetRef(&pod.ObjectMeta, workloads.Reference{Name: "w" + evil, PodGroup: "g" + evil, PodGroupReplicaKey: evil})
	workloads.SetRef(&big.ObjectMeta, workloads.Reference{Name: "x" + evil, PodGroup: "g" + evil})
	workload := mk.Workload("w"+evil, mk.Gang("g"+evil, 2), mk.BasicGroup("empty"+evil))
	workload.Namespace = "ns" + evil
	for _, o := range []world.Object{
		workload, slice, deviceClaim, goneClaim, mk.ResourceSlice("anywhere", "d"+evil, "q"+evil).AllNodes().Devices("e" + evil).Obj(),
		node, pod, held, big, small, mk.Class("class"+evil, "d"+evil).WaitForFirstConsumer().Obj(), claim, volume, attachment, selected,
		mk.StorageCapacity("s", "class"+evil, "1Gi", "k"+evil, evil), mk.CSINode("worker-01").Limit("d"+evil, 1).Obj(),
	} {
		in := world.Input{At: e.Now().Add(time.Second), Event: world.Changed{Op: world.Added, Object: o}}
		ch.Applied(in, e.Apply(in))
		for d, more := e.Step(); more; d, more = e.Step() {
			ch.Stepped(d)
		}
	}
	ch.Applied(world.Input{At: e.Now(), Event: world.Changed{Object: lease("r"+evil, e.Now(), 3)}}, nil)
	c := collect.New(collect.Options{Source: evil, History: ch})
	for _, pane := range everyPane {
		for _, name := range []string{pod.Name, held.Name, big.Name, small.Name} {
			m := c.Model(e, collect.Query{Open: pane, Rows: 1000, Columns: 200, Node: node.Name, Pod: world.PodRef{Namespace: pod.Namespace, Name: name}})
			eachString(reflect.ValueOf(m), func(s string) {
				if strings.ContainsAny(s, "\x1b\u202e\n") {
					t.Errorf("pane %q shows %q", pane, s)
				}
			})
		}
	}
}

// eachString visits every string in a value.
func eachString(v reflect.Value, visit func(string)) {
	switch v.Kind() {
	case reflect.String:
		visit(v.String())
	case reflect.Pointer:
		if !v.IsNil() {
			eachString(v.Elem(), visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			eachString(v.Index(i), visit)
		}
	case reflect.Struct:
		if _, moment := v.Interface().(time.Time); moment {
			return
		}
		for i := range v.NumField() {
			eachString(v.Field(i), visit)
		}
	}
}

// From no node to ten thousand, every pane can be drawn at every size.
func TestModel_EveryPaneAndSize(t *testing.T) {
	for _, nodes := range []int{0, 1, 10_000} {
		t.Run(fmt.Sprint(nodes, " nodes"), func(t *testing.T) {
			c := newLargeCluster(t, nodes, 50)
			c.decide(1)
			collector := collect.New(collect.Options{History: c.history})
			for _, pane := range everyPane {
				m := collector.Model(c.engine, collect.Query{Open: pane, Rows: 60, Columns: 220, Node: "node-00000", Pod: world.PodRef{Namespace: "team-1", Name: "stuck-000001"}})
				for _, size := range [][2]int{{60, 16}, {80, 24}, {220, 60}} {
					canvas := draw.New(size[0], size[1])
					views.Screen(canvas, m, &views.State{Open: pane, Focus: views.QueuePane}, draw.Braille, c.now)
					for i, line := range strings.Split(canvas.Plain(), "\n") {
						if w := draw.Width(line); w != size[0] {
							t.Errorf("pane %q at %v: line %d is %d wide", pane, size, i, w)
						}
					}
				}
			}
		})
	}
}
