package live_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// statefulScenarios are about StatefulSets and the volumes of their pods.
var statefulScenarios = []scenario{
	{"replicas that avoid each other get volumes on three nodes, in order", func(s *storageFixture) {
		s.placeSet(appsv1.OrderedReadyPodManagement, apart, 3)
	}},
	{"replicas that avoid each other get volumes on three nodes, at once", func(s *storageFixture) {
		s.placeSet(appsv1.ParallelPodManagement, apart, 3)
	}},
	{"replicas that seek each other get volumes on one node, in order", func(s *storageFixture) {
		s.placeSet(appsv1.OrderedReadyPodManagement, together, 1)
	}},
	{"replicas that seek each other get volumes on one node, at once", func(s *storageFixture) {
		s.placeSet(appsv1.ParallelPodManagement, together, 1)
	}},
	{"an update and its rollback leave each replica its volume and its zone", func(s *storageFixture) {
		s.statefulSet("db", 3, []string{delayed}, nil)
		before := s.places("db", 3)
		for _, version := range []string{"2", "1"} {
			s.template("db", version)
			s.eventually(func() error {
				for _, pod := range s.list() {
					if pod.Annotations["version"] != version || pod.Status.Phase != v1.PodRunning {
						return fmt.Errorf("%s has version %q and is %s", pod.Name, pod.Annotations["version"], pod.Status.Phase)
					}
				}
				return nil
			})
			if after := s.places("db", 3); !maps.Equal(before, after) {
				s.t.Errorf("version %s: the replicas have these volumes and zones: %v, before: %v", version, after, before)
			}
		}
	}},
	{"a replica whose claim was deleted gets a new one where it has to run", func(s *storageFixture) {
		s.statefulSet("db", 1, []string{delayed}, func(set *appsv1.StatefulSet) {
			set.Spec.Template.Spec.NodeSelector = map[string]string{v1.LabelHostname: "node-1"}
		})
		s.runsOn("node-1", "db-0")
		before := s.claims()[0].UID
		s.cordon("node-1", true)
		defer s.cordon("node-1", false)
		s.deletePod("db-0")
		s.eventually(func() error {
			pods := s.list()
			if len(pods) != 1 || pods[0].Spec.NodeName != "" {
				return errors.New("the replica was not replaced yet")
			}
			return nil
		})
		s.waits("db-0", "1 node(s) were unschedulable")
		s.deleteClaim("delayed-db-0")
		s.eventually(func() error {
			for _, claim := range s.claims() {
				if claim.UID != before {
					return nil
				}
			}
			// The controller creates missing claims when it sees a change of the set or its pods, but not for that of a claim.
			s.patchSet("db", fmt.Sprintf(`{"metadata":{"annotations":{"tried":%q}}}`, time.Now()))
			return errors.New("the claim was not replaced yet")
		})
		s.cordon("node-1", false)
		s.runsOn("node-1", "db-0")
		if after := s.claims()[0].UID; after == before {
			s.t.Error("the claim is the one that was deleted")
		}
	}},
	{"a replica that waits for a port runs once it is free", func(s *storageFixture) {
		holder := on(small("holder"), v1.LabelHostname, "node-2")
		holder.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: 21017}}
		s.add(holder)
		s.runs("holder")
		s.statefulSet("db", 1, []string{delayed}, func(set *appsv1.StatefulSet) {
			set.Spec.Template.Spec.NodeSelector = map[string]string{v1.LabelHostname: "node-2"}
			set.Spec.Template.Spec.Containers[0].Ports = holder.Spec.Containers[0].Ports
		})
		s.waits("db-0", "1 node(s) didn't have free ports for the requested pod ports")
		s.deletePod("holder")
		s.runsOn("node-2", "db-0")
	}},
	{"replicas return to their volumes when the set is scaled down and up", func(s *storageFixture) {
		s.statefulSet("db", 3, []string{delayed}, nil)
		before := s.places("db", 3)
		s.scale("db", 1)
		s.eventually(func() error {
			if n := len(s.list()); n != 1 {
				return fmt.Errorf("%d replicas are left", n)
			}
			return nil
		})
		s.scale("db", 3)
		if after := s.places("db", 3); !maps.Equal(before, after) {
			s.t.Errorf("the replicas have these volumes and zones: %v, before: %v", after, before)
		}
	}},
	{"many pods take turns with few volumes", func(s *storageFixture) { s.takeTurns(15) }},
}

// apart and together are how replicas stand to each other.
func apart(term v1.PodAffinityTerm) *v1.Affinity {
	return &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term}}}
}

func together(term v1.PodAffinityTerm) *v1.Affinity {
	return &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term}}}
}

// placeSet creates a set of three replicas with two volumes each, of six on each node, and checks how many nodes they run on.
func (s *storageFixture) placeSet(policy appsv1.PodManagementPolicyType, affinity func(v1.PodAffinityTerm) *v1.Affinity, nodes int) {
	s.t.Helper()
	s.localVolumes(6)
	s.statefulSet("db", 3, []string{local}, func(set *appsv1.StatefulSet) {
		set.Spec.PodManagementPolicy = policy
		set.Spec.Template.Spec.Affinity = affinity(v1.PodAffinityTerm{TopologyKey: v1.LabelHostname, LabelSelector: set.Spec.Selector})
		set.Spec.VolumeClaimTemplates = append(set.Spec.VolumeClaimTemplates, *newClaim("log", local))
	})
	on := s.runs("db-0", "db-1", "db-2")
	slices.Sort(on)
	if got := len(slices.Compact(on)); got != nodes {
		s.t.Errorf("the replicas run on %d nodes, want %d", got, nodes)
	}
	s.checkVolumes(0)
}

// places waits until a set's replicas run, and returns the volume and the zone of each.
func (s *storageFixture) places(set string, replicas int) map[string]string {
	s.t.Helper()
	at := map[string]string{}
	for i := range replicas {
		name := fmt.Sprintf("%s-%d", set, i)
		node := s.runs(name)[0]
		claim, err := s.client.CoreV1().PersistentVolumeClaims(metav1.NamespaceDefault).Get(s.ctx, delayed+"-"+name, metav1.GetOptions{})
		if err != nil {
			s.t.Fatal(err)
		}
		at[name] = claim.Spec.VolumeName + " in " + s.zoneOf(node)
	}
	s.checkVolumes(0)
	return at
}

func (s *storageFixture) zoneOf(name string) string {
	for _, node := range s.nodes {
		if node.Name == name {
			return node.Labels[v1.LabelTopologyZone]
		}
	}
	return ""
}

// template changes the pod template of a set, so that its pods are replaced one after the other.
func (s *storageFixture) template(set, version string) {
	s.patchSet(set, fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{"version":%q}}}}}`, version))
}

func (s *storageFixture) scale(set string, replicas int) {
	s.patchSet(set, fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas))
}

func (s *storageFixture) patchSet(set, patch string) {
	s.t.Helper()
	_, err := s.client.AppsV1().StatefulSets(metav1.NamespaceDefault).Patch(s.ctx, set, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
}

// takeTurns creates more pods than there are volumes for, with three claims each, of ten volumes on each node: some pods are
// left with too few on every node. Whenever one runs it is deleted with its claims, and its volumes are made anew.
func (s *storageFixture) takeTurns(pods int) {
	s.localVolumes(10)
	for i := range pods {
		var claims []string
		for j := range 3 {
			claims = append(claims, fmt.Sprintf("data-%d-%d", i, j))
			s.claim(claims[j], local, nil)
		}
		s.add(withClaims(small(fmt.Sprintf("pod-%d", i)), claims...))
	}
	ran := 0
	s.eventually(func() error {
		// A claim has its volume before it is reported bound. Another fault stays, as its pod is not deleted then.
		if faults := s.volumeFaults(0); len(faults) > 0 {
			return fmt.Errorf("volumes of running pods: %q", faults)
		}
		for _, pod := range s.list() {
			if pod.Status.Phase == v1.PodRunning {
				ran++
				s.deletePod(pod.Name)
				for i := range pod.Spec.Volumes {
					s.deleteClaim(pod.Spec.Volumes[i].PersistentVolumeClaim.ClaimName)
				}
			}
		}
		s.renew()
		if ran < pods {
			return fmt.Errorf("%d of %d pods have run", ran, pods)
		}
		return nil
	})
}

// renew replaces the volumes whose claim is gone.
func (s *storageFixture) renew() {
	s.t.Helper()
	for _, volume := range s.volumes() {
		if volume.Status.Phase != v1.VolumeReleased {
			continue
		}
		patch := []byte(`{"spec":{"claimRef":null}}`) // as an administrator does who has emptied it
		if _, err := s.client.CoreV1().PersistentVolumes().Patch(s.ctx, volume.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			s.t.Fatal(err)
		}
	}
}
