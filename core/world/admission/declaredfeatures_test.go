package admission_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/admission"
)

// oneNode is a cluster of a node.
type oneNode struct{ *v1.Node }

func (n oneNode) Get(world.Kind, string, string) (world.Object, error) { return n.Node, nil }
func (n oneNode) List(world.Kind) []world.Object                       { return []world.Object{n.Node} }
func (oneNode) Now() time.Time                                         { return time.Time{} }

// Shows NDF-04.
func TestDeclaredFeatures_RefuseResizes(t *testing.T) {
	pod := mk.Pod("web").CPU("1").Node("n1").Obj()
	pod.Spec.InitContainers = []v1.Container{{Name: "setup"}}
	small := resource.MustParse("1Gi")
	pod.Spec.Volumes = []v1.Volume{{Name: "ram", VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{
		Medium: v1.StorageMediumMemory, SizeLimit: &small,
	}}}}
	for name, c := range map[string]struct {
		resize func(*v1.PodSpec)
		needs  string
	}{
		"a container": {resize: func(s *v1.PodSpec) { s.Containers[0].Resources.Requests = mk.Resources("cpu", "2") }},
		"the pod": {
			func(s *v1.PodSpec) { s.Resources = &v1.ResourceRequirements{Requests: mk.Resources("cpu", "2")} },
			"InPlacePodLevelResourcesVerticalScaling",
		},
		"an init container": {
			func(s *v1.PodSpec) { s.InitContainers[0].Resources.Requests = mk.Resources("cpu", "2") },
			"InPlacePodVerticalScalingInitContainers",
		},
		"a volume in memory": {
			func(s *v1.PodSpec) { large := resource.MustParse("2Gi"); s.Volumes[0].EmptyDir.SizeLimit = &large },
			"InPlacePodVerticalScalingMemoryBackedVolumes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			changed := pod.DeepCopy()
			changed.Generation++
			c.resize(&changed.Spec)
			validate := func(gate bool, declared ...string) string {
				node := mk.Node("n1").Obj()
				node.Status.DeclaredFeatures = declared
				q := &admission.Request{Object: changed, Old: pod, Resource: v1.SchemeGroupVersion.WithResource("pods"), Subresource: "resize"}
				if err := admission.New(admission.Options{DeclaredFeatures: gate}).Validate(oneNode{node}, q); err != nil {
					return err.Error()
				}
				return ""
			}
			want := ""
			if c.needs != "" {
				want = `pods "web" is forbidden: pod update requires features ` + c.needs + ` which are not available on node "n1"`
			}
			if got := validate(true); got != want {
				t.Errorf("on a node that declares nothing: %q, want %q", got, want)
			}
			if got := validate(true, c.needs); got != "" {
				t.Errorf("on a node that declares it: %q", got)
			}
			if got := validate(false); got != "" {
				t.Errorf("with the gate off: %q", got)
			}
		})
	}
}
