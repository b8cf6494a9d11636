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

// syncDeployment has one replica set for the current template and, while the pods of older ones are being replaced,
// shifts replicas over within what surge and unavailability allow.
func (c *Cluster) syncDeployment(d *appsv1.Deployment) error {
	current, err := c.currentSet(d)
	if err != nil {
		return err
	}
	wanted := orOne(d.Spec.Replicas)
	surge, missing := rolling(d, wanted)
	var total, ready int
	var older []*appsv1.ReplicaSet
	for _, key := range c.setsOf(d.UID) {
		set := c.objects[world.ReplicaSet][key].(*appsv1.ReplicaSet)
		total += orOne(set.Spec.Replicas)
		ready += c.family(set.UID).ready
		if set.UID != current.UID {
			older = append(older, set)
		}
	}
	own := orOne(current.Spec.Replicas)
	grown := min(wanted, own+max(0, wanted+surge-total))
	if own > wanted {
		grown = wanted
	}
	c.scale(current, grown)
	spare := ready - (wanted - missing)
	for _, set := range older {
		// Pods that are not ready are nobody's loss; ready ones go as far as enough others are ready.
		unready := orOne(set.Spec.Replicas) - c.family(set.UID).ready
		cut := min(orOne(set.Spec.Replicas), max(0, unready)+max(0, spare))
		spare -= max(0, cut-max(0, unready))
		c.scale(set, orOne(set.Spec.Replicas)-cut)
	}
	next := *d
	next.Status.Replicas, next.Status.ReadyReplicas = int32(total), int32(ready)
	next.Status.AvailableReplicas, next.Status.UpdatedReplicas = int32(ready), int32(c.family(current.UID).active)
	next.Status.ObservedGeneration = d.Generation
	if d.Status.Replicas != next.Status.Replicas || d.Status.ReadyReplicas != next.Status.ReadyReplicas ||
		d.Status.UpdatedReplicas != next.Status.UpdatedReplicas || d.Status.ObservedGeneration != d.Generation {
		c.write(world.Deployment, d, &next)
	}
	return nil
}

// rolling is how many pods a rollout may have too many and too few: a quarter each, unless the deployment says else.
func rolling(d *appsv1.Deployment, wanted int) (surge, missing int) {
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

func (c *Cluster) scale(set *appsv1.ReplicaSet, replicas int) {
	if orOne(set.Spec.Replicas) == replicas {
		return
	}
	next, n := *set, int32(replicas)
	next.Spec.Replicas = &n
	next.Generation++
	c.write(world.ReplicaSet, set, &next)
}

// currentSet is the replica set of a deployment's template, made if there is none. Its name and the label that tells
// its pods from others carry a hash of the template.
func (c *Cluster) currentSet(d *appsv1.Deployment) (*appsv1.ReplicaSet, error) {
	hash := templateHash(&d.Spec.Template)
	key := types.NamespacedName{Namespace: d.Namespace, Name: d.Name + "-" + hash}
	if had, ok := c.objects[world.ReplicaSet][key].(*appsv1.ReplicaSet); ok {
		return had, nil
	}
	none := int32(0)
	template := d.Spec.Template.DeepCopy()
	template.Labels = with(template.Labels, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	selector := d.Spec.Selector.DeepCopy()
	if selector != nil {
		selector.MatchLabels = with(selector.MatchLabels, appsv1.DefaultDeploymentUniqueLabelKey, hash)
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

func with(labels map[string]string, key, value string) map[string]string {
	labels = maps.Clone(labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	return labels
}

// templateHash is a short name for a template, in letters that make no words.
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
