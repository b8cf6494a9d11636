package kubesource

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

// roots are the kinds that scheduling and evictions read or write.
var roots = []string{
	"Pod", "Binding", "Node", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSIDriver", "CSINode", "CSIStorageCapacity",
	"VolumeAttachment", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass", "DeviceTaintRule", "PodDisruptionBudget",
	"PriorityClass", "Workload", "PodGroup", "CompositePodGroup", "Lease", "LeaseCandidate", "Eviction",
}

// definition is a type in the OpenAPI document.
type definition struct {
	Properties map[string]property `json:"properties"`
	Kinds      []struct {
		Group   string `json:"group"`
		Kind    string `json:"kind"`
		Version string `json:"version"`
	} `json:"x-kubernetes-group-version-kind"`
}

type property struct {
	Ref        string    `json:"$ref"`
	Items      *property `json:"items"`
	Additional *property `json:"additionalProperties"`
}

// refs returns the types that a property leads to.
func (p property) refs() []string {
	var all []string
	if p.Ref != "" {
		all = append(all, strings.TrimPrefix(p.Ref, "#/definitions/"))
	}
	for _, inner := range []*property{p.Items, p.Additional} {
		if inner != nil {
			all = append(all, inner.refs()...)
		}
	}
	return all
}

// Fields returns the fields of the types that scheduling reads, sorted, as TYPE.field: those of its kinds, in every version that is served, and all that
// these lead to.
func Fields(patch string) ([]string, error) {
	kubernetes, err := Module("k8s.io/kubernetes", patch)
	if err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(kubernetes, "api/openapi-spec/swagger.json")
	if err != nil {
		return nil, fmt.Errorf("reading the API of Kubernetes %s: %w", patch, err)
	}
	var document struct {
		Definitions map[string]definition `json:"definitions"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("reading the API of Kubernetes %s: %w", patch, err)
	}
	fields, seen := map[string]bool{}, map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for field, p := range document.Definitions[name].Properties {
			fields[shortName(name)+"."+field] = true
			for _, ref := range p.refs() {
				visit(ref)
			}
		}
	}
	for name, d := range document.Definitions {
		for _, root := range roots {
			if len(d.Kinds) == 1 && d.Kinds[0].Kind == root {
				visit(name)
			}
		}
	}
	return sorted(fields), nil
}

// shortName returns resource.v1.Device for io.k8s.api.resource.v1.Device.
func shortName(definition string) string { return strings.TrimPrefix(definition, "io.k8s.api.") }
