package pressure_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
)

func withVolume(b *mk.PodBuilder, name string, source v1.VolumeSource) *mk.PodBuilder {
	b.Obj().Spec.Volumes = append(b.Obj().Spec.Volumes, v1.Volume{Name: name, VolumeSource: source})
	return b
}

func annotated(b *mk.PodBuilder, key, value string) *v1.Pod {
	b.Obj().Annotations = map[string]string{key: value}
	return b.Obj()
}

// Shows NPE-37, NPE-38, NPE-39, NPE-40, NPE-41, NPE-44, NPE-45, NPE-46, OVH-10 and A-17.
func TestRank_Order(t *testing.T) {
	a, b, c, d := mk.Pod("a").Obj(), mk.Pod("b").Obj(), mk.Pod("c").Priority(5).Obj(), mk.Pod("d").Memory("1Gi").Obj()
	low, high := mk.Pod("low").Memory("2Gi").Obj(), mk.Pod("high").Memory("1Gi").Priority(9).Obj()
	safe1, safe5 := mk.Pod("safe1").Memory("2Gi").Priority(1).Obj(), mk.Pod("safe5").Memory("1Gi").Priority(5).Obj()
	whole := mk.Pod("whole").Memory("4Gi").Obj()
	whole.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("memory", "1Gi")}
	weighty := mk.Pod("weighty").Memory("1Gi").Overhead("memory", "2Gi").Obj()
	logger := withVolume(mk.Pod("logger"), "data", v1.VolumeSource{}).Obj()
	writer := mk.Pod("writer").Obj()
	keeper := withVolume(withVolume(mk.Pod("keeper"), "dir", v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}), "tmpfs",
		v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{Medium: v1.StorageMediumMemory}}).Obj()
	asking := mk.Pod("asking").Request("ephemeral-storage", "10Gi").Obj()

	guaranteed := withLimits(mk.Pod("guaranteed").CPU("1").Memory("1Gi"), "cpu", "1", "memory", "1Gi")

	memory := measure().
		pod(a, uses("10Mi")).pod(b, uses("50Mi")).pod(c, uses("90Mi")).pod(d, uses("1Gi")).
		pod(low, uses("1Gi")).pod(high, uses("1025Mi")).pod(safe1, uses("1Gi")).pod(safe5, uses("1Gi")).
		pod(whole, uses("2Gi")).pod(weighty, uses("2560Mi")).sum()
	disk := measure().
		pod(logger, containerUses("c", "0", "1Gi", "5Gi")).
		pod(writer, containerUses("c", "0", "9Gi", "1Gi")).
		pod(keeper, containerUses("c", "0", "1Gi", "1Gi"), volume("dir", "7Gi"), volume("tmpfs", "50Gi")).
		pod(asking, containerUses("c", "0", "9Gi", "2Gi")).
		pod(guaranteed, containerUses("c", "0", "11Gi", "0")).sum()
	pids := measure().pod(a, runs(3)).pod(b, runs(30)).pod(c, runs(900)).sum()

	tests := []struct {
		name    string
		signal  pressure.Signal
		layout  pressure.Layout
		summary *pressure.Summary
		pods    []*v1.Pod
		want    string
	}{
		{"pods above their requests first, by priority and then by excess", pressure.MemoryAvailable, pressure.OneFs, memory, []*v1.Pod{d, c, b, a}, "b a c d"},
		{"pods above their requests before pods within, regardless of priority", pressure.MemoryAvailable, pressure.OneFs, memory, []*v1.Pod{low, high}, "high low"},
		{"of pods within their requests the lower priority first", pressure.MemoryAvailable, pressure.OneFs, memory, []*v1.Pod{safe5, safe1}, "safe1 safe5"},
		{"the pod's own request counts, not its containers'", pressure.MemoryAvailable, pressure.OneFs, memory, []*v1.Pod{d, whole}, "whole d"},
		{"overhead is part of the request", pressure.AllocatableMemoryAvailable, pressure.OneFs, memory, []*v1.Pod{weighty, a}, "a weighty"},
		{"a pod without stats first", pressure.MemoryAvailable, pressure.OneFs, memory, []*v1.Pod{b, writer}, "writer b"},

		{"process IDs: priority alone, then the number", pressure.PIDAvailable, pressure.OneFs, pids, []*v1.Pod{c, a, b}, "b a c"},
		{"process IDs: missing stats count after priority", pressure.PIDAvailable, pressure.OneFs, pids, []*v1.Pod{c, b, writer}, "writer b c"},

		{"one filesystem: volumes, logs and layers together", pressure.NodeFsAvailable, pressure.OneFs, disk, []*v1.Pod{keeper, logger, writer}, "writer keeper logger"},
		{"separate images, nodefs: volumes and logs", pressure.NodeFsAvailable, pressure.ImageFs, disk, []*v1.Pod{writer, logger, keeper}, "keeper logger writer"},
		{"separate images, imagefs: layers", pressure.ImageFsAvailable, pressure.ImageFs, disk, []*v1.Pod{logger, keeper, writer}, "writer keeper logger"},
		{"separate images: containerfs is imagefs", pressure.ContainerFsAvailable, pressure.ImageFs, disk, []*v1.Pod{logger, keeper, writer}, "writer keeper logger"},
		{"only images separate, containerfs: volumes, logs and layers", pressure.ContainerFsAvailable, pressure.SplitImageFs, disk, []*v1.Pod{keeper, logger, writer}, "writer keeper logger"},
		{"only images separate, imagefs: no usage of pods", pressure.ImageFsAvailable, pressure.SplitImageFs, disk, []*v1.Pod{writer, logger, keeper}, "keeper logger writer"},
		{"disk: a guaranteed pod requests none of it either", pressure.NodeFsAvailable, pressure.OneFs, disk, []*v1.Pod{writer, guaranteed}, "guaranteed writer"},
		{"disk usage counts above the request", pressure.NodeFsAvailable, pressure.OneFs, disk, []*v1.Pod{asking, logger}, "logger asking"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := names(pressure.Rank(tt.signal, tt.layout, tt.pods, tt.summary)); got != tt.want {
				t.Errorf("the order is %s, want %s", got, tt.want)
			}
		})
	}
}

// Pods cannot request inodes, so priority decides first, then inodes less bytes requested.
// Shows NPE-41, NPE-43 and A-20.
func TestRank_Inodes(t *testing.T) {
	inodes := func(n uint64) stat {
		return func(s *pressure.PodStats) {
			s.Containers = []pressure.ContainerStats{{Name: "c", Rootfs: &pressure.FsStats{InodesUsed: &n}}}
		}
	}
	few, many, none := mk.Pod("few").Obj(), mk.Pod("many").Priority(1).Obj(), mk.Pod("none").Obj()
	asks := mk.Pod("asks").Request("ephemeral-storage", "1Ki").Obj()
	s := measure().pod(few, inodes(10)).pod(many, inodes(1000)).pod(none).pod(asks, inodes(1000)).sum()
	got := names(pressure.Rank(pressure.NodeFsInodesFree, pressure.OneFs, []*v1.Pod{many, asks, few, none}, s))
	if want := "few asks many none"; got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
}

func TestExemptReason(t *testing.T) {
	tests := map[string]*v1.Pod{
		"static":   annotated(mk.Pod("a"), "kubernetes.io/config.source", "file"),
		"mirror":   annotated(mk.Pod("a"), v1.MirrorPodAnnotationKey, "x"),
		"critical": mk.Pod("a").Priority(2000000000).Obj(),
	}
	for want, pod := range tests {
		if got := pressure.ExemptReason(pod); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, pod := range []*v1.Pod{mk.Pod("a").Priority(1999999999).Obj(), annotated(mk.Pod("a"), "kubernetes.io/config.source", "api")} {
		if got := pressure.ExemptReason(pod); got != "" {
			t.Errorf("%v is exempt: %q", pod.Annotations, got)
		}
	}
}

func TestMessage_NamesContainersAboveRequest(t *testing.T) {
	pod := mk.Pod("web").Container("app", "i", mk.Resources("memory", "100Mi", "ephemeral-storage", "1Gi")).Container("calm", "i", mk.Resources("memory", "1Gi")).Init("setup", nil).Obj()
	pod.Spec.Containers = pod.Spec.Containers[len(pod.Spec.Containers)-2:]
	own := pod.DeepCopy()
	own.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("memory", "200Mi")}
	s := measure().pod(pod, uses("500Mi"), containerUses("app", "300Mi", "1Gi", "512Mi"), containerUses("calm", "200Mi", "0", "0"),
		containerUses("setup", "1Mi", "0", "0"), containerUses("unknown", "1Gi", "1Gi", "1Gi")).sum()
	short := pressure.Shortage{Resource: v1.ResourceMemory, Quantity: ptr(resource.MustParse("100Mi")), Available: ptr(resource.MustParse("90Mi"))}
	tests := []struct {
		name        string
		pod         *v1.Pod
		stats       *pressure.PodStats
		short       pressure.Shortage
		message     string
		annotations map[string]string
	}{
		{
			"memory", pod, s.Pod(pod.UID), short,
			"The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. " +
				"Container app was using 300Mi, request is 100Mi, has larger consumption of memory. " +
				"Container setup was using 1Mi, request is 0, has larger consumption of memory. ",
			map[string]string{"starved_resource": "memory", "offending_containers": "app,setup", "offending_containers_usage": "300Mi,1Mi"},
		},
		{
			"memory, of a pod with a request of its own", own, s.Pod(pod.UID), short,
			"The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. " +
				"Pod web was using 500Mi, request is 200Mi, has larger consumption of memory. " +
				"Container app was using 300Mi, request is 100Mi, has larger consumption of memory. " +
				"Container setup was using 1Mi, request is 0, has larger consumption of memory. ",
			map[string]string{
				"starved_resource": "memory", "offending_containers": "app,setup", "offending_containers_usage": "300Mi,1Mi",
				"offending_pod": "web", "offending_pod_usage": "500Mi",
			},
		},
		{
			"disk", pod, s.Pod(pod.UID),
			pressure.Shortage{Resource: v1.ResourceEphemeralStorage},
			"The node was low on resource: ephemeral-storage. Container app was using 1536Mi, request is 1Gi, has larger consumption of ephemeral-storage. ",
			map[string]string{"starved_resource": "ephemeral-storage", "offending_containers": "app", "offending_containers_usage": "1536Mi"},
		},
		{
			"inodes: no container is named", pod, s.Pod(pod.UID),
			pressure.Shortage{Resource: pressure.Inodes},
			"The node was low on resource: inodes. ",
			map[string]string{"starved_resource": "inodes", "offending_containers": "", "offending_containers_usage": ""},
		},
		{"no stats", pod, nil, short, "The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. ", map[string]string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			message, annotations := pressure.Message(tt.pod, tt.stats, tt.short)
			if diff := cmp.Diff(tt.message, message); diff != "" {
				t.Errorf("the message (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.annotations, annotations); diff != "" {
				t.Errorf("the annotations (-want +got):\n%s", diff)
			}
		})
	}
}

// The order does not depend on the order in which the pods are given, and Compare agrees with it.
func TestRank_IsTotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := measure()
		var pods []*v1.Pod
		for i := range rapid.IntRange(1, 7).Draw(t, "pods") {
			pod := mk.Pod(string(rune('a' + i))).Priority(rapid.Int32Range(0, 2).Draw(t, "priority"))
			if rapid.Bool().Draw(t, "asks") {
				pod.Memory("50Mi")
			}
			pods = append(pods, pod.Obj())
			if rapid.IntRange(0, 4).Draw(t, "measured") > 0 {
				m.pod(pod.Obj(), uses(rapid.SampledFrom([]string{"10Mi", "50Mi", "90Mi"}).Draw(t, "uses")), runs(uint64(i%3)))
			}
		}
		for _, signal := range []pressure.Signal{pressure.MemoryAvailable, pressure.PIDAvailable} {
			ranked := pressure.Rank(signal, pressure.OneFs, pods, m.sum())
			again := pressure.Rank(signal, pressure.OneFs, rapid.Permutation(pods).Draw(t, "shuffled"), m.sum())
			if names(ranked) != names(again) {
				t.Fatalf("%s: %s or %s", signal, names(ranked), names(again))
			}
			for i := 1; i < len(ranked); i++ {
				if pressure.Compare(signal, &ranked[i-1], &ranked[i]) > 0 {
					t.Fatalf("%s: %s is ranked before %s", signal, ranked[i-1].Pod.Name, ranked[i].Pod.Name)
				}
			}
		}
	})
}
