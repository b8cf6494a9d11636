package kueue

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"orrery/core/world"
)

// group is the API group of Kueue, gatePrefix that of the scheduling gates by which it holds pods back.
const (
	group      = "kueue.x-k8s.io"
	gatePrefix = group + "/"
	// groupLabel names the workload of a pod that is one of several.
	groupLabel = group + "/pod-group-name"
)

// Versions are the versions of Kueue's API that are read, the latest first.
var Versions = []string{"v1beta2", "v1beta1"}

// Kinds are the kinds that an answer needs, in a version.
func Kinds(version string) []world.Kind {
	var kinds []world.Kind
	for _, resource := range []string{"workloads", "localqueues", "clusterqueues"} {
		kinds = append(kinds, world.Kind(resource+"."+version+"."+group))
	}
	return kinds
}

// Holds reports whether one of Kueue's scheduling gates holds a pod back.
func Holds(pod *v1.Pod) bool {
	for _, gate := range pod.Spec.SchedulingGates {
		if len(gate.Name) > len(gatePrefix) && gate.Name[:len(gatePrefix)] == gatePrefix {
			return true
		}
	}
	return false
}

// Objects are those of Kueue in a cluster. Invalid is how many were left out.
type Objects struct {
	workloads     []*workload
	localQueues   map[world.PodRef]*localQueue
	clusterQueues map[string]*clusterQueue
	Invalid       int
}

// workload is a set of pods that are admitted together.
type workload struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		QueueName string `json:"queueName"`
		Priority  int32  `json:"priority"`
		Active    *bool  `json:"active"`
		PodSets   []struct {
			Count    int32 `json:"count"`
			Template struct {
				Spec v1.PodSpec `json:"spec"`
			} `json:"template"`
		} `json:"podSets"`
	} `json:"spec"`
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

// is reports whether a condition of the workload holds.
func (w *workload) is(condition string) bool {
	for i := range w.Status.Conditions {
		if c := &w.Status.Conditions[i]; c.Type == condition {
			return c.Status == metav1.ConditionTrue
		}
	}
	return false
}

// waits reports whether the workload waits for quota.
func (w *workload) waits() bool {
	return (w.Spec.Active == nil || *w.Spec.Active) && !w.is("QuotaReserved") && !w.is("Finished")
}

type localQueue struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ClusterQueue string `json:"clusterQueue"`
	} `json:"spec"`
}

type clusterQueue struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Cohort         string `json:"cohort"`     // v1beta1
		CohortName     string `json:"cohortName"` // v1beta2
		ResourceGroups []struct {
			Flavors []struct {
				Name      string        `json:"name"`
				Resources []flavorQuota `json:"resources"`
			} `json:"flavors"`
		} `json:"resourceGroups"`
	} `json:"spec"`
	Status struct {
		FlavorsReservation []struct {
			Name      string `json:"name"`
			Resources []struct {
				Name  v1.ResourceName   `json:"name"`
				Total resource.Quantity `json:"total"`
			} `json:"resources"`
		} `json:"flavorsReservation"`
	} `json:"status"`
}

// flavorQuota is the quota of one resource of a flavor.
type flavorQuota struct {
	Name           v1.ResourceName    `json:"name"`
	NominalQuota   resource.Quantity  `json:"nominalQuota"`
	BorrowingLimit *resource.Quantity `json:"borrowingLimit"`
}

// Read takes in objects of the kinds of [Kinds].
func Read(objects []world.Object) *Objects {
	all := &Objects{localQueues: map[world.PodRef]*localQueue{}, clusterQueues: map[string]*clusterQueue{}}
	for _, o := range objects {
		custom, is := o.(*world.Custom)
		if !is || custom.Whole == nil {
			continue
		}
		if !all.take(custom) {
			all.Invalid++
		}
	}
	return all
}

// take takes in one object, and reports whether its fields are as expected.
func (o *Objects) take(c *world.Custom) bool {
	into := func(typed any) bool {
		return runtime.DefaultUnstructuredConverter.FromUnstructured(c.Whole.Object, typed) == nil
	}
	switch resource, _ := c.Resource.Custom(); resource.Resource {
	case "workloads":
		w := &workload{}
		if !into(w) {
			return false
		}
		o.workloads = append(o.workloads, w)
	case "localqueues":
		q := &localQueue{}
		if !into(q) {
			return false
		}
		o.localQueues[world.PodRef{Namespace: q.Namespace, Name: q.Name}] = q
	case "clusterqueues":
		q := &clusterQueue{}
		if !into(q) {
			return false
		}
		o.clusterQueues[q.Name] = q
	}
	return true
}
