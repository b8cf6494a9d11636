package nodevolumelimits_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestQueueingHints(t *testing.T) {
	own := mk.Pod("p").Volume("v", ephemeral()).Obj()
	inline := mk.Pod("p").Volume("v", onEBS("vol-1")).Obj()
	claim := mk.Pod("p").PVC("a").Obj()
	plain := mk.Pod("p").Obj()
	policy := mk.Pod("p").Volume("v", v1.VolumeSource{VsphereVolume: &v1.VsphereVirtualDiskVolumeSource{StoragePolicyName: "gold"}}).Obj()
	node := func() *mk.CSINodeBuilder { return mk.CSINode("n") }
	for name, tc := range map[string]struct {
		pod           *v1.Pod
		resource      fwk.EventResource
		action        fwk.ActionType
		before, after any
		want          string
	}{
		"a CSINode is added":                                     {claim, fwk.CSINode, fwk.Add, nil, node().Obj(), "Queue"},
		"a limit is raised":                                      {claim, fwk.CSINode, fwk.Update, node().Limit(csi, 1).Obj(), node().Limit(csi, 2).Obj(), "Queue"},
		"a limit of several is raised":                           {claim, fwk.CSINode, fwk.Update, node().Limit(csi, 2).Limit(ebs, 1).Obj(), node().Limit(csi, 1).Limit(ebs, 2).Obj(), "Queue"},
		"a limit is lowered":                                     {claim, fwk.CSINode, fwk.Update, node().Limit(csi, 2).Obj(), node().Limit(csi, 1).Obj(), "QueueSkip"},
		"a driver with a limit is new":                           {claim, fwk.CSINode, fwk.Update, node().Obj(), node().Limit(csi, 1).Obj(), "Queue"},
		"a driver without a limit is new":                        {claim, fwk.CSINode, fwk.Update, node().Obj(), node().Driver(csi).Obj(), "QueueSkip"},
		"a limit is dropped":                                     {claim, fwk.CSINode, fwk.Update, node().Limit(csi, 2).Obj(), node().Driver(csi).Obj(), "QueueSkip"},
		"an object that is no CSINode":                           {claim, fwk.CSINode, fwk.Update, plain, plain, "Queue: reading the old object of an event: it is a *v1.Pod where a *v1.CSINode was expected"},
		"a pod with a claim is deleted":                          {claim, fwk.Pod, fwk.Delete, mk.Pod("q").Node("n").PVC("b").Obj(), nil, "Queue"},
		"a nominated pod with a claim is deleted":                {claim, fwk.Pod, fwk.Delete, mk.Pod("q").Nominated("n").PVC("b").Obj(), nil, "Queue"},
		"a pod without a node is deleted":                        {claim, fwk.Pod, fwk.Delete, mk.Pod("q").PVC("b").Obj(), nil, "QueueSkip"},
		"a pod with an ephemeral volume is deleted":              {claim, fwk.Pod, fwk.Delete, mk.Pod("q").Node("n").Volume("v", ephemeral()).Obj(), nil, "Queue"},
		"a pod with an inline volume is deleted":                 {claim, fwk.Pod, fwk.Delete, mk.Pod("q").Node("n").Volume("v", onEBS("vol-2")).Obj(), nil, "Queue"},
		"a pod without volumes is deleted":                       {claim, fwk.Pod, fwk.Delete, mk.Pod("q").Node("n").Obj(), nil, "QueueSkip"},
		"an object that is no pod":                               {claim, fwk.Pod, fwk.Delete, node().Obj(), nil, "Queue: reading the old object of an event: it is a *v1.CSINode where a *v1.Pod was expected"},
		"the claim is added":                                     {claim, fwk.PersistentVolumeClaim, fwk.Add, nil, mk.Claim("a").Obj(), "Queue"},
		"the claim of the ephemeral volume is added":             {own, fwk.PersistentVolumeClaim, fwk.Add, nil, mk.Claim("p-v").Obj(), "Queue"},
		"another claim is added":                                 {own, fwk.PersistentVolumeClaim, fwk.Add, nil, mk.Claim("v").Obj(), "QueueSkip"},
		"a claim elsewhere is added":                             {claim, fwk.PersistentVolumeClaim, fwk.Add, nil, mk.Claim("a").Namespace("shop").Obj(), "QueueSkip"},
		"the claim is updated":                                   {claim, fwk.PersistentVolumeClaim, fwk.Update, mk.Claim("a").Obj(), mk.Claim("a").Obj(), "not registered"},
		"an object that is no claim":                             {claim, fwk.PersistentVolumeClaim, fwk.Add, nil, plain, "Queue: reading the new object of an event: it is a *v1.Pod where a *v1.PersistentVolumeClaim was expected"},
		"an attachment is deleted":                               {claim, fwk.VolumeAttachment, fwk.Delete, mk.Attachment("x", "n", "any", "pv"), nil, "Queue"},
		"an attachment of the inline volume's driver is deleted": {inline, fwk.VolumeAttachment, fwk.Delete, mk.Attachment("x", "n", ebs, "pv"), nil, "Queue"},
		"an attachment of another driver is deleted":             {inline, fwk.VolumeAttachment, fwk.Delete, mk.Attachment("x", "n", csi, "pv"), nil, "QueueSkip"},
		"an attachment is deleted, for an ephemeral volume":      {own, fwk.VolumeAttachment, fwk.Delete, mk.Attachment("x", "n", csi, "pv"), nil, "QueueSkip"},
		"an attachment is deleted, for a volume without a meaning": {
			policy, fwk.VolumeAttachment, fwk.Delete, mk.Attachment("x", "n", csi, "pv"), nil,
			"Queue: converting volume(v) from inline to csi: an inline vSphere volume with a storage policy has no translation",
		},
		"an object that is no attachment": {claim, fwk.VolumeAttachment, fwk.Delete, plain, nil, "Queue: reading the old object of an event: it is a *v1.Pod where a *v1.VolumeAttachment was expected"},
		"a node is added":                 {claim, fwk.Node, fwk.Add, nil, mk.Node("n").Obj(), "not registered"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, tracking(t, store.New(), nil), tc.resource, tc.action, tc.pod, tc.before, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
