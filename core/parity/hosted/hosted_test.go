package hosted_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/hosted"
	"orrery/core/parity/storage"
	"orrery/core/process/replica"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
)

const user = "system:kube-scheduler"

// cluster is a real API server with a replica of Orrery whose profile has kube-scheduler's plugins only.
type cluster struct {
	t       *testing.T
	ctx     context.Context
	client  kubernetes.Interface
	replica *replica.Replica
}

func newCluster(t *testing.T) *cluster {
	klog.SetLogger(logr.Discard())
	metrics.Register()
	dir, err := os.MkdirTemp("", "orrery-hosted")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server, err := apiserver.New(apiserver.Options{Dir: dir, Users: []string{user}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	c := &cluster{t: t, ctx: t.Context()}
	if c.client, err = server.Client(apiserver.Admin); err != nil {
		t.Fatal(err)
	}
	if err := server.Grant(c.ctx, user, "cluster-admin"); err != nil {
		t.Fatal(err)
	}
	settings := config.Default(config.FeaturesOf(release.Newest))
	*settings.LeaderElection.LeaderElect = false
	if err := hosted.Replace(&settings.Profiles[0]); err != nil {
		t.Fatal(err)
	}
	c.replica, err = replica.New(replica.Options{Config: settings, Plugins: hosted.Registry(), KubeConfig: server.Config(user), Seed: 1, Logger: klog.Background()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// start runs the replica until the test ends.
func (c *cluster) start() {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.replica.Run(ctx) }()
	c.t.Cleanup(func() {
		stop()
		<-ended
	})
}

// create creates objects.
func (c *cluster) create(objects ...any) {
	c.t.Helper()
	core, options := c.client.CoreV1(), metav1.CreateOptions{}
	for _, object := range objects {
		var err error
		switch o := object.(type) {
		case *v1.Node:
			var made *v1.Node
			if made, err = core.Nodes().Create(c.ctx, o, options); err == nil {
				made.Status = o.Status
				_, err = core.Nodes().UpdateStatus(c.ctx, made, metav1.UpdateOptions{})
			}
		case *v1.Pod:
			_, err = core.Pods(o.Namespace).Create(c.ctx, o, options)
		case *v1.PersistentVolumeClaim:
			_, err = core.PersistentVolumeClaims(o.Namespace).Create(c.ctx, o, options)
		case *storagev1.StorageClass:
			_, err = c.client.StorageV1().StorageClasses().Create(c.ctx, o, options)
		case *resourcev1.DeviceClass:
			_, err = c.client.ResourceV1().DeviceClasses().Create(c.ctx, o, options)
		case *resourcev1.ResourceSlice:
			_, err = c.client.ResourceV1().ResourceSlices().Create(c.ctx, o, options)
		case *resourcev1.ResourceClaim:
			_, err = c.client.ResourceV1().ResourceClaims(o.Namespace).Create(c.ctx, o, options)
		case *schedulingv1.PriorityClass:
			_, err = c.client.SchedulingV1().PriorityClasses().Create(c.ctx, o, options)
		default:
			err = fmt.Errorf("an object of type %T", object)
		}
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

// bound waits until these pods have a node, and returns it by name.
func (c *cluster) bound(names ...string) map[string]string {
	c.t.Helper()
	nodes := map[string]string{}
	c.eventually(func() error {
		for _, name := range names {
			pod, err := c.client.CoreV1().Pods(v1.NamespaceDefault).Get(c.ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if pod.Spec.NodeName == "" {
				return fmt.Errorf("pod %s has no node: %+v", name, pod.Status.Conditions)
			}
			nodes[name] = pod.Spec.NodeName
		}
		return nil
	})
	return nodes
}

func (c *cluster) eventually(check func() error) {
	c.t.Helper()
	var err error
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	c.t.Fatal(err)
}

// Every plugin of kube-scheduler takes part in Orrery's runtime on a real API server: constraints, volumes, devices, and
// a preemption whose victims leave. No plugin panics.
func TestReplica_HostsUpstreamsPlugins(t *testing.T) {
	c := newCluster(t)
	var nodes []*v1.Node
	for i := range 3 {
		node := storage.Managed(apiserver.Node(i, "4", "16Gi", "110"))
		nodes = append(nodes, node)
		c.create(node)
	}
	if err := storage.Install(c.ctx, c.client, nodes, 10); err != nil {
		t.Fatal(err)
	}
	c.create(storage.Class("delayed", storage.Driver, storagev1.VolumeBindingWaitForFirstConsumer))
	disks, err := storage.Start(context.Background(), storage.Options{Client: c.client})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(disks.Stop)
	c.start()

	t.Run("constraints", func(t *testing.T) {
		c := c.in(t)
		var names []string
		for i := range 3 {
			pod := apiserver.Pod(fmt.Sprint("spread-", i), "100m", "16Mi")
			pod.Labels = map[string]string{"app": "spread"}
			pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule,
				LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			}}
			c.create(pod)
			names = append(names, pod.Name)
		}
		seen := map[string]bool{}
		for _, node := range c.bound(names...) {
			seen[node] = true
		}
		if len(seen) != 3 {
			t.Errorf("the pods are on the nodes %v", seen)
		}
	})
	t.Run("volumes", func(t *testing.T) {
		c := c.in(t)
		class := "delayed"
		claim := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: v1.NamespaceDefault}}
		claim.Spec.StorageClassName, claim.Spec.AccessModes = &class, []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
		claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
		pod := apiserver.Pod("db", "100m", "16Mi")
		pod.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
		c.create(claim, pod)
		c.bound("db")
		c.eventually(func() error { // the claim's phase is written after its volume, with which the pod may be bound
			held, err := c.client.CoreV1().PersistentVolumeClaims(v1.NamespaceDefault).Get(c.ctx, "data", metav1.GetOptions{})
			if err == nil && held.Status.Phase != v1.ClaimBound {
				err = fmt.Errorf("the claim is %s", held.Status.Phase)
			}
			return err
		})
	})
	t.Run("devices", func(t *testing.T) {
		c := c.in(t)
		class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}
		class.Spec.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "gpu.example.com"`}}}
		slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "gpus"}}
		slice.Spec = resourcev1.ResourceSliceSpec{
			Driver: "gpu.example.com", NodeName: &nodes[1].Name, Pool: resourcev1.ResourcePool{Name: "pool", ResourceSliceCount: 1},
			Devices: []resourcev1.Device{{Name: "gpu-0"}},
		}
		claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: v1.NamespaceDefault}}
		claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"}}}
		pod := apiserver.Pod("train", "100m", "16Mi")
		pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &claim.Name}}
		c.create(class, slice, claim, pod)
		if node := c.bound("train")["train"]; node != nodes[1].Name {
			t.Errorf("the pod is on %s, its device on %s", node, nodes[1].Name)
		}
		held, err := c.client.ResourceV1().ResourceClaims(v1.NamespaceDefault).Get(c.ctx, "train", metav1.GetOptions{})
		if err != nil || held.Status.Allocation == nil || len(held.Status.ReservedFor) != 1 {
			t.Errorf("the claim's status is %+v, error %v", held.Status, err)
		}
	})
	t.Run("a preemption", func(t *testing.T) {
		c := c.in(t)
		c.create(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000})
		var low []string
		for i := range 3 {
			pod := apiserver.Pod(fmt.Sprint("low-", i), "3", "16Mi")
			c.create(pod)
			low = append(low, pod.Name)
		}
		c.bound(low...)
		urgent := apiserver.Pod("urgent", "3", "16Mi")
		urgent.Spec.PriorityClassName = "urgent"
		c.eventually(func() error { // until admission knows the class
			_, err := c.client.CoreV1().Pods(v1.NamespaceDefault).Create(c.ctx, urgent, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		})
		c.create(urgent)
		c.bound("urgent")
	})
	var problems error
	if err := c.replica.Inspect(c.ctx, func(e *engine.Engine) {
		for _, problem := range e.Problems() {
			problems = errors.Join(problems, problem.Err)
		}
	}); err != nil || problems != nil {
		t.Errorf("the replica's problems: %v, %v", err, problems)
	}
}

// in is the cluster in a part of the test.
func (c *cluster) in(t *testing.T) *cluster {
	part := *c
	part.t, part.ctx = t, t.Context()
	return &part
}
