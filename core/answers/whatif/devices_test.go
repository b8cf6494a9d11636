package whatif_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/scheduler/config"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

const (
	gpuDriver   = "gpu.example.com"
	noDevices   = "unschedulable (cannot allocate all claims)"
	wantsLarge  = `device.attributes["gpu.example.com"].model == "large"`
	otherDevice = "other.example.com"
)

// gpus are the devices of a node, all of one model.
func gpus(on, model string, names ...string) *mk.ResourceSliceBuilder {
	slice := mk.ResourceSlice(on, gpuDriver, on).Node(on)
	for _, name := range names {
		slice.Devices(name).Attribute("model", model)
	}
	return slice
}

func gpuClass() *resourcev1.DeviceClass {
	return mk.DeviceClass("gpu", `device.driver == "gpu.example.com"`)
}

func claimTemplate(name string) *resourcev1.ResourceClaimTemplate {
	return &resourcev1.ResourceClaimTemplate{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name},
		Spec:       resourcev1.ResourceClaimTemplateSpec{Spec: mk.ResourceClaim("").Request("gpu", "gpu", 1).Obj().Spec},
	}
}

// templated has pods get their claims from a template.
func templated(template string) func(*v1.PodSpec) {
	return func(spec *v1.PodSpec) {
		spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: &template}}
	}
}

func TestAddDevice_PlacesThePodOfAClaim(t *testing.T) {
	s := newScene(t, node("a", "4"), node("b", "4"), gpuClass(), gpus("a", "large", "gpu-0").Obj(),
		mk.ResourceClaim("pair").Request("gpu", "gpu", 2).Obj(), mk.Pod("web").CPU("1").ResourceClaim("pair").Obj())
	s.check("add device like a/gpu-0", "web placed: "+noDevices+" -> a")
	s.check("add device like gpu.example.com/a/gpu-0 on a", "web placed: "+noDevices+" -> a")
	s.check("add device like a/gpu-0 on b", "")
	s.check("add device like a/gpu-0 on b, add device like a/gpu-0 on b", "web placed: "+noDevices+" -> b")
}

// A node like one with devices has devices, too.
func TestAddNodes_WithDevices(t *testing.T) {
	s := newScene(t, node("a", "1"), gpuClass(), gpus("a", "large", "gpu-0").Obj(), mk.Pod("full").CPU("1").Node("a").Obj(),
		mk.ResourceClaim("one").Request("gpu", "gpu", 1).Obj(), mk.Pod("web").CPU("1").ResourceClaim("one").Obj())
	s.check("add 1 node like a", "web placed: unschedulable (Insufficient cpu) -> a-new1")
}

func TestTaintDevice_AndTolerateIt(t *testing.T) {
	features, err := config.ParseFeatures(map[string]bool{"DRADeviceTaints": true})
	if err != nil {
		t.Fatal(err)
	}
	s := newSceneWith(t, config.Default(features), node("a", "4"), gpuClass(), gpus("a", "large", "gpu-0").Taint("broken", resourcev1.DeviceTaintEffectNoSchedule).Obj(),
		mk.ResourceClaim("one").Request("gpu", "gpu", 1).Obj(), mk.Pod("web").CPU("1").ResourceClaim("one").Obj())
	s.check("untaint device a/gpu-0 broken", "web placed: "+noDevices+" -> a")
	s.check("tolerate claim one broken:NoSchedule", "web placed: "+noDevices+" -> a")
	s.check("tolerate claim one other", "")
	s.check("taint device a/gpu-0 hot=90:NoSchedule, tolerate claim one broken:NoSchedule", "")
}

func TestClaim_RequestsSomethingElse(t *testing.T) {
	s := newScene(t, node("a", "4"), gpuClass(), mk.DeviceClass("other", `device.driver == "other.example.com"`),
		gpus("a", "small", "gpu-0").Obj(), mk.ResourceSlice("a-other", otherDevice, "a-other").Node("a").Devices("x").Obj(),
		mk.ResourceClaim("two").Request("gpu", "gpu", 2).Obj(), mk.Pod("web").CPU("1").ResourceClaim("two").Obj(),
		mk.ResourceClaim("large").Request("gpu", "gpu", 1, wantsLarge).Obj(), mk.Pod("db").CPU("1").ResourceClaim("large").Obj())
	s.check("count claim two 1", "web placed: "+noDevices+" -> a")
	s.check("relax claim large of gpu", "db placed: "+noDevices+" -> a")
	s.check("class claim two other, count claim two 1 of gpu", "web placed: "+noDevices+" -> a")
}

func TestClaim_WithoutConstraint(t *testing.T) {
	pair := mk.ResourceClaim("pair").Request("gpu", "gpu", 2).Matching(gpuDriver + "/model").Obj()
	unlike := gpus("a", "large", "gpu-0").Devices("gpu-1").Attribute("model", "small").Obj()
	s := newScene(t, node("a", "4"), gpuClass(), unlike, pair, mk.Pod("web").CPU("1").ResourceClaim("pair").Obj())
	s.check("unconstrain claim pair "+gpuDriver+"/model", "web placed: "+noDevices+" -> a")
}

// The controller of device taints evicts a pod from a device that fails, and its owner's next pod gets another one.
func TestTaintDevice_EvictsPods(t *testing.T) {
	features, err := config.ParseFeatures(map[string]bool{"DRADeviceTaints": true})
	if err != nil {
		t.Fatal(err)
	}
	s := newSceneWith(t, config.Default(features), node("a", "4"), gpuClass(), gpus("a", "large", "gpu-0").Obj(), claimTemplate("single"),
		set("train", 1, "1", templated("single")))
	s.create(node("b", "4"), gpus("b", "large", "gpu-0").Obj())
	if got := s.evaluate("taint device a/gpu-0 failed:NoExecute"); len(got.Pods) != 1 || got.Pods[0].Kind != whatif.Moved || got.Pods[0].With.Node != "b" || got.Truncated {
		t.Errorf("the answer is %+v", got.Pods)
	}
	if got := s.evaluate("taint device a/gpu-0 failed:NoSchedule"); len(got.Pods) != 0 {
		t.Errorf("with NoSchedule the answer is %+v", got.Pods)
	}
}

func TestFreeClaim_EndsThePodsThatUseIt(t *testing.T) {
	s := newScene(t, node("a", "4"), gpuClass(), gpus("a", "large", "gpu-0").Obj(),
		mk.ResourceClaim("held").Request("gpu", "gpu", 1).Obj(), mk.Pod("holder").CPU("1").ResourceClaim("held").Obj())
	s.create(mk.ResourceClaim("one").Request("gpu", "gpu", 1).Obj(), mk.Pod("web").CPU("1").ResourceClaim("one").Obj())
	s.check("free claim held", "holder evicted: a -> gone (deleted)\nweb placed: "+noDevices+" -> a")
}

// A pod that is recreated gets a claim like that of the one before, though no scheduler knows its template.
func TestDrain_RecreatesClaimsOfTemplates(t *testing.T) {
	s := newScene(t, node("a", "4"), gpuClass(), gpus("a", "large", "gpu-0").Obj(), claimTemplate("single"),
		set("train", 1, "1", templated("single")))
	s.create(node("b", "4"), gpus("b", "large", "gpu-0").Obj())
	if got := s.evaluate("drain a"); len(got.Pods) != 1 || got.Pods[0].Kind != whatif.Moved || got.Pods[0].With.Node != "b" || len(got.Notes) > 0 {
		t.Errorf("the answer is %+v with notes %q", got.Pods, got.Notes)
	}
	if got := s.evaluate("scale train 2"); len(got.Pods) != 1 || got.Pods[0].With.Node != "b" {
		t.Errorf("scaled up, the answer is %+v", got.Pods)
	}
	if got := s.evaluate("scale train 3"); len(got.Pods) != 2 || got.Pods[0].With.Node+got.Pods[1].With.Node != "b" {
		t.Errorf("scaled beyond the devices, the answer is %+v", got.Pods)
	}
}

func TestTemplate_UnknownIsNoted(t *testing.T) {
	pod := mk.Pod("web").CPU("1").Obj()
	templated("single")(&pod.Spec)
	s := newScene(t, node("a", "4"), gpuClass(), pod)
	if got := s.evaluate("cordon a"); len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "resource claim template default/single") {
		t.Errorf("the notes are %q", got.Notes)
	}
}

func TestDevices_RefusedChanges(t *testing.T) {
	s := newScene(t, node("a", "4"), gpuClass(), gpus("a", "large", "gpu-0").Obj(), mk.ResourceClaim("held").Request("gpu", "gpu", 1).Obj(),
		mk.Pod("holder").CPU("1").ResourceClaim("held").Obj(), mk.ResourceClaim("two").Request("x", "gpu", 1).Request("y", "gpu", 1).Obj())
	for question, want := range map[string]string{
		"add device like a/gpu-9":          `there is no device "a/gpu-9"`,
		"add device like a/gpu-0 on c":     `there is no node "c"`,
		"untaint device a/gpu-0 hot":       `device "a/gpu-0" has no taint "hot" of its own`,
		"free claim nothing":               `there is no resource claim "nothing"`,
		"free claim two":                   `claim "default/two" has no devices`,
		"class claim two gold":             `there is no device class "gold"`,
		"count claim held 2":               `claim "default/held" has devices: what it requests no longer matters; free it first`,
		"count claim two 2":                `claim "default/two" has several requests: end with "of REQUEST"`,
		"relax claim two of z":             `claim "default/two" has no request "z"`,
		"unconstrain claim two a.com/numa": `claim "default/two" has no constraint on attribute "a.com/numa"`,
		"tolerate claim default/nothing k": `there is no resource claim "default/nothing"`,
	} {
		changes, err := change.ParseAll([]string{question})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = whatif.Evaluate(s.engine, changes, whatif.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", question, err, want)
		}
	}
}

// The claims of the cluster that was asked about are not changed by an answer.
func TestDevices_EngineIsOnlyRead(t *testing.T) {
	s := newScene(t, node("a", "4"), gpuClass(), gpus("a", "large", "gpu-0").Obj(),
		mk.ResourceClaim("held").Request("gpu", "gpu", 1).Obj(), mk.Pod("holder").CPU("1").ResourceClaim("held").Obj())
	before := s.engine.Digest()
	s.evaluate("free claim held, add device like a/gpu-0")
	if s.engine.Digest() != before || s.engine.Devices().Claim("default", "held").Status.Allocation == nil || s.engine.Store().Len(world.ResourceSlice) != 1 {
		t.Error("the engine was changed")
	}
}
