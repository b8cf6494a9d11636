package kueue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/objects/requests"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/world"
)

// Of says where a pod's workload stands; nil if the pod has none that is known.
func (o *Objects) Of(pod *v1.Pod) *answer.Kueue {
	w := o.workloadOf(pod)
	if w == nil {
		return nil
	}
	k := &answer.Kueue{Workload: w.Name, LocalQueue: w.Spec.QueueName, QuotaReserved: w.is("QuotaReserved"), Admitted: w.is("Admitted"), Short: []answer.QuotaShortage{}}
	queue := o.localQueues[world.PodRef{Namespace: w.Namespace, Name: w.Spec.QueueName}]
	if queue == nil {
		return k
	}
	k.ClusterQueue = queue.Spec.ClusterQueue
	if !w.waits() {
		return k
	}
	k.Position, k.Of = o.position(w, k.ClusterQueue)
	if quota := o.clusterQueues[k.ClusterQueue]; quota != nil {
		k.QuotaKnown = true
		k.Short = append(k.Short, o.shortages(w, quota)...)
	}
	return k
}

// workloadOf returns the workload that a pod is part of: the one that names it or its controller as owner, or the pod's group.
func (o *Objects) workloadOf(pod *v1.Pod) *workload {
	owners := []string{string(pod.UID)}
	for i := range pod.OwnerReferences {
		if ref := &pod.OwnerReferences[i]; ref.Controller != nil && *ref.Controller {
			owners = append(owners, string(ref.UID))
		}
	}
	for _, w := range o.workloads {
		if w.Namespace != pod.Namespace {
			continue
		}
		if name := pod.Labels[groupLabel]; name != "" && name == w.Name {
			return w
		}
		for i := range w.OwnerReferences {
			if uid := string(w.OwnerReferences[i].UID); uid != "" && slices.Contains(owners, uid) {
				return w
			}
		}
	}
	return nil
}

// position returns the place of a workload among those that wait for a ClusterQueue, from 1, and how many they are.
func (o *Objects) position(w *workload, clusterQueue string) (at, of int) {
	at = 1
	for _, other := range o.workloads {
		queue := o.localQueues[world.PodRef{Namespace: other.Namespace, Name: other.Spec.QueueName}]
		if queue == nil || queue.Spec.ClusterQueue != clusterQueue || !other.waits() {
			continue
		}
		if of++; before(other, w) {
			at++
		}
	}
	return at, of
}

// before reports whether Kueue looks at a workload before another.
func before(a, b *workload) bool {
	return cmp.Or(cmp.Compare(b.Spec.Priority, a.Spec.Priority), a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID)) < 0
}

// Lines say the same in words, and join it with the scheduler's answer: on which node the pod would be placed, or else why on none.
func Lines(k *answer.Kueue, node, why string) []answer.Link {
	queue := "ClusterQueue " + printable.Line(k.ClusterQueue, 100)
	lines := []answer.Link{}
	add := func(bad bool, format string, values ...any) {
		lines = append(lines, answer.Link{Says: fmt.Sprintf(format, values...), Bad: bad})
	}
	switch name := printable.Line(k.Workload, 100); {
	case k.ClusterQueue == "":
		add(true, "workload %s names LocalQueue %s, which does not exist or may not be read", name, printable.Line(k.LocalQueue, 100))
	case k.Admitted:
		add(false, "workload %s is admitted by %s", name, queue)
	case k.QuotaReserved:
		add(false, "workload %s has its quota in %s, and waits for admission checks", name, queue)
	case k.Position > 0:
		add(true, "%s of %s waiting in %s", ordinal(k.Position), plural.Count(k.Of, "workload"), queue)
	default:
		add(true, "workload %s does not wait for quota: it is inactive or finished", name)
	}
	for _, s := range k.Short {
		add(true, "%s of %s %s short of quota: it requests %s", format(s, s.Short), format(s, s.Quota), printable.Line(s.Resource, 100), format(s, s.Requested))
	}
	switch {
	case k.Position == 0:
	case !k.QuotaKnown:
		add(true, "its quota is not known: %s does not exist or may not be read", queue)
	case len(k.Short) == 0:
		add(false, "it is short of no quota")
	}
	verb := "admitted now"
	if k.Admitted {
		verb = "without its gates"
	}
	if node != "" {
		add(false, "%s, this pod would be placed on %s", verb, node)
	} else {
		add(true, "%s, this pod would not be placed: %s", verb, why)
	}
	return lines
}

func format(s answer.QuotaShortage, n int64) string {
	return requests.Format(v1.ResourceName(s.Resource), n)
}

// ordinal writes 1st, 2nd, 3rd, 4th, 11th.
func ordinal(n int) string {
	text := strconv.Itoa(n)
	if strings.HasSuffix(text, "11") || strings.HasSuffix(text, "12") || strings.HasSuffix(text, "13") {
		return text + "th"
	}
	switch n % 10 {
	case 1:
		return text + "st"
	case 2:
		return text + "nd"
	case 3:
		return text + "rd"
	}
	return text + "th"
}
