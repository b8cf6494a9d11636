package dynamicresources_test

import (
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

const gpu v1.ResourceName = "example.com/gpu"

// extended is a cluster in which the class gpu serves an extended resource on node n.
func extended(t *testing.T) *fixture {
	t.Helper()
	resource, class := string(gpu), mk.DeviceClass("gpu")
	class.Spec.ExtendedResourceName = &resource
	return newFixture(t, "DRAExtendedResource", class, mk.ResourceSlice("s", driver, "p").Node("n").Devices("1", "2", "3", "4", "5", "6").Obj())
}

func requests(amount string) v1.ResourceList { return mk.Resources("cpu", "1", string(gpu), amount) }

// The position of a container counts the one that mk.Pod begins with. Containers that run to the end have devices of their own; init containers that end use those, and share what they need more.
func TestExtendedResources_Requests(t *testing.T) {
	for name, tt := range map[string]struct {
		pod  *mk.PodBuilder
		want string
	}{
		"two containers":                   {mk.Pod("p").Container("a", "", requests("1")).Container("b", "", requests("2")), "container-1-request-1=1 container-2-request-1=2; a:1 b:2"},
		"an init container needs less":     {mk.Pod("p").Init("i", requests("1")).Container("a", "", requests("2")), "container-2-request-1=2; a:2 i:2"},
		"an init container needs more":     {mk.Pod("p").Init("i", requests("3")).Container("a", "", requests("2")), "container-0-request-1=1 container-2-request-1=2; a:2 i:2 i:0"},
		"init containers share the most":   {mk.Pod("p").Init("i", requests("2")).Init("j", requests("3")).Container("a", "", mk.Resources("cpu", "1")), "container-1-request-1=3; i:1 j:1"},
		"a sidecar keeps its devices":      {mk.Pod("p").Sidecar("s", requests("1")).Container("a", "", requests("1")), "container-0-request-1=1 container-2-request-1=1; s:0 a:2"},
		"only later containers are shared": {mk.Pod("p").Sidecar("s", requests("1")).Init("i", requests("1")).Container("a", "", mk.Resources("cpu", "1")), "container-0-request-1=1 container-1-request-1=1; s:0 i:1"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := tt.pod.Obj()
			b := extended(t).bind(pod, mk.Node("n").Obj())
			b.step(nil)
			created := b.last.Action.(world.CreateResourceClaim).Claim
			var words []string
			for _, r := range created.Spec.Devices.Requests {
				words = append(words, fmt.Sprintf("%s=%d", r.Name, r.Exactly.Count))
			}
			b.succeed()
			b.succeed()
			var users []string
			for _, m := range b.last.Action.(world.PatchStatus).ExtendedResources.RequestMappings {
				users = append(users, m.ContainerName+":"+strings.Split(m.RequestName, "-")[1])
			}
			wants(t, "requests and mappings", tt.want, strings.Join(words, " ")+"; "+strings.Join(users, " "))
		})
	}
}

func TestExtendedResources_ByNode(t *testing.T) {
	for name, tt := range map[string]struct {
		pod  *v1.Pod
		node *v1.Node
		want string
	}{
		"devices serve it":             {mk.Pod("p").Request(gpu, "2").Obj(), mk.Node("n").Obj(), ""},
		"the node has it itself":       {mk.Pod("p").Request(gpu, "2").Obj(), mk.Node("m").Resource(gpu, "4").Obj(), ""},
		"too few devices":              {mk.Pod("p").Request(gpu, "7").Obj(), mk.Node("n").Obj(), "UnschedulableAndUnresolvable: cannot allocate all claims"},
		"another one that no node has": {mk.Pod("p").Request(gpu, "1").Request("example.com/nic", "1").Obj(), mk.Node("n").Obj(), "UnschedulableAndUnresolvable: cannot fit resource"},
	} {
		t.Run(name, func(t *testing.T) {
			f := extended(t)
			state, rejected := f.cycle(tt.pod)
			wants(t, "PreFilter", "", rejected)
			wants(t, "Filter", tt.want, f.filter(state, tt.pod, tt.node))
		})
	}
	if _, got := extended(t).cycle(mk.Pod("p").Request("example.com/nic", "1").Obj()); got != "Skip" {
		t.Errorf("a pod with a resource that no class has: %q", got)
	}
}

// A device plugin of the node has the extended resource, so there is nothing to create.
func TestExtendedResources_OwnClaimBesideDevicePlugin(t *testing.T) {
	f := extended(t)
	f.apply(world.Added, claim().Request("gpu", "gpu", 1).Obj())
	pod := user()
	pod.Spec.Containers[0].Resources.Requests = requests("1")
	b := f.bind(pod, mk.Node("n").Resource(gpu, "1").Obj())
	wants(t, "first", "reserve c: gpu=p/1", b.step(nil))
	wants(t, "second", "done", b.succeed())
	wants(t, "Unreserve", "unreserve c", b.end())
}

// The claim of an attempt that failed is deleted before the pod is tried again.
func TestExtendedResources_OldClaimIsDeleted(t *testing.T) {
	f := extended(t)
	pod := mk.Pod("p").Request(gpu, "1").Obj()
	b := f.bind(pod, mk.Node("n").Obj())
	b.step(nil)
	b.succeed()
	b.end()
	f.emitted = nil
	state, _ := f.cycle(pod)
	wants(t, "Filter", "UnschedulableAndUnresolvable: cannot schedule extended resource claim", f.filter(state, pod, mk.Node("n").Obj()))
	_, status := f.plugin.PostFilter(t.Context(), state, pod, nil)
	wants(t, "PostFilter", "Unschedulable: deletion of ResourceClaim completed", text(status))
	if len(f.emitted) != 1 || !strings.HasPrefix(written(f.emitted[0]), "delete p-extended-resources-") {
		t.Errorf("effects %+v", f.emitted)
	}
}
