package cycle

import (
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
)

// ruleCase is a cluster for which releases decide otherwise.
type ruleCase struct {
	row, says string
	// from are the releases that decide otherwise than the one before.
	from    []release.Release
	cluster *clusterCase
	// first is the first release that is compared.
	first release.Release
}

func ruleCases() []ruleCase {
	from := func(list ...release.Release) []release.Release { return list }
	return []ruleCase{
		{row: "36-1", says: "the balance of a node that a pod improves", from: from(release.V136), cluster: balanceCase()},
		{row: "36-2", says: "the image of a volume is on a node", from: from(release.V136), cluster: imageVolumeCase()},
		{row: "36-3", says: "a pod's own labels change", from: from(release.V136), cluster: ownLabelsCase()},
		{row: "36-3", says: "a pod that kept others away is deleted", from: from(release.V136), cluster: antiAffinityGoneCase()},
		{row: "36-3", says: "a nominated pod that kept another away is deleted", from: from(release.V136), cluster: nominatedGoneCase()},
		{row: "36-4", says: "a nominated pod that another spreads from is deleted", from: from(release.V136), cluster: nominatedSpreadGoneCase()},
		{row: "36-5", says: "a node lacks the driver of a volume", from: from(release.V136), cluster: missingDriverCase()},
		{row: "36-5", says: "a Portworx volume where the node does not name the plugin as migrated", from: from(release.V136), cluster: portworxCase()},
		{row: "36-8", says: "a pod's volume is not provisioned", from: from(release.V136), cluster: unprovisionedCase()},
		{row: "36-11", says: "a pod with a claim that has devices, and one without", from: from(release.V136), cluster: allocatedBesideNewCase()},
		{row: "36-12", says: "equal pods, and a gate for extended resources of devices", from: from(release.V136), cluster: extendedResourceBatchCase()},
		{row: "36-13", says: "no node declares what a pod needs", from: from(release.V136), cluster: missingFeatureCase()},
		{row: "36-13", says: "no node declares user namespaces in its network", from: from(release.V136), cluster: hostNetworkUsersCase()},
		{row: "36-14", says: "a shape for another scoring type", from: from(release.V136), cluster: ratioCase()},
		{row: "37-1", says: "equal pods on a node that still has room", from: from(release.V137), cluster: batchCase()},
		{row: "37-2", says: "a victim of several budgets", from: from(release.V137), cluster: budgetsCase()},
		{row: "37-4", says: "a namespace selector that selects by what is missing", from: from(release.V137), cluster: namespaceSelectorCase()},
		{row: "37-5", says: "a pod of one of several anti-affinity terms is deleted", from: from(release.V137), cluster: antiAffinityTermsCase()},
		{row: "37-6", says: "a node without room gets a taint", from: from(release.V137), cluster: taintedCase()},
		{row: "37-7", says: "a pod with a scheduling gate is nominated for a node", from: from(release.V137), cluster: gatedNominationCase()},
		{row: "37-10", says: "what preemption says of its success", from: from(release.V137), cluster: preemptionCase()},
		{row: "37-12", says: "a pod without claims fits nowhere", from: from(release.V137), cluster: fullCase()},
		{row: "37-12", says: "a claim that has the only device is deleted", from: from(release.V137), cluster: claimGoneCase()},
		{row: "L-1", says: "a pod of which one container grows and one shrinks", from: from(release.V137), cluster: resizeCase()},
		{row: "37-13", says: "the image of a volume in the threshold", from: from(release.V136, release.V137), cluster: imageThresholdCase()},
		// Up to 1.35 the victim is deleted, and its binding fails some time after; 37-10 adds to the message.
		{row: "36-6", says: "a victim whose volume is being bound", from: from(release.V137), cluster: unboundVictimCase(), first: release.V136},
	}
}

// newRuleCluster is a cluster with a profile that scores by these plugins only; without any, by all.
func newRuleCluster(scores ...string) *clusterCase {
	c := &clusterCase{Config: &configv1.KubeSchedulerConfiguration{TypeMeta: metav1.TypeMeta{
		APIVersion: configv1.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration",
	}}}
	if len(scores) == 0 {
		return c
	}
	plugins := &configv1.Plugins{Score: configv1.PluginSet{Disabled: []configv1.Plugin{{Name: "*"}}}}
	for _, name := range scores {
		plugins.Score.Enabled = append(plugins.Score.Enabled, configv1.Plugin{Name: name, Weight: ptr.To[int32](1)})
	}
	c.Config.Profiles = []configv1.KubeSchedulerProfile{{SchedulerName: ptr.To(schedulerName), Plugins: plugins}}
	return c
}

// balanceCase has an empty node, which the pod leaves a little unbalanced, and one with much memory taken, which it balances a little.
func balanceCase() *clusterCase {
	c := newRuleCluster("NodeResourcesBalancedAllocation")
	c.Nodes = []*v1.Node{mk.Node("empty").CPU("10").Memory("10Gi").Obj(), mk.Node("used").CPU("10").Memory("10Gi").Obj()}
	c.Bound = []*v1.Pod{mk.Pod("bound").Node("used").Memory("8Gi").Obj()}
	c.Waiting = []*v1.Pod{mk.Pod("pod").CPU("1").Memory("10Mi").Obj()}
	return c
}

func imageVolume(image string) v1.VolumeSource {
	return v1.VolumeSource{Image: &v1.ImageVolumeSource{Reference: image}}
}

// imageVolumeCase has the image of a pod's volume on one of the nodes.
func imageVolumeCase() *clusterCase {
	c := newRuleCluster("ImageLocality", "NodeResourcesFit")
	c.Nodes = []*v1.Node{
		mk.Node("empty").CPU("10").Memory("10Gi").Obj(), mk.Node("has-image").CPU("10").Memory("10Gi").Image(4<<30, "example.com/data:v1").Obj(),
	}
	c.Bound = []*v1.Pod{mk.Pod("bound").Node("has-image").CPU("1").Memory("1Gi").Obj()}
	c.Waiting = []*v1.Pod{mk.Pod("pod").CPU("1").Memory("1Gi").Volume("data", imageVolume("example.com/data:v1")).Obj()}
	return c
}

// imageThresholdCase is the same with a node so full that half the score of the image is too little.
func imageThresholdCase() *clusterCase {
	c := imageVolumeCase()
	c.Nodes[1].Status.Images[0].SizeBytes = 2000 << 20
	c.Bound = []*v1.Pod{mk.Pod("bound").Node("has-image").CPU("7").Memory("7Gi").Obj()}
	return c
}

func podTerm(key, value string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}}
}

func antiAffinity(terms ...v1.PodAffinityTerm) *v1.Affinity {
	return &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}}
}

// ownLabelsCase has a pod that wants to be with pods of a label which it gets itself.
func ownLabelsCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Label(v1.LabelHostname, "node").Obj()}
	c.Waiting = []*v1.Pod{mk.Pod("pod").Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{podTerm("app", "a")},
	}}).Obj()}
	c.Changes = []clusterChange{{Wait: 3000, Pod: &podChange{podName: podName{"default", "pod"}, Labels: &map[string]string{"app": "a"}}}}
	return c
}

func antiAffinityGoneCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Label(v1.LabelHostname, "node").Obj()}
	c.Bound = []*v1.Pod{mk.Pod("alone").Node("node").Affinity(antiAffinity(podTerm("app", "a"))).Obj()}
	c.Waiting = []*v1.Pod{mk.Pod("pod").Label("app", "a").Obj()}
	c.Changes = []clusterChange{{Wait: 3000, DeletePod: &podName{"default", "alone"}}}
	return c
}

// batchCase has two equal pods, and the node of the first has room for the second. No pod that is spread is batched, even by default.
func batchCase() *clusterCase {
	c := newRuleCluster()
	c.Config.Profiles = []configv1.KubeSchedulerProfile{withArgs("PodTopologySpread", `{"kind":"PodTopologySpreadArgs","defaultingType":"List"}`)}
	for _, name := range []string{"a", "b", "c"} {
		c.Nodes = append(c.Nodes, mk.Node(name).CPU("10").Memory("10Gi").Obj())
	}
	for _, name := range []string{"pod-1", "pod-2"} {
		c.Waiting = append(c.Waiting, mk.Pod(name).CPU("1").Memory("1Gi").Obj())
	}
	return c
}

// budgetsCase has two victims on each of two nodes. On one of them both have a budget that allows one disruption, and one of them another
// that allows none.
func budgetsCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{mk.Node("both").CPU("2").Obj(), mk.Node("none").CPU("2").Obj()}
	victim := func(name, node string, priority int32, label string) *v1.Pod {
		return mk.Pod(name).Node(node).CPU("1").Priority(priority).Label(label, "yes").Obj()
	}
	first := victim("both-1", "both", 5, "shared")
	first.Labels["strict"] = "yes"
	c.Bound = []*v1.Pod{first, victim("both-2", "both", 4, "shared"), victim("none-1", "none", 2, "never"), victim("none-2", "none", 1, "never")}
	budget := func(name, label string, allowed int32) *policyv1.PodDisruptionBudget {
		return &policyv1.PodDisruptionBudget{
			ObjectMeta: objectMeta("default", name), Spec: policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{label: "yes"}}},
			Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed},
		}
	}
	c.Budgets = []*policyv1.PodDisruptionBudget{budget("a-strict", "strict", 0), budget("b-shared", "shared", 1), budget("c-never", "never", 0)}
	c.Waiting = []*v1.Pod{mk.Pod("preemptor").CPU("2").Priority(10).Obj()}
	return c
}

// namespaceSelectorCase has a pod that wants no pods beside it of namespaces without a label, which the other pod's has.
func namespaceSelectorCase() *clusterCase {
	c := newRuleCluster()
	c.Namespaces = []*v1.Namespace{{ObjectMeta: objectMeta("", "default")}, {ObjectMeta: objectMeta("", "other")}}
	c.Namespaces[1].Labels = map[string]string{"team": "x"}
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Label(v1.LabelHostname, "node").Obj()}
	c.Bound = []*v1.Pod{mk.Pod("bound").Namespace("other").Node("node").Label("app", "a").Obj()}
	term := podTerm("app", "a")
	term.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
		Key: "team", Operator: metav1.LabelSelectorOpDoesNotExist,
	}}}
	c.Waiting = []*v1.Pod{mk.Pod("pod").Affinity(antiAffinity(term)).Obj()}
	return c
}

// antiAffinityTermsCase has a pod that two others keep out, each by a term of its own, of which one goes.
func antiAffinityTermsCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Label(v1.LabelHostname, "node").Obj()}
	for _, name := range []string{"a", "b"} {
		c.Bound = append(c.Bound, mk.Pod(name).Node("node").Label("app", name).Obj())
	}
	c.Waiting = []*v1.Pod{mk.Pod("pod").Affinity(antiAffinity(podTerm("app", "a"), podTerm("app", "b"))).Obj()}
	c.Changes = []clusterChange{{Wait: 3000, DeletePod: &podName{"default", "a"}}}
	return c
}

func gatedNominationCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Obj()}
	c.Nominated = []*v1.Pod{mk.Pod("gated").CPU("3").Priority(10).Gate("example.com/wait").Nominated("node").Obj()}
	c.Waiting = []*v1.Pod{mk.Pod("pod").CPU("1").Obj()}
	return c
}

func fullCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Obj()}
	c.Waiting = []*v1.Pod{mk.Pod("pod").CPU("4").Obj()}
	return c
}

// taintedCase has a pod that needs more than the node has, which gets a taint.
func taintedCase() *clusterCase {
	c := fullCase()
	taints := []v1.Taint{{Key: "only", Value: "others", Effect: v1.TaintEffectNoSchedule}}
	c.Changes = []clusterChange{{Wait: 3000, Node: &nodeChange{Name: "node", Taints: &taints}}}
	return c
}

func preemptionCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Obj()}
	c.Bound = []*v1.Pod{mk.Pod("victim").Node("node").CPU("3").Obj()}
	c.Waiting = []*v1.Pod{mk.Pod("preemptor").CPU("3").Priority(10).Obj()}
	return c
}

// nominatedGoneCase has a pod that keeps away from another one, which is nominated for the only node but fits on none.
func nominatedGoneCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Label(v1.LabelHostname, "node").Obj()}
	c.Nominated = []*v1.Pod{mk.Pod("nominated").NodeSelector("no", "where").Priority(10).NeverPreempt().Label("app", "a").Nominated("node").Obj()}
	c.Waiting = []*v1.Pod{mk.Pod("pod").CPU("1").NeverPreempt().Affinity(antiAffinity(podTerm("app", "a"))).Obj()}
	c.Changes = []clusterChange{{Wait: 3000, DeletePod: &podName{"default", "nominated"}}}
	return c
}

// nominatedSpreadGoneCase has a pod that has to be in a zone with no more of its kind than the other zone, whose node is tainted.
func nominatedSpreadGoneCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{
		mk.Node("node").CPU("3").Zone("a").Obj(), mk.Node("tainted").CPU("3").Zone("b").Taint("only", "others", v1.TaintEffectNoSchedule).Obj(),
	}
	c.Nominated = []*v1.Pod{mk.Pod("nominated").NodeSelector("no", "where").Priority(10).NeverPreempt().Label("app", "a").Nominated("node").Obj()}
	pod := mk.Pod("pod").CPU("1").NeverPreempt().Label("app", "a").Obj()
	pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}},
	}}
	c.Waiting = []*v1.Pod{pod}
	c.Changes = []clusterChange{{Wait: 3000, DeletePod: &podName{"default", "nominated"}}}
	return c
}

// missingDriverCase has a claim whose volume is of a driver that the only node does not have.
func missingDriverCase() *clusterCase {
	const driver = "csi.example.com"
	c := newRuleCluster()
	c.Gates = map[string]bool{"VolumeLimitScaling": true}
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Obj()}
	claim := mk.Claim("claim").Class("any").Size("1Gi").Bound("volume").Obj()
	c.Storage = storage{
		Classes: []*storagev1.StorageClass{mk.Class("any", driver).Obj()}, Drivers: []*storagev1.CSIDriver{mk.CSIDriver(driver)},
		CSINodes: []*storagev1.CSINode{mk.CSINode("node").Obj()},
		Volumes:  []*v1.PersistentVolume{mk.Volume("volume").Class("any").Size("1Gi").CSI(driver, "handle").For(claim).Obj()},
		Claims:   []*v1.PersistentVolumeClaim{claim},
	}
	c.Waiting = []*v1.Pod{mk.Pod("pod").CPU("1").PVC("claim").Obj()}
	return c
}

// portworxCase has a volume of Portworx, and a node that takes none of its CSI driver.
func portworxCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Obj()}
	c.Storage = storage{CSINodes: []*storagev1.CSINode{mk.CSINode("node").Limit("pxd.portworx.com", 0).Obj()}}
	volume := v1.VolumeSource{PortworxVolume: &v1.PortworxVolumeSource{VolumeID: "volume"}}
	c.Waiting = []*v1.Pod{mk.Pod("pod").CPU("1").Volume("data", volume).Obj()}
	return c
}

// gpuCase has nodes with one device each.
func gpuCase(nodes ...string) *clusterCase {
	c := newRuleCluster()
	c.Devices.Classes = []*resourcev1.DeviceClass{mk.DeviceClass("gpu")}
	for _, name := range nodes {
		c.Nodes = append(c.Nodes, mk.Node(name).CPU("3").Obj())
		c.Devices.Slices = append(c.Devices.Slices, mk.ResourceSlice("on-"+name, gpuDriver, name).Node(name).Devices("0").Obj())
	}
	return c
}

// allocatedBesideNewCase has a pod that two nodes have a device for, and that has another one already, which both reach.
func allocatedBesideNewCase() *clusterCase {
	c := gpuCase("a", "b")
	reached := mk.ResourceClaim("reached").Request("nic", "gpu", 1).Allocated("", "nic", nicDriver, "everywhere", "0").Obj()
	reached.Status.Allocation.NodeSelector = nil
	c.Devices.Claims = []*resourcev1.ResourceClaim{reached, mk.ResourceClaim("new").Request("gpu", "gpu", 1).Obj()}
	c.Waiting = []*v1.Pod{mk.Pod("pod").CPU("1").ResourceClaim("reached").ResourceClaim("new").Obj()}
	return c
}

// claimGoneCase has a pod that wants the device which a claim without users has.
func claimGoneCase() *clusterCase {
	c := gpuCase("node")
	has := mk.ResourceClaim("has").Request("gpu", "gpu", 1).Allocated("node", "gpu", gpuDriver, "node", "0").Obj()
	c.Devices.Claims = []*resourcev1.ResourceClaim{has, mk.ResourceClaim("wants").Request("gpu", "gpu", 1).Obj()}
	c.Waiting = []*v1.Pod{mk.Pod("pod").CPU("1").ResourceClaim("wants").Obj()}
	c.Changes = []clusterChange{{Wait: 3000, Devices: &deviceObjects{Claims: []*resourcev1.ResourceClaim{has}}, Drops: true}}
	return c
}

// unprovisionedCase has a claim that is not provisioned: the pod is nominated while it waits, which it was not when it was popped.
func unprovisionedCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Obj()}
	c.Storage = storage{
		Classes: []*storagev1.StorageClass{mk.Class("late", "csi.example.com").WaitForFirstConsumer().Obj()},
		Claims:  []*v1.PersistentVolumeClaim{mk.Claim("claim").Class("late").Size("1Gi").Obj()},
	}
	c.Waiting = []*v1.Pod{mk.Pod("pod").CPU("1").PVC("claim").Obj()}
	c.Unprovisioned = []string{"claim"}
	return c
}

// unboundVictimCase has a pod whose claim nobody binds, and that has to make room for another one meanwhile.
func unboundVictimCase() *clusterCase {
	c := unprovisionedCase()
	c.Unbound, c.Unprovisioned = c.Unprovisioned, nil
	c.Changes = []clusterChange{{Wait: 3000, AddPod: mk.Pod("preemptor").CPU("3").Priority(10).Obj()}}
	return c
}

// extendedResourceBatchCase has two equal pods of which a node takes one, and a gate with which pods may ask for devices as resources.
func extendedResourceBatchCase() *clusterCase {
	c := batchCase()
	c.Gates = map[string]bool{"DRAExtendedResource": true}
	for _, pod := range c.Waiting {
		pod.Spec.Containers[0].Resources.Requests = mk.Resources("cpu", "6", "memory", "6Gi")
	}
	return c
}

func missingFeatureCase() *clusterCase {
	c := newRuleCluster()
	c.Gates = map[string]bool{"NodeDeclaredFeatures": true}
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Obj()}
	pod := mk.Pod("pod").CPU("1").Obj()
	pod.Spec.Containers[0].RestartPolicyRules = []v1.ContainerRestartRule{{
		Action: v1.ContainerRestartRuleActionRestartAllContainers, ExitCodes: &v1.ContainerRestartRuleOnExitCodes{Operator: v1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{1}},
	}}
	c.Waiting = []*v1.Pod{pod}
	return c
}

func hostNetworkUsersCase() *clusterCase {
	c := newRuleCluster()
	c.Gates = map[string]bool{"NodeDeclaredFeatures": true}
	c.Nodes = []*v1.Node{mk.Node("node").CPU("3").Obj()}
	pod := mk.Pod("pod").CPU("1").Obj()
	pod.Spec.HostNetwork, pod.Spec.HostUsers = true, ptr.To(false)
	c.Waiting = []*v1.Pod{pod}
	return c
}

// ratioCase has a configuration with the shape of a scoring type that it does not have.
func ratioCase() *clusterCase {
	c := preemptionCase()
	c.Config.Profiles = []configv1.KubeSchedulerProfile{withArgs("NodeResourcesFit", `{"kind":"NodeResourcesFitArgs","scoringStrategy":{`+
		`"type":"LeastAllocated","resources":[{"name":"cpu","weight":1}],`+
		`"requestedToCapacityRatio":{"shape":[{"utilization":0,"score":0},{"utilization":100,"score":10}]}}}`)}
	return c
}

// withArgs is the default profile with a plugin's arguments.
func withArgs(plugin, args string) configv1.KubeSchedulerProfile {
	return configv1.KubeSchedulerProfile{
		SchedulerName: ptr.To(schedulerName), PluginConfig: []configv1.PluginConfig{{Name: plugin, Args: runtime.RawExtension{Raw: []byte(args)}}},
	}
}

// resizeCase has a pod in resize: each of its sums is 3 CPUs, and the sum of the most of each container 4.
func resizeCase() *clusterCase {
	c := newRuleCluster()
	c.Nodes = []*v1.Node{mk.Node("node").CPU("4").Obj()}
	resized := mk.Pod("resized").Node("node").CPU("2").Container("second", "image", mk.Resources("cpu", "1")).Obj()
	for i, has := range []string{"1", "2"} {
		resized.Status.ContainerStatuses = append(resized.Status.ContainerStatuses, v1.ContainerStatus{
			Name: resized.Spec.Containers[i].Name, AllocatedResources: mk.Resources("cpu", has), Resources: &v1.ResourceRequirements{Requests: mk.Resources("cpu", has)},
		})
	}
	c.Bound = []*v1.Pod{resized}
	c.Waiting = []*v1.Pod{mk.Pod("pod").CPU("1").Obj()}
	return c
}
