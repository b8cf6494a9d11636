package fit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/safe/footprint"
	"orrery/core/safe/printable"
	"orrery/core/world"
	"orrery/core/world/memory"
	"orrery/core/world/trim"
)

// Server admits objects without keeping them: an API server that is asked with dryRun=All.
type Server interface {
	// May reports whether objects of a resource may be created in a namespace.
	May(resource schema.GroupVersionResource, namespace string) bool
	// Admit returns an object, as JSON, as the server would keep it.
	Admit(resource schema.GroupVersionResource, namespace string, object []byte) ([]byte, error)
}

// created are the objects that no server refused.
func (s *Set) created() []world.Object {
	return slices.DeleteFunc(slices.Clone(s.Objects), func(o world.Object) bool { return s.refused[o] != "" })
}

var pods = world.Pod.Resource()

// Admitted returns the set as a server admits it, and whether it was asked about each of the objects that create pods. What the server
// refuses is refused in the answer, too, unless the files bring what it may lack. The pods of each template are admitted by themselves, as
// webhooks and limits are about pods.
func (s *Set) Admitted(by Server) (admitted *Set, all bool) {
	for _, o := range s.makers() {
		if !by.May(resourceOf(s.texts[o]), o.GetNamespace()) || !by.May(pods, o.GetNamespace()) {
			note := fmt.Sprintf("there is no right to create %s in namespace %s, not even with dryRun: the objects have the defaults of Kubernetes",
				resourceOf(s.texts[o]).Resource, printable.Line(o.GetNamespace(), 100))
			return &Set{Objects: s.Objects, Notes: append(slices.Clone(s.Notes), note), texts: s.texts, refused: s.refused}, false
		}
	}
	admitted = &Set{Notes: slices.Clone(s.Notes), texts: s.texts, refused: map[world.Object]string{}}
	all = true
	for _, o := range s.Objects {
		if !slices.Contains(s.makers(), o) {
			admitted.Objects = append(admitted.Objects, o)
			continue
		}
		as, err := s.admit(by, o)
		switch {
		case err == nil:
			admitted.Objects = append(admitted.Objects, as)
			continue
		case apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) || s.bringsMore():
			all = false
			admitted.Notes = append(admitted.Notes, fmt.Sprintf("%s %s has the defaults of Kubernetes, as the API server does not admit it now: %s",
				memory.KindOf(o), printable.Line(o.GetName(), 100), printable.Line(err.Error(), 300)))
		default:
			admitted.refused[o] = err.Error()
		}
		admitted.Objects = append(admitted.Objects, o)
	}
	return admitted, all
}

// bringsMore reports whether the files bring what a server may miss in the pods.
func (s *Set) bringsMore() bool { return len(s.Objects) > len(s.makers()) || len(s.Notes) > 0 }

// admit returns an object that creates pods as the server admits it, with its template as the server admits its pods.
func (s *Set) admit(by Server, o world.Object) (world.Object, error) {
	text := withNamespace(s.texts[o], o.GetNamespace())
	answer, err := by.Admit(resourceOf(text), o.GetNamespace(), text)
	if err != nil {
		return nil, err
	}
	as := o.DeepCopyObject().(world.Object)
	pod, isPod := as.(*v1.Pod)
	if !isPod {
		template, err := templateIn(answer)
		if err != nil {
			return nil, err
		}
		if answer, err = by.Admit(pods, o.GetNamespace(), podOf(template, o)); err != nil {
			return nil, err
		}
		pod = &v1.Pod{}
	} else {
		*pod = v1.Pod{}
	}
	if footprint.Of(pod).JSON(answer) > maxAnswer {
		return nil, fmt.Errorf("the API server answers with a pod of more than %d MiB", maxAnswer>>20)
	}
	if err := json.Unmarshal(answer, pod); err != nil {
		return nil, fmt.Errorf("reading what the API server admits: %w", err)
	}
	trimmed := trim.Object(pod).(*v1.Pod)
	trimmed.Spec.NodeName = ""
	if isPod {
		return asNew(trimmed), nil
	}
	template := v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: trimmed.Labels, Annotations: trimmed.Annotations}, Spec: trimmed.Spec}
	switch as := as.(type) {
	case *appsv1.Deployment:
		as.Spec.Template = template
	case *appsv1.ReplicaSet:
		as.Spec.Template = template
	case *appsv1.StatefulSet:
		as.Spec.Template = template
	case *appsv1.DaemonSet:
		as.Spec.Template = template
	case *batchv1.Job:
		as.Spec.Template = template
	}
	return as, nil
}

// maxAnswer bounds the memory of a pod that a server answers with.
//
//orrery:limit answers; memory of a pod that an API server admits with dryRun, in bytes; the object has our defaults
const maxAnswer = 32 << 20

// typed is what tells objects apart.
type typed struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// resourceOf is the resource of an object that is given as JSON.
func resourceOf(text []byte) schema.GroupVersionResource {
	var t typed
	if err := json.Unmarshal(text, &t); err != nil {
		return schema.GroupVersionResource{}
	}
	if t.Kind == "CronJob" {
		return batchv1.SchemeGroupVersion.WithResource("cronjobs")
	}
	return world.Kind(t.Kind).Resource()
}

// withNamespace returns an object with a namespace, without what it has if it was read from a cluster.
func withNamespace(text []byte, namespace string) []byte {
	var o map[string]any
	if err := json.Unmarshal(text, &o); err != nil {
		return text
	}
	meta, _ := o["metadata"].(map[string]any)
	if meta == nil {
		return text
	}
	meta["namespace"] = namespace
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "ownerReferences", "managedFields", "generation"} {
		delete(meta, field)
	}
	delete(o, "status")
	with, err := json.Marshal(o)
	if err != nil {
		return text
	}
	return with
}

// template is a template of pods, whatever is in it.
type template struct {
	Metadata struct {
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata"`
	Spec json.RawMessage `json:"spec"`
}

// templateIn is the template of the pods of an object, also within that of a job.
func templateIn(answer []byte) (template, error) {
	type spec struct {
		Template    template `json:"template"`
		JobTemplate struct {
			Spec struct {
				Template template `json:"template"`
			} `json:"spec"`
		} `json:"jobTemplate"`
	}
	var o struct {
		Spec spec `json:"spec"`
	}
	if err := json.NewDecoder(bytes.NewReader(answer)).Decode(&o); err != nil {
		return template{}, fmt.Errorf("reading what the API server admits: %w", err)
	}
	if len(o.Spec.Template.Spec) > 0 {
		return o.Spec.Template, nil
	}
	return o.Spec.JobTemplate.Spec.Template, nil
}

// podOf is a pod of a template.
func podOf(t template, owner world.Object) []byte {
	pod := map[string]any{
		"apiVersion": "v1", "kind": "Pod", "spec": t.Spec,
		"metadata": map[string]any{"generateName": owner.GetName() + "-", "namespace": owner.GetNamespace(), "labels": t.Metadata.Labels, "annotations": t.Metadata.Annotations},
	}
	text, _ := json.Marshal(pod) // it was read as JSON
	return text
}
