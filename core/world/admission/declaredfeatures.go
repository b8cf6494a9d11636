package admission

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"
	ndf "k8s.io/component-helpers/nodedeclaredfeatures"
	"k8s.io/component-helpers/nodedeclaredfeatures/features"

	"orrery/core/world"
)

// release is the Kubernetes release to infer for: what all nodes of it have is not required.
var release = version.MustParseSemantic("1.35.0")

// needsDeclaredFeatures refuses a change of a pod that its node does not support. It is NodeDeclaredFeatureValidator.
func needsDeclaredFeatures(r Reader, q *Request) error {
	pod, is := q.Object.(*v1.Pod)
	if !is || q.Old == nil || q.Subresource != "" && q.Subresource != "resize" || pod.Spec.NodeName == "" {
		return nil
	}
	old := q.Old.(*v1.Pod)
	if pod.Generation == old.Generation {
		return nil
	}
	known, err := ndf.New(features.AllFeatures)
	if err != nil {
		return err
	}
	needed, err := known.InferForPodUpdate(&ndf.PodInfo{Spec: &old.Spec, Status: &old.Status}, &ndf.PodInfo{Spec: &pod.Spec, Status: &pod.Status}, release)
	if err != nil {
		return q.forbidden("failed to infer pod capability requirements: %w", err)
	}
	if needed.Len() == 0 {
		return nil
	}
	o, err := r.Get(world.Node, "", pod.Spec.NodeName)
	if err != nil {
		return q.forbidden("node %q not found", pod.Spec.NodeName)
	}
	match, err := ndf.MatchNode(needed, o.(*v1.Node))
	if err != nil {
		return q.forbidden("failed to match pod requirements against node %q: %w", o.GetName(), err)
	}
	if !match.IsMatch {
		return q.forbidden("pod update requires features %s which are not available on node %q", strings.Join(match.UnsatisfiedRequirements, ", "), o.GetName())
	}
	return nil
}
