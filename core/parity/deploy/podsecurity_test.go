package deploy

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// violations returns what the restricted Pod Security Standard forbids of a pod.
func violations(t *testing.T, pod *corev1.PodTemplateSpec) (all []string) {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range evaluator.EvaluatePod(api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec) {
		if !result.Allowed {
			all = append(all, result.ForbiddenReason+": "+result.ForbiddenDetail)
		}
	}
	return all
}

// The pods are what the restricted standard demands and more: a root that cannot be written to, and no right of the kubelet's account.
func TestPods_AreRestricted(t *testing.T) {
	pods := map[string]*corev1.PodTemplateSpec{}
	for values, flags := range choices {
		pods["printed with "+values] = &printed(t, flags...).deployment(t).Spec.Template
		pods["chart with "+values] = &rendered(t, values).deployment(t).Spec.Template
	}
	pods["chart with everything"] = &rendered(t, everything).deployment(t).Spec.Template
	for name, pod := range pods {
		if found := violations(t, pod); len(found) > 0 {
			t.Errorf("%s: %q", name, found)
		}
		c := pod.Spec.Containers[0].SecurityContext
		if c.ReadOnlyRootFilesystem == nil || !*c.ReadOnlyRootFilesystem {
			t.Errorf("%s: the root can be written to", name)
		}
		if user := pod.Spec.SecurityContext.RunAsUser; user == nil || *user != 65532 {
			t.Errorf("%s: it runs as %v", name, user)
		}
		if pod.Spec.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			t.Errorf("%s: seccomp is %v", name, pod.Spec.SecurityContext.SeccompProfile)
		}
	}
}

// That the policy is asked at all: without one of its settings the same pod is refused.
func TestPods_WithoutASettingAreRefused(t *testing.T) {
	for name, change := range map[string]func(*corev1.PodSpec){
		"seccomp":      func(p *corev1.PodSpec) { p.SecurityContext.SeccompProfile = nil },
		"user":         func(p *corev1.PodSpec) { p.SecurityContext.RunAsNonRoot = nil },
		"capabilities": func(p *corev1.PodSpec) { p.Containers[0].SecurityContext.Capabilities = nil },
		"escalation":   func(p *corev1.PodSpec) { p.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil },
		"host path": func(p *corev1.PodSpec) {
			p.Volumes[1].EmptyDir, p.Volumes[1].HostPath = nil, &corev1.HostPathVolumeSource{Path: "/"}
		},
	} {
		pod := printed(t).deployment(t).Spec.Template
		change(&pod.Spec)
		if found := violations(t, &pod); len(found) == 0 {
			t.Errorf("without %s nothing is forbidden", name)
		}
	}
}
