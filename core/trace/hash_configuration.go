package trace

import (
	"fmt"

	"sigs.k8s.io/yaml"
)

// Configuration replaces the names in a scheduler's configuration that objects are compared with: of the lease, and of
// nodes and values of their labels in affinities that a profile adds. A text without them is returned as it is.
func (h *NameHasher) Configuration(text string) (string, error) {
	var root map[string]any
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return "", fmt.Errorf("hashing the names in the trace's configuration: %w", err)
	}
	lease, _ := root["leaderElection"].(map[string]any)
	changed := h.hashEntry(lease, "resourceName", h.Name)
	changed = h.hashEntry(lease, "resourceNamespace", h.Name) || changed
	profiles, _ := root["profiles"].([]any)
	for _, profile := range profiles {
		changed = h.hashAffinity(at(profile, "pluginConfig"), false) || changed
	}
	if !changed {
		return text, nil
	}
	hashed, err := yaml.Marshal(root)
	if err != nil {
		return "", fmt.Errorf("hashing the names in the trace's configuration: %w", err)
	}
	return string(hashed), nil
}

// hashAffinity replaces the values below addedAffinity, and reports whether there are any.
func (h *NameHasher) hashAffinity(v any, added bool) (changed bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			changed = h.hashAffinity(item, added) || changed
		}
	case map[string]any:
		for key, below := range v {
			switch {
			case added && key == "matchExpressions":
				changed = h.hashValues(below, h.labelValue) || changed
			case added && key == "matchFields":
				changed = h.hashValues(below, h.Name) || changed
			default:
				changed = h.hashAffinity(below, added || key == "addedAffinity") || changed
			}
		}
	}
	return changed
}

// hashValues replaces the values of requirements.
func (h *NameHasher) hashValues(requirements any, hash func(string) string) (changed bool) {
	list, _ := requirements.([]any)
	for _, requirement := range list {
		values, _ := at(requirement, "values").([]any)
		for i := range values {
			if text, ok := values[i].(string); ok {
				values[i], changed = hash(text), true
			}
		}
	}
	return changed
}

func (h *NameHasher) hashEntry(m map[string]any, key string, hash func(string) string) bool {
	text, ok := m[key].(string)
	if ok {
		m[key] = hash(text)
	}
	return ok
}

// at returns what a map has at a key; nil if it is no map.
func at(v any, key string) any {
	m, _ := v.(map[string]any)
	return m[key]
}
