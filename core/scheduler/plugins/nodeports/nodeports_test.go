package nodeports_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodeports"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func plugin(t *testing.T) *nodeports.NodePorts {
	p, err := nodeports.New(t.Context(), nil, nil, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return p.(*nodeports.NodePorts)
}

func onNode(pods ...*v1.Pod) fwk.NodeInfo {
	info := cache.NewNodeInfo(pods...)
	info.SetNode(mk.Node("n").Obj())
	return info
}

// claiming is a pod with one host port.
func claiming(name, ip string, protocol v1.Protocol, port int32) *v1.Pod {
	pod := mk.Pod(name).Obj()
	pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostIP: ip, Protocol: protocol, HostPort: port, ContainerPort: 1}}
	return pod
}

// inInit is a pod whose port is claimed by an init container instead.
func inInit(pod *v1.Pod, restart *v1.ContainerRestartPolicy) *v1.Pod {
	pod.Spec.InitContainers = []v1.Container{{Name: "init", Ports: pod.Spec.Containers[0].Ports, RestartPolicy: restart}}
	pod.Spec.Containers[0].Ports = nil
	return pod
}

const inUse = "Unschedulable: node(s) didn't have free ports for the requested pod ports"

func TestFilter(t *testing.T) {
	always, onFailure := v1.ContainerRestartPolicyAlways, v1.ContainerRestartPolicyOnFailure
	for name, tc := range map[string]struct {
		pod, other *v1.Pod
		want       string
	}{
		"no host port":                         {mk.Pod("p").Obj(), claiming("q", "", "", 80), "Skip"},
		"a container port without a host port": {claiming("p", "", "", 0), claiming("q", "", "", 80), "Skip"},
		"a free port":                          {claiming("p", "", "", 80), claiming("q", "", "", 81), "Success"},
		"the same port":                        {claiming("p", "", "", 80), claiming("q", "", "", 80), inUse},
		"no protocol is TCP":                   {claiming("p", "", "", 80), claiming("q", "", v1.ProtocolTCP, 80), inUse},
		"another protocol":                     {claiming("p", "", v1.ProtocolUDP, 80), claiming("q", "", v1.ProtocolTCP, 80), "Success"},
		"no address is every address":          {claiming("p", "", "", 80), claiming("q", "10.0.0.1", "", 80), inUse},
		"0.0.0.0 is every address":             {claiming("p", "0.0.0.0", "", 80), claiming("q", "", "", 80), inUse},
		"one address, in use on every address": {claiming("p", "10.0.0.1", "", 80), claiming("q", "0.0.0.0", "", 80), inUse},
		"one address, in use on another":       {claiming("p", "10.0.0.1", "", 80), claiming("q", "10.0.0.2", "", 80), "Success"},
		"a sidecar's port counts":              {inInit(claiming("p", "", "", 80), &always), claiming("q", "", "", 80), inUse},
		"the port of an init container restarted on failure does not count": {inInit(claiming("p", "", "", 80), &onFailure), claiming("q", "", "", 80), "Skip"},
		"an init container's port does not count":                           {inInit(claiming("p", "", "", 80), nil), claiming("q", "", "", 80), "Skip"},
		"an init container's port of a pod on the node does not count":      {claiming("p", "", "", 80), inInit(claiming("q", "", "", 80), nil), "Success"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Filter(plugin(t), tc.pod, onNode(tc.other)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFilter_WithoutPreFilter(t *testing.T) {
	status := plugin(t).Filter(t.Context(), framework.NewCycleState(), claiming("p", "", "", 80), onNode())
	if got, want := plugintest.StatusText(status), `Error: reading "PreFilterNodePorts" from cycleState: not found`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestQueueingHints(t *testing.T) {
	pod := claiming("p", "", "", 80)
	assigned := func(pod *v1.Pod) *v1.Pod { pod.Spec.NodeName = "n"; return pod }
	nominated := claiming("q", "", "", 80)
	nominated.Status.NominatedNodeName = "n"
	for name, tc := range map[string]struct {
		resource      fwk.EventResource
		action        fwk.ActionType
		before, after any
		want          string
	}{
		"a pod on a node with the port is deleted":          {fwk.Pod, fwk.Delete, assigned(claiming("q", "10.0.0.1", "", 80)), nil, "Queue"},
		"a nominated pod with the port is deleted":          {fwk.Pod, fwk.Delete, nominated, nil, "Queue"},
		"a pod with the port but without a node is deleted": {fwk.Pod, fwk.Delete, claiming("q", "", "", 80), nil, "QueueSkip"},
		"a pod with another port is deleted":                {fwk.Pod, fwk.Delete, assigned(claiming("q", "", "", 81)), nil, "QueueSkip"},
		"a pod without host ports is deleted":               {fwk.Pod, fwk.Delete, assigned(mk.Pod("q").Obj()), nil, "QueueSkip"},
		"a node is added":                                   {fwk.Node, fwk.Add, nil, mk.Node("n").Obj(), "Queue"},
		"a pod is created":                                  {fwk.Pod, fwk.Add, nil, pod, "not registered"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, plugin(t), tc.resource, tc.action, pod, tc.before, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestSignPod(t *testing.T) {
	tcp := plugintest.Signature(t, plugin(t), claiming("p", "", v1.ProtocolTCP, 80))
	udp := plugintest.Signature(t, plugin(t), claiming("p", "", v1.ProtocolUDP, 80))
	want := map[string]string{
		"v1.Pod.Spec.HostPorts()":             "[80]",
		"orrery/v1.Pod.Spec.HostPortClaims()": `[{"IP":"","Protocol":"TCP","Port":80}]`,
	}
	if diff := cmp.Diff(want, tcp); diff != "" {
		t.Errorf("signature (-want +got):\n%s", diff)
	}
	if cmp.Equal(tcp, udp) {
		t.Error("two protocols have one signature, although the port may be free for one of them only")
	}
}

func TestFilter_DoesNotAllocate(t *testing.T) {
	p, ctx, state, pod := plugin(t), t.Context(), framework.NewCycleState(), claiming("p", "10.0.0.1", "", 80)
	p.PreFilter(ctx, state, pod, nil)
	for name, node := range map[string]fwk.NodeInfo{
		"free":  onNode(claiming("q", "", "", 81)),
		"taken": onNode(claiming("q", "", "", 80)),
	} {
		if n := testing.AllocsPerRun(100, func() { p.Filter(ctx, state, pod, node) }); n != 0 {
			t.Errorf("a node where the port is %s: %v allocations", name, n)
		}
	}
}
