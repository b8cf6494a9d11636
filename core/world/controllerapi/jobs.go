package controllerapi

import (
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/podapi"
)

func job(s *batchv1.JobSpec, rules podapi.Options) field.ErrorList {
	wrong := append(count(s.Parallelism, "parallelism"), count(s.Completions, "completions")...)
	wrong = append(wrong, count(s.BackoffLimit, "backoffLimit")...)
	template := s.Template
	if template.Spec.RestartPolicy == "" {
		template.Spec.RestartPolicy = v1.RestartPolicyNever
	}
	wrong = append(wrong, rules.Template(&template, spec.Child("template"))...)
	path := spec.Child("template", "spec", "restartPolicy")
	switch p := template.Spec.RestartPolicy; p {
	case v1.RestartPolicyNever, v1.RestartPolicyOnFailure:
	case v1.RestartPolicyAlways:
		wrong = append(wrong, field.Required(path, `valid values: "OnFailure", "Never"`))
	default:
		wrong = append(wrong, field.NotSupported(path, p, []v1.RestartPolicy{v1.RestartPolicyOnFailure, v1.RestartPolicyNever}))
	}
	return wrong
}

// nameJob gives a template the label that names its job.
func nameJob(t *v1.PodTemplateSpec, name string) {
	if _, named := t.Labels[batchv1.JobNameLabel]; named {
		return
	}
	if t.Labels == nil {
		t.Labels = map[string]string{}
	}
	t.Labels[batchv1.JobNameLabel] = name
}

// changedJob checks that a job keeps what its pods are.
func changedJob(s, old *batchv1.JobSpec) field.ErrorList {
	wrong := immutable("selector", s.Selector, old.Selector)
	if old.Suspend == nil || !*old.Suspend {
		wrong = append(wrong, immutable("template", s.Template, old.Template)...)
	}
	return wrong
}
