package cache

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	fwk "k8s.io/kube-scheduler/framework"
)

// PodInfo is a pod with what scheduling would otherwise work out again and again: its parsed affinity terms, the host
// ports and claims it holds on a node, and the sum of its requests. It is kept small: most pods have no terms, ports
// or claims and share the nil details.
type PodInfo struct {
	pod     *v1.Pod
	details *details

	requests      Resource
	nonZeroCPU    int64
	nonZeroMemory int64
	summed        bool

	accounting Accounting
}

// details are the parts of a PodInfo that most pods do not have.
type details struct {
	affine       bool // has podAffinity or podAntiAffinity, even without terms
	requiredAnti bool // has required anti-affinity terms

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

// NewPodInfo parses the pod's affinity terms. With an error the PodInfo is still usable: terms that do not parse are
// left out, because the API server lets them in and the pod holds its resources regardless.
func NewPodInfo(pod *v1.Pod) (*PodInfo, error) { return Accounting{}.NewPodInfo(pod) }

// Update puts a newer version of the pod in place. For the same UID only the pod is swapped: terms, ports, claims and
// sums stay those of the first version (they come from fields that a pod cannot change; the cache itself, which must
// see resizes, makes a new PodInfo instead). Another UID means another pod, and everything is worked out anew.
func (p *PodInfo) Update(pod *v1.Pod) error {
	if p.pod != nil && p.pod.UID == pod.UID {
		p.pod = pod
		return nil
	}
	found, err := detailsOf(pod)
	*p = PodInfo{pod: pod, details: found, accounting: p.accounting}
	return err
}

// GetPod is the pod.
func (p *PodInfo) GetPod() *v1.Pod { return p.pod }

// GetRequiredAffinityTerms are the terms that some placed pod has to match.
func (p *PodInfo) GetRequiredAffinityTerms() []fwk.AffinityTerm {
	if p.details == nil {
		return nil
	}
	return p.details.requiredAffinity
}

// GetRequiredAntiAffinityTerms are the terms that no placed pod may match.
func (p *PodInfo) GetRequiredAntiAffinityTerms() []fwk.AffinityTerm {
	if p.details == nil {
		return nil
	}
	return p.details.requiredAntiAffinity
}

// GetPreferredAffinityTerms are the terms that attract, with their weights.
func (p *PodInfo) GetPreferredAffinityTerms() []fwk.WeightedAffinityTerm {
	if p.details == nil {
		return nil
	}
	return p.details.preferredAffinity
}

// GetPreferredAntiAffinityTerms are the terms that repel, with their weights.
func (p *PodInfo) GetPreferredAntiAffinityTerms() []fwk.WeightedAffinityTerm {
	if p.details == nil {
		return nil
	}
	return p.details.preferredAntiAffinity
}

// CalculateResource sums the pod's requests the first time and remembers them.
func (p *PodInfo) CalculateResource() fwk.PodResource {
	if !p.summed {
		p.requests, p.nonZeroCPU, p.nonZeroMemory = p.accounting.sum(p.pod)
		p.summed = true
	}
	return fwk.PodResource{Resource: &p.requests, Non0CPU: p.nonZeroCPU, Non0Mem: p.nonZeroMemory}
}

// detailsOfInfo are the details of any PodInfo: ours remembers them, another implementation's are read from its pod.
func detailsOfInfo(info fwk.PodInfo) *details {
	if own, ok := info.(*PodInfo); ok {
		return own.details
	}
	found, _ := detailsOf(info.GetPod()) // terms that do not parse were reported when the PodInfo was made
	return found
}

// detailsOf reads the details from a pod; nil when there are none.
func detailsOf(pod *v1.Pod) (*details, error) {
	affinity := pod.Spec.Affinity
	affine := affinity != nil && (affinity.PodAffinity != nil || affinity.PodAntiAffinity != nil)
	ports, claims := hostPortsOf(pod), claimsOf(pod)
	if !affine && ports == nil && claims == nil {
		return nil, nil
	}
	d := &details{affine: affine, ports: ports, claims: claims}
	if !affine {
		return d, nil
	}
	return d, d.parse(pod, affinity)
}

// parse reads the affinity terms. A list with a bad term is dropped whole and named in the error.
func (d *details) parse(pod *v1.Pod, affinity *v1.Affinity) error {
	attract, repel := v1.PodAffinity{}, v1.PodAntiAffinity{}
	if affinity.PodAffinity != nil {
		attract = *affinity.PodAffinity
	}
	if affinity.PodAntiAffinity != nil {
		repel = *affinity.PodAntiAffinity
	}
	d.requiredAnti = len(repel.RequiredDuringSchedulingIgnoredDuringExecution) > 0

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
	d.preferredAffinity, err = fwk.GetWeightedAffinityTerms(pod, attract.PreferredDuringSchedulingIgnoredDuringExecution)
	note("preferredAffinityTerms", err)
	d.preferredAntiAffinity, err = fwk.GetWeightedAffinityTerms(pod, repel.PreferredDuringSchedulingIgnoredDuringExecution)
	note("preferredAntiAffinityTerms", err)
	return utilerrors.NewAggregate(bad)
}

// hostPortsOf are the node ports that the pod's containers claim while it runs; an init container counts only if it
// keeps running beside them.
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

// claimsOf are the persistent volume claims that the pod names itself, as "namespace/name"; a claim made for a generic
// ephemeral volume is not one of them.
func claimsOf(pod *v1.Pod) []string {
	var found []string
	for i := range pod.Spec.Volumes {
		if claim := pod.Spec.Volumes[i].PersistentVolumeClaim; claim != nil {
			found = append(found, pod.Namespace+"/"+claim.ClaimName)
		}
	}
	return found
}
