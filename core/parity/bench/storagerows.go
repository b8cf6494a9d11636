package main

import (
	"fmt"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/testing/mk/kinds"
	"orrery/core/world"
)

// storageRows are the workloads with volumes of upstream's scheduler_perf, and pods whose claims are bound with them.
var storageRows = []row{
	{name: "secret volume", pod: func(i int) *mk.PodBuilder {
		return kinds.Plain(i).Volume("secret", v1.VolumeSource{Secret: &v1.SecretVolumeSource{SecretName: "secret"}})
	}},
	{name: "in-tree volumes", pod: withClaim, bound: oneMore(withClaim), storage: preBound(ebsDisk)},
	{name: "migrated volumes", pod: withClaim, bound: oneMore(withClaim), storage: preBound(ebsDisk), onNode: func(node string) []world.Object {
		return []world.Object{mk.CSINode(node).Limit(ebsDriver, 39).Migrated("kubernetes.io/aws-ebs").Obj()}
	}},
	{name: "CSI volumes", pod: withClaim, bound: oneMore(withClaim), storage: preBound(csiVolume), onNode: limited(39)},
	{
		name: "volume limits", pods: 300, pod: withClaim, bound: mostlyFull,
		storage: preBound(csiVolume), onNode: limited(fullNode),
	},
	{
		name: "preemption with volumes", pods: 100, bound: filled, storage: preBound(ebsDisk),
		pod: func(i int) *mk.PodBuilder { return withClaim(i).CPU("16").Priority(100) },
	},
	{
		name: "delayed binding", pod: withClaim, bound: oneMore(withClaim), onNode: limited(39),
		objects: classes("kubernetes.io/no-provisioner"), storage: localDisk,
	},
	{
		name: "provisioning", pod: withClaim, bound: oneMore(withClaim), onNode: limited(39),
		objects: append(classes(ebsDriver), capacities()...), storage: provisioned,
	},
}

// ebsDriver is the driver of the CSI volumes, and of the in-tree ones where they are migrated.
const ebsDriver = "ebs.csi.aws.com"

// withClaim is a small pod with a claim of its own.
func withClaim(i int) *mk.PodBuilder { return kinds.Plain(i).PVC(claimName(i)) }

func claimName(i int) string { return fmt.Sprintf("claim-%d", i) }

func numberOf(claim string) int {
	i, err := strconv.Atoi(strings.TrimPrefix(claim, "claim-"))
	if err != nil {
		panic(err) // claimName makes the names
	}
	return i
}

// firstBound is the number of the first pod that is on a node from the start.
const firstBound = 1_000_000

// oneMore adds one of the row's own pods to the usual ones of every node.
func oneMore(pod func(int) *mk.PodBuilder) func(int) []*mk.PodBuilder {
	return func(node int) []*mk.PodBuilder { return append(usual(node), pod(firstBound+node)) }
}

// fullNode is how many volumes a node can have in the row where most have as many.
const fullNode = 5

// mostlyFull gives three of four nodes a pod with all the volumes that the node can have.
func mostlyFull(node int) []*mk.PodBuilder {
	if node%4 == 0 {
		return usual(node)
	}
	pod := kinds.Plain(firstBound + node)
	for i := range fullNode {
		pod.PVC(claimName(firstBound + node*fullNode + i))
	}
	return append(usual(node), pod)
}

func limited(volumes int32) func(string) []world.Object {
	return func(node string) []world.Object {
		return []world.Object{mk.CSINode(node).Limit(ebsDriver, volumes).Obj()}
	}
}

// preBound returns claims that have their volumes, as scheduler_perf creates them.
func preBound(source func(i int) v1.PersistentVolumeSource) func(string) []world.Object {
	return func(name string) []world.Object {
		i := numberOf(name)
		claim := claim(i).Bound(volumeName(i)).Mode(v1.ReadOnlyMany).Obj()
		pv := mk.Volume(volumeName(i)).Size("1Gi").For(claim).Source(source(i)).Obj()
		pv.Spec.AccessModes = claim.Spec.AccessModes
		return []world.Object{pv, claim}
	}
}

func claim(i int) *mk.ClaimBuilder { return mk.Claim(claimName(i)).Size("1Gi") }

func volumeName(i int) string { return fmt.Sprintf("pv-%d", i) }

func ebsDisk(i int) v1.PersistentVolumeSource {
	return v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: fmt.Sprintf("vol-%d", i)}}
}

func csiVolume(i int) v1.PersistentVolumeSource {
	return v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: ebsDriver, VolumeHandle: fmt.Sprintf("vol-%d", i)}}
}

// localDisk returns a claim that is bound with its pod, and one more volume of its class, in one of the zones. Pods that are
// on a node have theirs.
func localDisk(name string) []world.Object {
	i := numberOf(name)
	if i >= firstBound {
		return preBound(csiVolume)(name)
	}
	return []world.Object{
		mk.Volume(volumeName(i)).Size("1Gi").Class(className(i)).On(v1.LabelTopologyZone, zone(i)).Obj(),
		claim(i).Class(className(i)).Obj(),
	}
}

// provisioned returns a claim that gets a volume with its pod. Pods that are on a node have theirs.
func provisioned(name string) []world.Object {
	i := numberOf(name)
	if i >= firstBound {
		return preBound(csiVolume)(name)
	}
	return []world.Object{claim(i).Class(className(i)).Obj()}
}

func className(i int) string { return fmt.Sprintf("class%d", i%kinds.Groups) }

// classes returns one StorageClass for each application.
func classes(provisioner string) []world.Object {
	var all []world.Object
	for i := range kinds.Groups {
		all = append(all, mk.Class(className(i), provisioner).WaitForFirstConsumer().Obj())
	}
	return all
}

// capacities returns more room than is needed, for each class in each zone.
func capacities() []world.Object {
	all := []world.Object{mk.CSIDriver(ebsDriver)}
	for i := range kinds.Groups {
		for z := range zones {
			all = append(all, mk.StorageCapacity(fmt.Sprintf("%s-%s", className(i), zone(z)), className(i), "100Ti", v1.LabelTopologyZone, zone(z)))
		}
	}
	return all
}
