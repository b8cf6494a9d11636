package volumebinding

import (
	"context"
	"reflect"
	"strconv"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientinformers "k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	upvolumebinding "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"k8s.io/utils/ptr"

	"orrery/core/parity/difftest"
	"orrery/core/parity/informers"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// cluster has the same objects on both sides, and both plugins.
type cluster struct {
	upstream *upvolumebinding.VolumeBinding
	objects  *informers.Factory

	orrery *volumebinding.VolumeBinding
	store  *store.Store
	state  *volumes.State

	scored  bool // with StorageCapacityScoring
	version int
	changes []change // so far, for a case that differs
}

// change is a change of an object, as it is printed: of a node, only its labels matter.
type change struct {
	Op     string
	Kind   world.Kind
	Object any
}

type handle struct {
	fwk.Handle
	objects clientinformers.SharedInformerFactory
	client  clientset.Interface
	state   *volumes.State
}

func (h handle) SharedInformerFactory() clientinformers.SharedInformerFactory { return h.objects }
func (h handle) ClientSet() clientset.Interface                               { return h.client }
func (h handle) Volumes() *volumes.State                                      { return h.state }

// newCluster creates both plugins under drawn gates. Upstream writes with the client.
func newCluster(t *difftest.Source, client clientset.Interface) *cluster {
	theirs := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	theirs.EnableStorageCapacityScoring = t.OneIn(3)
	ours, err := config.ParseFeaturesOf(release.Newest, map[string]bool{
		string(config.StorageCapacityScoring): theirs.EnableStorageCapacityScoring,
	})
	must(err)
	args, upArgs := &configv1.VolumeBindingArgs{BindTimeoutSeconds: ptr.To(bindTimeout)}, &upconfig.VolumeBindingArgs{BindTimeoutSeconds: bindTimeout}
	if theirs.EnableStorageCapacityScoring {
		args.Shape, upArgs.Shape = someShape(t)
	}
	c := &cluster{objects: informers.New(), store: store.New(), scored: theirs.EnableStorageCapacityScoring}
	c.state = volumes.New(c.store)
	up, err := upvolumebinding.New(context.Background(), upArgs, handle{objects: c.objects, client: client}, theirs)
	must(err)
	our, err := volumebinding.New(context.Background(), args, handle{objects: c.store.Informers(), state: c.state}, ours)
	must(err)
	c.upstream, c.orrery = up.(*upvolumebinding.VolumeBinding), our.(*volumebinding.VolumeBinding)
	return c
}

// bindTimeout is how many seconds a binding may take.
const bindTimeout int64 = 20

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func someShape(t *difftest.Source) (ours []configv1.UtilizationShapePoint, theirs []upconfig.UtilizationShapePoint) {
	at := int32(t.Range(0, 30))
	for range t.Range(1, 3) {
		score := int32(t.Range(0, 10))
		ours = append(ours, configv1.UtilizationShapePoint{Utilization: at, Score: score})
		theirs = append(theirs, upconfig.UtilizationShapePoint{Utilization: at, Score: score})
		at += int32(t.Range(1, 30))
	}
	return ours, theirs
}

// set adds or replaces an object in its next version.
func (c *cluster) set(object world.Object) world.Object {
	object = object.DeepCopyObject().(world.Object)
	c.version++
	object.SetResourceVersion(strconv.Itoa(c.version))
	op := world.Added
	if c.held(object) != nil {
		op = world.Modified
	}
	c.apply(op, object)
	return object
}

func (c *cluster) remove(object world.Object) {
	if held := c.held(object); held != nil {
		c.apply(world.Deleted, held)
	}
}

func (c *cluster) apply(op world.Op, object world.Object) {
	shown := change{op.String(), world.KindOf(object), object}
	if node, ok := object.(*v1.Node); ok {
		shown.Object = node.ObjectMeta
	}
	c.changes = append(c.changes, shown)
	c.objects.Apply(op, object)
	deltas, err := c.store.Apply(world.Changed{Op: op, Object: object})
	must(err)
	for _, d := range deltas {
		c.state.Changed(d)
	}
}

// held is the object of this kind and name that the cluster has, or nil.
func (c *cluster) held(object world.Object) world.Object {
	held := c.store.Object(world.KindOf(object), object.GetNamespace(), object.GetName())
	if held == nil || reflect.ValueOf(held).IsNil() {
		return nil
	}
	return held
}

func (c *cluster) node(name string) *v1.Node {
	node, _ := c.store.Object(world.Node, "", name).(*v1.Node)
	return node
}

// fill adds random objects to a new cluster.
func (c *cluster) fill(t *difftest.Source) {
	for _, name := range nodeNames {
		c.set(someNode(t, name))
	}
	for _, name := range classNames {
		class := someClass(t)
		class.Name = name
		c.set(class)
	}
	for _, name := range claimNames {
		claim := someClaim(t, c.scored)
		claim.Namespace, claim.Name = namespaces[0], name
		c.set(claim)
	}
	for range t.Range(2, 8) {
		c.set(someVolume(t))
	}
	for range t.Range(0, 15) {
		c.set(someObject(t, c.scored))
	}
}

// change changes the cluster once.
func (c *cluster) change(t *difftest.Source) {
	switch {
	case t.OneIn(8):
		c.remove(someObject(t, c.scored))
	case t.OneIn(8):
		c.set(someNode(t, pick(t, nodeNames)))
	default:
		c.set(someObject(t, c.scored))
	}
}

func nodeInfo(node *v1.Node) fwk.NodeInfo {
	info := upframework.NewNodeInfo()
	info.SetNode(node)
	return info
}

func theirState() fwk.CycleState { return upframework.NewCycleState() }
func ourState() fwk.CycleState   { return framework.NewCycleState() }
