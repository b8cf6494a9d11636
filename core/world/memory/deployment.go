package memory

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/world"
)

// syncDeployment keeps one replica set for the current template and shifts replicas from older ones, within maxSurge
// and maxUnavailable.
func (c *Cluster) syncDeployment(d *appsv1.Deployment) error {
	current, err := c.currentSet(d)
	if err != nil {
		return err
	}
	wanted := orOne(d.Spec.Replicas)
	surge, missing := rolloutLimits(d, wanted)
	var total, ready int
	var older []*appsv1.ReplicaSet
	for _, key := range c.setsOf(d.UID) {
		set := c.objects[world.ReplicaSet][key].(*appsv1.ReplicaSet)
		total += orOne(set.Spec.Replicas)
		ready += c.dependentsOf(set.UID).ready
		if set.UID != current.UID {
			older = append(older, set)
		}
	}
	own := orOne(current.Spec.Replicas)
	grown := min(wanted, own+max(0, wanted+surge-total))
	if own > wanted {
		grown = wanted
	}
	c.scaleReplicaSet(current, grown)
	spare := ready - (wanted - missing)
	for _, set := range older {
		// Unready pods are removed first; ready ones as long as enough others are ready.
		unready := orOne(set.Spec.Replicas) - c.dependentsOf(set.UID).ready
		cut := min(orOne(set.Spec.Replicas), max(0, unready)+max(0, spare))
		spare -= max(0, cut-max(0, unready))
		c.scaleReplicaSet(set, orOne(set.Spec.Replicas)-cut)
	}
	next := *d
	next.Status.Replicas, next.Status.ReadyReplicas = int32(total), int32(ready)
	next.Status.AvailableReplicas, next.Status.UpdatedReplicas = int32(ready), int32(c.dependentsOf(current.UID).active)
	next.Status.ObservedGeneration = d.Generation
	if d.Status.Replicas != next.Status.Replicas || d.Status.ReadyReplicas != next.Status.ReadyReplicas ||
		d.Status.UpdatedReplicas != next.Status.UpdatedReplicas || d.Status.ObservedGeneration != d.Generation {
		c.write(world.Deployment, d, &next)
	}
	return nil
}

// rolloutLimits returns maxSurge and maxUnavailable in pods, by default a quarter each.
func rolloutLimits(d *appsv1.Deployment, wanted int) (surge, missing int) {
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return 0, wanted
	}
	quarter := intstr.FromString("25%")
	most, fewest := &quarter, &quarter
	if r := d.Spec.Strategy.RollingUpdate; r != nil {
		if r.MaxSurge != nil {
			most = r.MaxSurge
		}
		if r.MaxUnavailable != nil {
			fewest = r.MaxUnavailable
		}
	}
	surge, _ = intstr.GetScaledValueFromIntOrPercent(most, wanted, true)
	missing, _ = intstr.GetScaledValueFromIntOrPercent(fewest, wanted, false)
	if surge == 0 && missing == 0 {
		missing = 1
	}
	return surge, missing
}

func (c *Cluster) scaleReplicaSet(set *appsv1.ReplicaSet, replicas int) {
	if orOne(set.Spec.Replicas) == replicas {
		return
	}
	next, n := *set, int32(replicas)
	next.Spec.Replicas = &n
	next.Generation++
	c.write(world.ReplicaSet, set, &next)
}

// currentSet returns the replica set of a deployment's template, or creates it. Its name and its pods' distinguishing
// label contain a hash of the template.
func (c *Cluster) currentSet(d *appsv1.Deployment) (*appsv1.ReplicaSet, error) {
	hash := templateHash(&d.Spec.Template)
	key := types.NamespacedName{Namespace: d.Namespace, Name: d.Name + "-" + hash}
	if had, ok := c.objects[world.ReplicaSet][key].(*appsv1.ReplicaSet); ok {
		return had, nil
	}
	none := int32(0)
	template := d.Spec.Template.DeepCopy()
	template.Labels = withEntry(template.Labels, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	selector := d.Spec.Selector.DeepCopy()
	if selector != nil {
		selector.MatchLabels = withEntry(selector.MatchLabels, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	}
	made, err := c.create(world.ReplicaSet, &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name, Labels: maps.Clone(template.Labels),
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment")),
			},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: &none, Selector: selector, Template: *template},
	})
	if err != nil {
		return nil, err
	}
	return made.(*appsv1.ReplicaSet), nil
}

// withEntry returns a copy of labels or annotations with one of them set.
func withEntry(all map[string]string, key, value string) map[string]string {
	all = maps.Clone(all)
	if all == nil {
		all = map[string]string{}
	}
	all[key] = value
	return all
}

// templateHash returns a short hash of a template, in letters that form no words.
func templateHash(t *v1.PodTemplateSpec) string {
	h := fnv.New32a()
	if err := json.NewEncoder(h).Encode(t); err != nil {
		panic(fmt.Sprintf("hashing a pod template: %v", err))
	}
	digits := strconv.FormatUint(uint64(h.Sum32()), 10)
	name := make([]byte, len(digits))
	for i := range digits {
		name[i] = suffixLetters[(int(digits[i]-'0')+3*i)%len(suffixLetters)]
	}
	return string(name)
}
