package pool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/safe/footprint"
	"orrery/core/safe/printable"
)

// Labels by which nodes tell their pool.
const (
	nodePoolLabel = "karpenter.sh/nodepool"
	karpenter     = "Karpenter NodePool"
)

// nodePool is what is read of a Karpenter NodePool.
type nodePool struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Weight   int             `json:"weight"`
		Limits   v1.ResourceList `json:"limits"`
		Replicas *int            `json:"replicas"`
		Template struct {
			Metadata struct {
				Labels map[string]string `json:"labels"`
			} `json:"metadata"`
			Spec struct {
				Requirements []v1.NodeSelectorRequirement `json:"requirements"`
				Taints       []v1.Taint                   `json:"taints"`
				NodeClassRef struct {
					Kind string `json:"kind"`
					Name string `json:"name"`
				} `json:"nodeClassRef"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

// nodeClaim is what is read of a Karpenter NodeClaim.
type nodeClaim struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Status   struct {
		NodeName    string          `json:"nodeName"`
		Allocatable v1.ResourceList `json:"allocatable"`
	} `json:"status"`
}

const (
	// maxObject bounds the memory of one NodePool or NodeClaim.
	//
	//orrery:limit answers; memory of a NodePool or a NodeClaim, in bytes; refused
	maxObject = 8 << 20
	// maxPools bounds the pools.
	//
	//orrery:limit answers; node pools; refused
	maxPools = 1000
)

var errTooLarge = errors.New("it would take more than 8 MiB of memory")

// KarpenterPool reads a NodePool, as JSON.
func KarpenterPool(text []byte) (*Pool, error) {
	var np nodePool
	if footprint.Of(&np).JSON(text) > maxObject {
		return nil, fmt.Errorf("reading a NodePool: %w", errTooLarge)
	}
	if err := json.Unmarshal(text, &np); err != nil {
		return nil, fmt.Errorf("reading a NodePool: %w", err)
	}
	template := &np.Spec.Template
	p := &Pool{
		Name: np.Metadata.Name, Origin: karpenter, Label: nodePoolLabel, Weight: np.Spec.Weight, Limits: np.Spec.Limits,
		Requirements: template.Spec.Requirements, Labels: template.Metadata.Labels, Taints: template.Spec.Taints,
		Unknown: []string{"which machines there are to have at the moment, spot interruptions and the quota of the cloud"},
	}
	if p.Name == "" {
		return nil, errors.New("reading a NodePool: it has no name")
	}
	if np.Spec.Replicas != nil {
		p.Max = *np.Spec.Replicas
		p.Unknown = append(p.Unknown, "it is static: Karpenter keeps "+strconv.Itoa(*np.Spec.Replicas)+" nodes of it, whatever waits")
	}
	if class := template.Spec.NodeClassRef; class.Name != "" {
		p.Unknown = append(p.Unknown, fmt.Sprintf("what its %s %s narrows", printable.Line(class.Kind, 60), printable.Line(class.Name, 60)))
	}
	return p, nil
}

// ClaimedNode reads a NodeClaim, as JSON, as the node that it is or becomes; nil if it does not tell its size yet. Joined says that the node is
// there already.
func ClaimedNode(text []byte) (node *v1.Node, joined bool, err error) {
	var c nodeClaim
	if footprint.Of(&c).JSON(text) > maxObject {
		return nil, false, fmt.Errorf("reading a NodeClaim: %w", errTooLarge)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, false, fmt.Errorf("reading a NodeClaim: %w", err)
	}
	if len(c.Status.Allocatable) == 0 {
		return nil, c.Status.NodeName != "", nil
	}
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: c.Metadata.Name, Labels: maps.Clone(c.Metadata.Labels)},
		Status:     v1.NodeStatus{Allocatable: c.Status.Allocatable},
	}, c.Status.NodeName != "", nil
}
