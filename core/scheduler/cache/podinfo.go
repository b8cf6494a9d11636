package cache

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	fwk "k8s.io/kube-scheduler/framework"
)

// PodInfo is a pod with precomputed scheduling data: its parsed affinity terms, its host ports and claims, and the sum
// of its requests. It is kept small: most pods have no terms, ports or claims and share nil details.
type PodInfo struct {
	pod     *v1.Pod
	details *podDetails

	requests      Resource
	nonZeroCPU    int64
	nonZeroMemory int64
	summed        bool

	accounting Accounting
}

// podDetails are the parts of a PodInfo that most pods do not have.
type podDetails struct {
	hasAffinity             bool // has podAffinity or podAntiAffinity, even without terms
	hasRequiredAntiAffinity bool // has required anti-affinity terms

	requiredAffinity, requiredAntiAffinity   []fwk.AffinityTerm
	preferredAffinity, preferredAntiAffinity []fwk.WeightedAffinityTerm

	ports  []hostPort
	claims []string // "namespace/name"
}

type hostPort struct {
	ip, protocol string
	port         int32
}

var _ fwk.PodInfo = (*PodInfo)(nil)

// NewPodInfo parses the pod's affinity terms. The PodInfo is usable despite an error: terms that do not parse are left
// out, because the API server accepts them and the pod holds its resources regardless.
func NewPodInfo(pod *v1.Pod) (*PodInfo, error) { return Accounting{}.NewPodInfo(pod) }

// Update sets a newer version of the pod. For the same UID only the pod is replaced: terms, ports, claims and sums
// remain those of the first version, as they come from immutable fields; the cache, which must apply resizes, makes a
// new PodInfo instead. For another UID everything is recomputed.
func (p *PodInfo) Update(pod *v1.Pod) error {
	if p.pod != nil && p.pod.UID == pod.UID {
		p.pod = pod
		return nil
	}
	return p.init(p.accounting, pod)
}

func (p *PodInfo) init(a Accounting, pod *v1.Pod) error {
	found, err := newPodDetails(pod)
	*p = PodInfo{pod: pod, details: found, accounting: a}
	return err
}

func (p *PodInfo) GetPod() *v1.Pod { return p.pod }

// GetRequiredAffinityTerms returns the terms that some placed pod has to match.
func (p *PodInfo) GetRequiredAffinityTerms() []fwk.AffinityTerm {
	if p.details == nil {
		return nil
	}
	return p.details.requiredAffinity
}

// GetRequiredAntiAffinityTerms returns the terms that no placed pod may match.
func (p *PodInfo) GetRequiredAntiAffinityTerms() []fwk.AffinityTerm {
	if p.details == nil {
		return nil
	}
	return p.details.requiredAntiAffinity
}

// GetPreferredAffinityTerms returns the preferred affinity terms with their weights.
func (p *PodInfo) GetPreferredAffinityTerms() []fwk.WeightedAffinityTerm {
	if p.details == nil {
		return nil
	}
	return p.details.preferredAffinity
}

// GetPreferredAntiAffinityTerms returns the preferred anti-affinity terms with their weights.
func (p *PodInfo) GetPreferredAntiAffinityTerms() []fwk.WeightedAffinityTerm {
	if p.details == nil {
		return nil
	}
	return p.details.preferredAntiAffinity
}

// CalculateResource sums the pod's requests on the first call and caches the result.
func (p *PodInfo) CalculateResource() fwk.PodResource {
	if !p.summed {
		p.requests, p.nonZeroCPU, p.nonZeroMemory = p.accounting.sum(p.pod)
		p.summed = true
	}
	return fwk.PodResource{Resource: &p.requests, Non0CPU: p.nonZeroCPU, Non0Mem: p.nonZeroMemory}
}

// detailsOf returns the details of any PodInfo: cached for a *PodInfo, computed from the pod for another
// implementation.
func detailsOf(info fwk.PodInfo) *podDetails {
	if own, ok := info.(*PodInfo); ok {
		return own.details
	}
	found, _ := newPodDetails(info.GetPod()) // NewPodInfo reported terms that do not parse
	return found
}

// newPodDetails computes the details of a pod, or nil.
func newPodDetails(pod *v1.Pod) (*podDetails, error) {
	affinity := pod.Spec.Affinity
	affine := affinity != nil && (affinity.PodAffinity != nil || affinity.PodAntiAffinity != nil)
	ports, claims := hostPortsOf(pod), claimsOf(pod)
	if !affine && ports == nil && claims == nil {
		return nil, nil
	}
	d := &podDetails{hasAffinity: affine, ports: ports, claims: claims}
	if !affine {
		return d, nil
	}
	return d, d.parse(pod, affinity)
}

// parse parses the affinity terms. A list with an invalid term is dropped as a whole and named in the error.
func (d *podDetails) parse(pod *v1.Pod, affinity *v1.Affinity) error {
	attract, repel := v1.PodAffinity{}, v1.PodAntiAffinity{}
	if affinity.PodAffinity != nil {
		attract = *affinity.PodAffinity
	}
	if affinity.PodAntiAffinity != nil {
		repel = *affinity.PodAntiAffinity
	}
	d.hasRequiredAntiAffinity = len(repel.RequiredDuringSchedulingIgnoredDuringExecution) > 0

	var bad []error
	note := func(list string, err error) {
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", list, err))
		}
	}
	var err error
	d.requiredAffinity, err = fwk.GetAffinityTerms(pod, attract.RequiredDuringSchedulingIgnoredDuringExecution)
	note("requiredAffinityTerms", err)
	d.requiredAntiAffinity, err = fwk.GetAffinityTerms(pod, repel.RequiredDuringSchedulingIgnoredDuringExecution)
	note("requiredAntiAffinityTerms", err)
	d.preferredAffinity, err = weightedTerms(pod, attract.PreferredDuringSchedulingIgnoredDuringExecution)
	note("preferredAffinityTerms", err)
	d.preferredAntiAffinity, err = weightedTerms(pod, repel.PreferredDuringSchedulingIgnoredDuringExecution)
	note("preferredAntiAffinityTerms", err)
	return utilerrors.NewAggregate(bad)
}

// maxWeight is the greatest weight of a preferred term that an API server admits. Scores of all nodes would follow a greater one.
const maxWeight = 100

// weightedTerms parses preferred terms; one with a weight that no API server admits is as one that does not parse.
func weightedTerms(pod *v1.Pod, terms []v1.WeightedPodAffinityTerm) ([]fwk.WeightedAffinityTerm, error) {
	for i := range terms {
		if weight := terms[i].Weight; weight < 0 || weight > maxWeight {
			return nil, fmt.Errorf("the weight of term %d is %d, and a weight is at most %d and not negative", i, weight, maxWeight)
		}
	}
	return fwk.GetWeightedAffinityTerms(pod, terms)
}

// hostPortsOf returns the host ports of the pod's containers and of its restartable init containers (sidecars).
func hostPortsOf(pod *v1.Pod) []hostPort {
	var found []hostPort
	collect := func(c *v1.Container) {
		for _, p := range c.Ports {
			if p.HostPort > 0 {
				found = append(found, hostPort{p.HostIP, string(p.Protocol), p.HostPort})
			}
		}
	}
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways {
			collect(c)
		}
	}
	for i := range pod.Spec.Containers {
		collect(&pod.Spec.Containers[i])
	}
	return found
}

// claimsOf returns the persistent volume claims in the pod's volumes, as "namespace/name", without those of generic
// ephemeral volumes.
func claimsOf(pod *v1.Pod) []string {
	var found []string
	for i := range pod.Spec.Volumes {
		if claim := pod.Spec.Volumes[i].PersistentVolumeClaim; claim != nil {
			found = append(found, pod.Namespace+"/"+claim.ClaimName)
		}
	}
	return found
}
