package soak

import (
	"fmt"
	"math/rand/v2"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// pods are of a shape of openb each, without an owner.
func pods(draw *rand.Rand, name string, n int) (objects []world.Object) {
	for i := range n {
		pod := template(draw, fmt.Sprintf("%s-%d", name, i), 32000).Label(appLabel, name)
		if draw.IntN(3) > 0 {
			pod.Label(runLabel, pick(draw, "30s", "2m", "10m"))
		}
		objects = append(objects, pod.Obj())
	}
	return objects
}

// chaos are pods of which hardly two are alike: each has up to three oddities.
func chaos(draw *rand.Rand, name string, n int) (objects []world.Object) {
	for i := range n {
		app := pick(draw, "red", "blue", "green")
		pod := template(draw, fmt.Sprintf("%s-%d", name, i), 16000).Label(appLabel, app).Label(runLabel, pick(draw, "1m", "5m", "24h"))
		for range draw.IntN(4) {
			pick(draw, oddities...)(draw, pod, app)
		}
		if draw.IntN(8) == 0 {
			claim := ownClaim(draw, fmt.Sprintf("%s-%d", name, i/2)) // two pods of a claim
			pod.PVC(claim.Name)
			objects = append(objects, claim)
		}
		objects = append(objects, pod.Obj())
	}
	return objects
}

func ownClaim(draw *rand.Rand, name string) *v1.PersistentVolumeClaim {
	claim := mk.Claim(name).Size("1Gi").Class(pick(draw, diskClass, eagerClass))
	return claim.Mode(pick(draw, v1.ReadWriteOnce, v1.ReadWriteOncePod, v1.ReadWriteMany)).Obj()
}

// oddities are what a pod of an app may have beside its requests.
var oddities = []func(draw *rand.Rand, pod *mk.PodBuilder, app string){
	func(draw *rand.Rand, pod *mk.PodBuilder, _ string) {
		pod.NodeSelector("disk", pick(draw, "ssd", "ssd", "tape"))
	}, // tape when a node is relabelled
	func(_ *rand.Rand, pod *mk.PodBuilder, _ string) {
		pod.Obj().Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "hold"}}
	},
	func(draw *rand.Rand, pod *mk.PodBuilder, _ string) {
		if len(pod.Obj().Spec.Containers[0].Ports) == 0 {
			pod.HostPort(int32(8080 + draw.IntN(2)))
		}
	},
	func(draw *rand.Rand, pod *mk.PodBuilder, app string) { pod.Affinity(apart(app, anyKey(draw))) },
	func(draw *rand.Rand, pod *mk.PodBuilder, app string) { pod.Affinity(together(app, anyKey(draw))) },
	func(draw *rand.Rand, pod *mk.PodBuilder, app string) { pod.Affinity(preferring(app, anyKey(draw))) },
	func(draw *rand.Rand, pod *mk.PodBuilder, app string) {
		if len(pod.Obj().Spec.TopologySpreadConstraints) == 0 {
			spread(pod.Obj(), app, anyKey(draw), pick(draw, v1.DoNotSchedule, v1.ScheduleAnyway))
		}
	},
	func(_ *rand.Rand, pod *mk.PodBuilder, _ string) { pod.CPU("640") }, // fits nowhere
	func(draw *rand.Rand, pod *mk.PodBuilder, _ string) {
		pod.Affinity(&v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: "disk", Operator: v1.NodeSelectorOpNotIn, Values: []string{pick(draw, "ssd", "hdd")}},
			}}},
		}}})
	},
	func(draw *rand.Rand, pod *mk.PodBuilder, _ string) { pod.Image(pick(draw, images...)) },
	func(_ *rand.Rand, pod *mk.PodBuilder, _ string) { pod.Init("first", mk.Resources("cpu", "3")) },
	func(_ *rand.Rand, pod *mk.PodBuilder, _ string) {
		pod.Sidecar("proxy", mk.Resources("cpu", "100m", "memory", "64Mi"))
	},
	func(draw *rand.Rand, pod *mk.PodBuilder, _ string) {
		seconds := int64(draw.IntN(60))
		pod.Obj().Spec.TerminationGracePeriodSeconds = &seconds
	},
	func(draw *rand.Rand, pod *mk.PodBuilder, _ string) {
		seconds := int64(draw.IntN(60))
		pod.Toleration(v1.Toleration{Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds})
	},
	func(_ *rand.Rand, pod *mk.PodBuilder, _ string) {
		pod.Volume("scratch", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{
			VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{Spec: mk.Claim("").Size("1Gi").Class(diskClass).Obj().Spec},
		}})
	},
}

func anyKey(draw *rand.Rand) string { return pick(draw, v1.LabelHostname, v1.LabelTopologyZone) }

func preferring(app, key string) *v1.Affinity {
	return &v1.Affinity{PodAffinity: &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
		{Weight: 50, PodAffinityTerm: v1.PodAffinityTerm{LabelSelector: selector(app), TopologyKey: key}},
	}}}
}

// fragilePods are pods for which the plugin [fragile] does not work.
func fragilePods(draw *rand.Rand, name string, n int) (objects []world.Object) {
	for i := range n {
		pod := template(draw, fmt.Sprintf("%s-%d", name, i), 500).Label(appLabel, name).Label(runLabel, "5m")
		objects = append(objects, pod.Label(fragileLabel, pick(draw, fragileWays...)).Obj())
	}
	return objects
}
