package nodedeclaredfeatures_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/nodedeclaredfeatures"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestFilter_ByRelease(t *testing.T) {
	const (
		named = "UnschedulableAndUnresolvable: node declared features check failed - unsatisfied requirements: "
		brief = "UnschedulableAndUnresolvable: node(s) didn't match Pod's required features"
	)
	hostUsers := mk.Pod("p").Obj()
	hostUsers.Spec.HostNetwork, hostUsers.Spec.HostUsers = true, ptr.To(false)
	for name, tc := range map[string]struct {
		pod         *v1.Pod
		node        *v1.Node
		before, now string
	}{
		"the node lacks a feature":                            {needing(), declaring("Other"), named + restartAll, brief},
		"the node declares the feature":                       {needing(), declaring(restartAll), "Success", "Success"},
		"user namespaces in the host's network":               {hostUsers, declaring(), "Skip", brief},
		"user namespaces in the host's network, and declared": {hostUsers, declaring("UserNamespacesHostNetworkSupport"), "Skip", "Success"},
	} {
		t.Run(name, func(t *testing.T) {
			node := cache.NewNodeInfo()
			node.SetNode(tc.node)
			for r, want := range map[release.Release]string{release.V135: tc.before, release.V136: tc.now, release.V137: tc.now} {
				features, err := config.ParseFeaturesOf(r, map[string]bool{"NodeDeclaredFeatures": true})
				if err != nil {
					t.Fatal(err)
				}
				p, err := nodedeclaredfeatures.New(t.Context(), nil, nil, features)
				if err != nil {
					t.Fatal(err)
				}
				if got := plugintest.Filter(p.(*nodedeclaredfeatures.NodeDeclaredFeatures), tc.pod, node); got != want {
					t.Errorf("in %v: got %q, want %q", r, got, want)
				}
			}
		})
	}
}
