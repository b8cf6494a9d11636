package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// gpus is the driver of these tests.
const gpus = "gpu.example.com"

// devicePortrait shows of a claim or a slice what the tests are about; empty for any other object.
func devicePortrait(o world.Object) string {
	var words []string
	switch o := o.(type) {
	case *resourcev1.ResourceClaim:
		words = append(words, "resourceclaim", withoutSuffix(o))
		if a := o.Status.Allocation; a != nil {
			for _, r := range a.Devices.Results {
				words = append(words, r.Pool+"/"+r.Device)
			}
		}
		for _, r := range o.Status.ReservedFor {
			words = append(words, "for "+r.Name)
		}
		if slices.Contains(o.Finalizers, resourcev1.Finalizer) {
			words = append(words, "protected")
		}
	case *resourcev1.ResourceSlice:
		words = append(words, slicePortrait(o))
	default:
		return ""
	}
	if o.GetDeletionTimestamp() != nil {
		words = append(words, "deleting")
	}
	return strings.Join(words, " ")
}

// slicePortrait is a slice with its pool, the generation and number of slices, and its devices; ! is before a taint.
func slicePortrait(o *resourcev1.ResourceSlice) string {
	pool := o.Spec.Pool.Name
	if o.Spec.NodeName != nil {
		pool = *o.Spec.NodeName + "/" + pool
	}
	words := []string{fmt.Sprintf("slice %s %s %d of %d:", withoutSuffix(o), pool, o.Spec.Pool.Generation, o.Spec.Pool.ResourceSliceCount)}
	for _, d := range o.Spec.Devices {
		word := d.Name
		for _, t := range d.Taints {
			word += "!" + t.Key[strings.Index(t.Key, "/")+1:]
		}
		words = append(words, word)
	}
	for _, set := range o.Spec.SharedCounters {
		words = append(words, set.Name)
	}
	switch {
	case o.Spec.PerDeviceNodeSelection != nil:
		words = append(words, "each with its nodes")
	case o.Spec.AllNodes != nil:
		words = append(words, "everywhere")
	}
	return strings.Join(words, " ")
}

// sortedLines are the lines of a text, sorted: slices have random names.
func sortedLines(text string) []string {
	all := lines(text)
	slices.Sort(all)
	return all
}

// withoutSuffix leaves the random end out of a generated name.
func withoutSuffix(o world.Object) string {
	if o.GetGenerateName() != "" {
		return o.GetGenerateName() + "*"
	}
	return o.GetName()
}

// oneGPU requests one device of a class.
func oneGPU() resourcev1.ResourceClaimSpec {
	return resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
		Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"},
	}}}}
}

func deviceClaim(name string) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{ObjectMeta: meta(name), Spec: oneGPU()}
}

func gpuTemplate(name string) *resourcev1.ResourceClaimTemplate {
	return &resourcev1.ResourceClaimTemplate{ObjectMeta: meta(name), Spec: resourcev1.ResourceClaimTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"from": name}}, Spec: oneGPU(),
	}}
}

// usingClaim makes a pod use a claim, usingTemplate one of its own.
func usingClaim(pod *v1.Pod, claim string) *v1.Pod {
	pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: claim, ResourceClaimName: &claim})
	return pod
}

func usingTemplate(pod *v1.Pod, template string) *v1.Pod {
	pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: "gpu", ResourceClaimTemplateName: &template})
	return pod
}

// generated is the name of the claim that a pod's status has for the first of its claims.
func generated(t *testing.T, pod *v1.Pod) string {
	t.Helper()
	if len(pod.Status.ResourceClaimStatuses) == 0 {
		t.Fatalf("the status of pod %s names no claim", pod.Name)
	}
	return *pod.Status.ResourceClaimStatuses[0].ResourceClaimName
}

// allocate gives devices of a node to a claim and reserves it for pods, as a scheduler does.
func allocate(c *memory.Cluster, claim, node string, devices []string, pods ...*v1.Pod) error {
	o, err := c.Get(world.ResourceClaim, "default", claim)
	if err != nil {
		return err
	}
	next := o.DeepCopyObject().(*resourcev1.ResourceClaim)
	if !slices.Contains(next.Finalizers, resourcev1.Finalizer) {
		next.Finalizers = append(next.Finalizers, resourcev1.Finalizer)
		if o, err = c.Update(next); err != nil {
			return err
		}
		next = o.DeepCopyObject().(*resourcev1.ResourceClaim)
	}
	if next.Status.Allocation == nil {
		next.Status.Allocation = &resourcev1.AllocationResult{NodeSelector: onNode(node)}
		for _, device := range devices {
			next.Status.Allocation.Devices.Results = append(next.Status.Allocation.Devices.Results, resourcev1.DeviceRequestAllocationResult{
				Request: "gpu", Driver: gpus, Pool: node, Device: device,
			})
		}
	}
	for _, pod := range pods {
		next.Status.ReservedFor = append(next.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{
			Resource: "pods", Name: pod.Name, UID: pod.UID,
		})
	}
	_, err = c.UpdateStatus(next)
	return err
}

func onNode(name string) *v1.NodeSelector {
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{
		Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{name},
	}}}}}
}

// schedule allocates gpu-0 and so on of a node for a pod's only claim and binds the pod there.
func (s *scene) schedule(pod, node string, devices ...string) {
	s.t.Helper()
	p := s.Pod("default", pod)
	ref := p.Spec.ResourceClaims[0]
	name := ref.ResourceClaimName
	if name == nil {
		own := generated(s.t, p)
		name = &own
	}
	if err := allocate(s.Cluster, *name, node, devices, p); err != nil {
		s.t.Fatal(err)
	}
	s.bind(pod, node)
}

func TestClaimController_GeneratesClaims(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, gpuTemplate("one"))
	pod := create(s, usingTemplate(mk.Pod("p").Obj(), "one"))
	s.pass(time.Second)
	s.wantsState("resourceclaim p-gpu-*", world.ResourceClaim)
	name := generated(t, s.Pod("default", "p"))
	claim := must[*resourcev1.ResourceClaim](t)(s.Get(world.ResourceClaim, "default", name))
	if !metav1.IsControlledBy(claim, pod) || claim.Labels["from"] != "one" || claim.Annotations["resource.kubernetes.io/pod-claim-name"] != "gpu" {
		t.Errorf("the claim's metadata is %+v, want the pod as its controller, the template's label and the name of the pod's claim", claim.ObjectMeta)
	}
	s.pass(time.Hour)
	if all := s.List(world.ResourceClaim); len(all) != 1 || all[0].GetResourceVersion() != claim.ResourceVersion {
		t.Errorf("an hour later the claims are %v, want the same one", all)
	}
}

// Two claims of one template are two ResourceClaims. Containers use one of them each, and a third container shares one.
// Shows DRA-09.
func TestClaimController_ClaimForEachName(t *testing.T) {
	s := newScene(t, memory.Options{})
	template := create(s, gpuTemplate("cat")).GetName()
	pod := mk.Pod("p").Obj()
	uses := func(name, claim string) v1.Container {
		return v1.Container{Name: name, Image: "cat", Resources: v1.ResourceRequirements{Claims: []v1.ResourceClaim{{Name: claim}}}}
	}
	for _, name := range []string{"cat-0", "cat-1"} {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: name, ResourceClaimTemplateName: &template})
	}
	pod.Spec.Containers = []v1.Container{uses("first", "cat-0"), uses("second", "cat-1"), uses("third", "cat-0")}
	create(s, pod)
	s.pass(time.Second)
	s.wantsState("resourceclaim p-cat-0-*\nresourceclaim p-cat-1-*", world.ResourceClaim)
	statuses := s.Pod("default", "p").Status.ResourceClaimStatuses
	if len(statuses) != 2 || statuses[0].Name != "cat-0" || statuses[1].Name != "cat-1" || *statuses[0].ResourceClaimName == *statuses[1].ResourceClaimName {
		t.Errorf("the pod's claims are %v, want two of different names", statuses)
	}
}

func TestClaimController_WaitsForTemplate(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, usingTemplate(mk.Pod("p").Obj(), "one"))
	s.pass(time.Minute)
	s.wantsState("", world.ResourceClaim)
	events := s.Events()
	if want := `PodResourceClaim gpu: resource claim template "one": resourceclaimtemplate.resource.k8s.io "one" not found`; len(events) != 1 || events[0].Note != want {
		t.Errorf("the events are %v, want one that says %s", events, want)
	}
	if at, ok := s.NextAt(); ok {
		t.Errorf("something happens at %v, want rest until there is a template", at)
	}
	create(s, gpuTemplate("one"))
	s.pass(time.Second)
	s.wantsState("resourceclaim p-gpu-*", world.ResourceClaim)
}

func TestClaimController_MakesDeletedClaimAgain(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, gpuTemplate("one"))
	create(s, usingTemplate(mk.Pod("p").Obj(), "one"))
	s.pass(time.Second)
	first := generated(t, s.Pod("default", "p"))
	s.mustDelete(world.ResourceClaim, first)
	s.pass(time.Second)
	if second := generated(t, s.Pod("default", "p")); second == first {
		t.Errorf("the pod's claim is still called %s, want another one", second)
	}
	s.wantsState("resourceclaim p-gpu-*", world.ResourceClaim)
}

func TestClaimController_NamesOfLongPods(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, gpuTemplate("one"))
	create(s, usingTemplate(mk.Pod(strings.Repeat("a", 100)).Obj(), "one"))
	s.pass(time.Second)
	name := s.List(world.ResourceClaim)[0].GetName()
	if prefix := strings.Repeat("a", 54) + "-g"; !strings.HasPrefix(name, prefix) || len(name) != len(prefix)+5 {
		t.Errorf("the claim is called %s, want %s and five letters", name, prefix)
	}
}

// The life of a claim, from its allocation until no pod needs it.
func TestClaimController_Releases(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(s *scene)
		want string
	}{
		{"nothing while the pod runs", func(*scene) {}, "resourceclaim shared n1/gpu-0 for p protected"},
		{"a deleted pod", func(s *scene) { s.mustDelete(world.Pod, "p") }, "resourceclaim shared"},
		{"a deleted claim stays while the pod runs", func(s *scene) { s.mustDelete(world.ResourceClaim, "shared") }, "resourceclaim shared n1/gpu-0 for p protected deleting"},
		{"a deleted claim goes with the pod", func(s *scene) { s.mustDelete(world.ResourceClaim, "shared"); s.mustDelete(world.Pod, "p") }, ""},
		{"one pod of two", func(s *scene) {
			create(s, usingClaim(mk.Pod("q").Obj(), "shared"))
			s.schedule("q", "n1")
			s.pass(time.Second)
			s.mustDelete(world.Pod, "p")
		}, "resourceclaim shared n1/gpu-0 for q protected"},
		{"a pod that another one of its name replaced", func(s *scene) {
			s.mustDelete(world.Pod, "p")
			s.pass(time.Minute)
			create(s, usingClaim(mk.Pod("p").Obj(), "shared"))
		}, "resourceclaim shared"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScene(t, memory.Options{})
			create(s, node("n1"))
			create(s, deviceClaim("shared"))
			create(s, usingClaim(mk.Pod("p").Obj(), "shared"))
			s.schedule("p", "n1", "gpu-0")
			s.pass(time.Minute)
			row.do(s)
			s.pass(time.Minute)
			s.wantsState(row.want, world.ResourceClaim)
		})
	}
}

func TestClaimController_GeneratedClaimGoesWithPod(t *testing.T) {
	run := func(p *v1.Pod) memory.PodBehavior {
		if strings.HasPrefix(p.Name, "short") {
			return memory.PodBehavior{Run: time.Minute}
		}
		return memory.PodBehavior{}
	}
	s := newScene(t, memory.Options{PodBehavior: run, Latency: memory.TypicalLatency()})
	create(s, node("n1"))
	create(s, gpuTemplate("one"))
	create(s, usingTemplate(mk.Pod("short").Obj(), "one"))
	create(s, usingTemplate(mk.Pod("long").Obj(), "one"))
	create(s, usingTemplate(mk.Pod("pending").Obj(), "one"))
	s.pass(time.Second)
	s.schedule("short", "n1", "gpu-0")
	s.schedule("long", "n1", "gpu-1")
	s.pass(10 * time.Second)
	s.wantsState(`
		resourceclaim long-gpu-* n1/gpu-1 for long protected
		resourceclaim pending-gpu-*
		resourceclaim short-gpu-* n1/gpu-0 for short protected
	`, world.ResourceClaim)
	s.pass(2 * time.Minute)
	s.wantsState(`
		resourceclaim long-gpu-* n1/gpu-1 for long protected
		resourceclaim pending-gpu-*
		pod long Running on n1 PodScheduled=True Ready=True
		pod pending Pending
		pod short Succeeded on n1 PodScheduled=True Ready=False/PodCompleted
	`, world.ResourceClaim, world.Pod)
	s.mustDelete(world.Pod, "long")
	s.mustDelete(world.Pod, "pending")
	s.pass(time.Minute)
	s.wantsState("", world.ResourceClaim)
}

func TestClaimController_ReservesForBoundPod(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, deviceClaim("shared"))
	create(s, usingClaim(mk.Pod("p").Obj(), "shared"))
	if err := allocate(s.Cluster, "shared", "n1", []string{"gpu-0"}); err != nil {
		t.Fatal(err)
	}
	s.bind("p", "n1") // by someone who does not know of claims
	s.pass(time.Second)
	s.wantsState("resourceclaim shared n1/gpu-0 for p protected", world.ResourceClaim)
}

func TestClaimController_Workloads(t *testing.T) {
	replicas := int32(2)
	spec := usingTemplate(mk.Pod("").Obj(), "one").Spec
	labels := map[string]string{"app": "a"}
	pods := v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	for _, owner := range []world.Object{
		&appsv1.StatefulSet{ObjectMeta: meta("a"), Spec: appsv1.StatefulSetSpec{Replicas: &replicas, Template: pods, Selector: selector, PodManagementPolicy: appsv1.ParallelPodManagement}},
		&appsv1.Deployment{ObjectMeta: meta("a"), Spec: appsv1.DeploymentSpec{Replicas: &replicas, Template: pods, Selector: selector}},
	} {
		t.Run(string(world.KindOf(owner)), func(t *testing.T) {
			s := newScene(t, memory.Options{Latency: memory.TypicalLatency()})
			create(s, node("n1"))
			create(s, gpuTemplate("one"))
			create(s, owner)
			s.pass(time.Minute)
			for i, o := range s.List(world.Pod) {
				s.schedule(o.GetName(), "n1", fmt.Sprintf("gpu-%d", i))
			}
			s.pass(time.Minute)
			used := map[string]bool{}
			for _, o := range s.List(world.ResourceClaim) {
				claim := o.(*resourcev1.ResourceClaim)
				used[claim.Status.Allocation.Devices.Results[0].Device] = true
			}
			if len(used) != 2 {
				t.Errorf("the claims have the devices %v, want two", used)
			}
			s.mustDelete(world.KindOf(owner), "a")
			s.pass(time.Minute)
			s.wantsState("", world.ResourceClaim, world.Pod)
		})
	}
}

func TestClaimController_ExtendedResourceClaim(t *testing.T) {
	s := newScene(t, memory.Options{PodBehavior: func(*v1.Pod) memory.PodBehavior { return memory.PodBehavior{Run: time.Minute} }})
	create(s, node("n1"))
	pod := create(s, mk.Pod("p").Obj())
	claim := deviceClaim("p-extended-resources-x")
	claim.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pod, v1.SchemeGroupVersion.WithKind("Pod"))}
	create(s, claim)
	next := s.Pod("default", "p").DeepCopy()
	next.Status.ExtendedResourceClaimStatus = &v1.PodExtendedResourceClaimStatus{ResourceClaimName: claim.Name}
	must[*v1.Pod](t)(s.UpdateStatus(next))
	if err := allocate(s.Cluster, claim.Name, "n1", []string{"gpu-0"}, pod); err != nil {
		t.Fatal(err)
	}
	s.bind("p", "n1")
	s.pass(30 * time.Second)
	s.wantsState("resourceclaim p-extended-resources-x n1/gpu-0 for p protected", world.ResourceClaim)
	s.pass(time.Minute)
	s.wantsState("", world.ResourceClaim)
}
