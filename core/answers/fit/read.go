package fit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/safe/printable"
	"orrery/core/trace"
	"orrery/core/world"
	"orrery/core/world/memory"
	"orrery/core/world/trim"
)

// Set is the objects that are asked about, in the order in which they are created.
type Set struct {
	Objects []world.Object
	// Notes say what was left out of the files, and what is asked instead.
	Notes []string

	texts   map[world.Object][]byte // as they were read, as JSON
	refused map[world.Object]string // by an API server
}

// Reader reads files as "kubectl apply" takes them, and the output of "helm template".
type Reader struct {
	importer trace.ObjectImporter
	texts    map[world.Object][]byte
}

// NewReader returns a reader that gives objects without a namespace that one.
func NewReader(namespace string) *Reader {
	r := &Reader{texts: map[world.Object][]byte{}}
	r.importer = trace.ObjectImporter{
		Namespace: cmp.Or(namespace, v1.NamespaceDefault), Beyond: beyond, Keep: func(o world.Object, text []byte) { r.texts[o] = text },
	}
	return r
}

// Read reads a file. An error names the line and the field.
func (r *Reader) Read(file string, from io.Reader) error { return r.importer.Read(file, from) }

// beyond are the kinds that no scheduler reads and that decide which pods there are.
func beyond(apiVersion, kind string) world.Object {
	switch apiVersion + " " + kind {
	case "batch/v1 CronJob":
		return &batchv1.CronJob{}
	case "v1 ResourceQuota":
		return &v1.ResourceQuota{}
	case "resource.k8s.io/v1 ResourceClaimTemplate":
		return &resourcev1.ResourceClaimTemplate{}
	}
	return nil
}

// kinds are those that are created. Others of the cluster, as nodes, are not what a file of workloads brings.
var kinds = []world.Kind{
	world.Namespace, world.PriorityClass, world.RuntimeClass, world.LimitRange, memory.ResourceQuota, world.Service, world.StorageClass,
	world.PersistentVolume, world.PersistentVolumeClaim, world.DeviceClass, memory.ResourceClaimTemplate, world.ResourceClaim, world.Workload,
	world.CompositePodGroup, world.PodGroup,
	world.PodDisruptionBudget, world.DaemonSet, world.ReplicaSet, world.Deployment, world.StatefulSet, world.Job, world.Pod,
}

// maxPods bounds the pods that are created.
//
//orrery:limit answers; pods that the objects of a fit create; refused
const maxPods = 100_000

// Set returns what was read. It is an error if nothing of it creates a pod.
func (r *Reader) Set() (*Set, error) {
	s := &Set{Notes: r.importer.Skipped(), texts: map[world.Object][]byte{}, refused: map[world.Object]string{}}
	pods, leftOut := 0, map[world.Kind]int{}
	for _, o := range r.importer.Objects() {
		text := r.texts[o]
		if cron, is := o.(*batchv1.CronJob); is {
			o = s.nextRun(cron)
		}
		kind := memory.KindOf(o)
		if !slices.Contains(kinds, kind) {
			leftOut[kind]++
			continue
		}
		o = asNew(o)
		if o.GetNamespace() == "" && memory.IsNamespaced(kind) {
			o.SetNamespace(r.importer.Namespace)
		}
		s.Objects = append(s.Objects, o)
		s.texts[o] = text
		pods += podsOf(o)
	}
	for _, kind := range slices.Sorted(maps.Keys(leftOut)) {
		s.Notes = append(s.Notes, fmt.Sprintf("skipped %d of %s: objects of this kind are not created", leftOut[kind], kind))
	}
	slices.SortStableFunc(s.Objects, func(a, b world.Object) int {
		return cmp.Compare(slices.Index(kinds, memory.KindOf(a)), slices.Index(kinds, memory.KindOf(b)))
	})
	switch {
	case len(s.makers()) == 0:
		return nil, errors.New(strings.Join(append([]string{"reading what is to fit: there is no pod in this, and nothing that creates any"}, s.Notes...), "; "))
	case pods > maxPods:
		return nil, fmt.Errorf("reading what is to fit: the objects create %d pods, and at most %d are tried", pods, maxPods)
	}
	return s, nil
}

// nextRun returns the job that a cron job creates next.
func (s *Set) nextRun(cron *batchv1.CronJob) *batchv1.Job {
	s.Notes = append(s.Notes, fmt.Sprintf("cron job %s stands for its next run", printable.Line(cron.Name, 100)))
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: cron.Namespace, Name: cron.Name, Labels: cron.Spec.JobTemplate.Labels},
		Spec:       cron.Spec.JobTemplate.Spec,
	}
	return trim.Object(job).(*batchv1.Job)
}

// asNew returns an object without what it has if it was read from a cluster.
func asNew(o world.Object) world.Object {
	o = o.DeepCopyObject().(world.Object)
	o.SetUID("")
	o.SetResourceVersion("")
	o.SetCreationTimestamp(metav1.Time{})
	o.SetDeletionTimestamp(nil)
	o.SetOwnerReferences(nil)
	switch o := o.(type) {
	case *v1.Pod:
		if o.Status.Phase != "" {
			o.Spec.NodeName = ""
		}
		o.Status = v1.PodStatus{}
	case *batchv1.Job:
		o.Status = batchv1.JobStatus{}
		if s := o.Spec.Selector; s != nil && (o.Spec.ManualSelector == nil || !*o.Spec.ManualSelector) {
			o.Spec.Selector = nil // the cluster made it for another job
		}
		for _, label := range []string{batchv1.ControllerUidLabel, "controller-uid"} {
			delete(o.Spec.Template.Labels, label)
		}
	}
	return o
}

// makers are the objects that create pods, and pods.
func (s *Set) makers() []world.Object {
	var all []world.Object
	for _, o := range s.Objects {
		switch o.(type) {
		case *v1.Pod, *appsv1.Deployment, *appsv1.ReplicaSet, *appsv1.StatefulSet, *appsv1.DaemonSet, *batchv1.Job:
			all = append(all, o)
		}
	}
	return all
}

// podsOf is how many pods an object creates at once, but for a daemon set.
func podsOf(o world.Object) int {
	n := func(n *int32) int {
		if n == nil {
			return 1
		}
		return int(*n)
	}
	switch o := o.(type) {
	case *v1.Pod:
		return 1
	case *appsv1.Deployment:
		return n(o.Spec.Replicas)
	case *appsv1.ReplicaSet:
		return n(o.Spec.Replicas)
	case *appsv1.StatefulSet:
		return n(o.Spec.Replicas)
	case *batchv1.Job:
		return n(o.Spec.Parallelism)
	}
	return 0
}

// Namespaces are those of the objects, in order of appearance.
func (s *Set) Namespaces() []string {
	var all []string
	for _, o := range s.Objects {
		if name := o.GetNamespace(); name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}
