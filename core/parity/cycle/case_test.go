package cycle

import (
	"bytes"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"orrery/core/parity/oracle/extenderserver"
)

// clusterCase is the input of both schedulers. Objects are in the order in which they are created.
type clusterCase struct {
	// Seed and Number identify the generated case; a reduced case keeps them.
	Seed   uint64 `json:"seed"`
	Number int    `json:"number"`

	Gates  map[string]bool                      `json:"gates,omitempty"`
	Config *configv1.KubeSchedulerConfiguration `json:"config"`
	// Extenders are those of the configuration, in its order.
	Extenders []extenderserver.Rules `json:"extenders,omitempty"`

	Namespaces   []*v1.Namespace                 `json:"namespaces,omitempty"`
	Services     []*v1.Service                   `json:"services,omitempty"`
	Controllers  []*v1.ReplicationController     `json:"replicationControllers,omitempty"`
	ReplicaSets  []*appsv1.ReplicaSet            `json:"replicaSets,omitempty"`
	StatefulSets []*appsv1.StatefulSet           `json:"statefulSets,omitempty"`
	Budgets      []*policyv1.PodDisruptionBudget `json:"podDisruptionBudgets,omitempty"`
	Nodes        []*v1.Node                      `json:"nodes,omitempty"`
	Storage      storage                         `json:"storage,omitzero"`
	Devices      deviceObjects                   `json:"devices,omitzero"`
	// Bound pods have a node; Nominated pods are pending and have a nominated node.
	Bound     []*v1.Pod `json:"bound,omitempty"`
	Nominated []*v1.Pod `json:"nominated,omitempty"`
	// Waiting pods are pending, to be scheduled in this order.
	Waiting []*v1.Pod `json:"waiting,omitempty"`
	// Refused has the names of pods whose first binding fails, and of volumes and claims whose first write fails.
	Refused []string `json:"refused,omitempty"`
	// Uncleared has the names of pods whose nomination is not cleared at the first attempt.
	Uncleared []string `json:"uncleared,omitempty"`
	// Unprovisioned has the names of claims that are not provisioned at the first attempt.
	Unprovisioned []string `json:"unprovisioned,omitempty"`
	// Unbound has the names of claims that no controller binds: pods that use them stay in PreBind.
	Unbound []string `json:"unbound,omitempty"`
	// Changes happen after the first attempts of all of them.
	Changes []clusterChange `json:"changes,omitempty"`
}

// clusterChange is one change of the cluster. One field besides Wait and Drops is set.
type clusterChange struct {
	// Wait is how many milliseconds pass before the change.
	Wait       int         `json:"wait,omitempty"`
	AddNode    *v1.Node    `json:"addNode,omitempty"`
	Node       *nodeChange `json:"node,omitempty"`
	DeleteNode string      `json:"deleteNode,omitempty"`
	AddPod     *v1.Pod     `json:"addPod,omitempty"`
	Pod        *podChange  `json:"pod,omitempty"`
	DeletePod  *podName    `json:"deletePod,omitempty"`
	// Store has one object to add or to replace, Drop one to delete.
	Store *storage `json:"store,omitempty"`
	Drop  *storage `json:"drop,omitempty"`
	// Devices has one object to add or to replace, or to delete if Drops is set.
	Devices *deviceObjects `json:"devices,omitempty"`
	Drops   bool           `json:"drops,omitempty"`
}

// nodeChange replaces the fields of a node that are not nil here.
type nodeChange struct {
	Name          string            `json:"name"`
	Label         map[string]string `json:"label,omitempty"` // set one by one
	Taints        *[]v1.Taint       `json:"taints,omitempty"`
	Unschedulable *bool             `json:"unschedulable,omitempty"`
	Allocatable   v1.ResourceList   `json:"allocatable,omitempty"`
	Features      *[]string         `json:"features,omitempty"`
}

// podChange replaces the fields of a pod that are not nil here.
type podChange struct {
	podName
	Labels      *map[string]string `json:"labels,omitempty"`
	Requests    *v1.ResourceList   `json:"requests,omitempty"` // of the first container
	Tolerations *[]v1.Toleration   `json:"tolerations,omitempty"`
	Ungate      bool               `json:"ungate,omitempty"`
	Terminate   bool               `json:"terminate,omitempty"`
}

// podName identifies a pod or a workload.
type podName struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// omittedFields are fields that no case sets but that the encoder always writes.
var omittedFields = []string{"daemonEndpoints", "nodeInfo", "clientConnection", "leaderElection"}

// YAML encodes the case; parseCase decodes it.
func (c *clusterCase) YAML() string {
	text, err := yaml.Marshal(c)
	var tree any
	if err == nil {
		err = yaml.Unmarshal(text, &tree)
	}
	if err == nil {
		prune(tree)
		text, err = yaml.Marshal(tree)
	}
	if err != nil {
		return fmt.Sprintf("the case cannot be encoded: %v", err)
	}
	return string(text)
}

func prune(part any) {
	switch p := part.(type) {
	case map[string]any:
		for _, key := range omittedFields {
			delete(p, key)
		}
		for _, inner := range p {
			prune(inner)
		}
	case []any:
		for _, inner := range p {
			prune(inner)
		}
	}
}

// parseCase decodes a case that YAML encoded, or that was written by hand.
func parseCase(text []byte) (*clusterCase, error) {
	c := &clusterCase{}
	if err := yaml.UnmarshalStrict(text, c); err != nil {
		return nil, fmt.Errorf("reading a case: %w", err)
	}
	return c, nil
}

// ConfigYAML encodes the configuration.
func (c *clusterCase) ConfigYAML() []byte {
	text, err := json.Marshal(c.Config)
	must(err)
	var tree map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	must(decoder.Decode(&tree))
	profiles, _ := tree["profiles"].([]any)
	for _, profile := range profiles {
		plugins, _ := profile.(map[string]any)["plugins"].(map[string]any)
		for _, groups := range []string{"placementGenerate", "placementScore", "podGroupPostFilter"} {
			delete(plugins, groups) // they are empty, yet releases before 1.36 and 1.37 refuse their names
		}
	}
	text, err = yaml.Marshal(tree)
	must(err)
	return text
}
