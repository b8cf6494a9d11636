package cycle

import (
	"encoding/json"
	"maps"
	"slices"
)

// keptFields are fields that an object must have: kube-scheduler panics on a device selector without its expression, which no API server
// stores.
var keptFields = map[string]bool{
	"seed": true, "number": true, "config": true, "apiVersion": true, "kind": true, "metadata": true, "name": true,
	"namespace": true, "uid": true, "spec": true, "status": true, "containers": true, "schedulerName": true, "nodeName": true,
	"topologyKey": true, "whenUnsatisfiable": true, "maxSkew": true, "operator": true, "key": true, "effect": true, "weight": true,
	"urlPrefix": true, "prioritizeVerb": true, "args": true, "type": true, "defaultingType": true, "label": true, "kubernetes.io/hostname": true, "pods": true, "defaultConstraints": true, "resources": true,
	"exactly": true, "firstAvailable": true, "cel": true, "expression": true,
}

// reduceFields removes parts of a case, one after the other, as long as it still fails, until no part can be removed or the
// tries are used up.
func reduceFields(c *clusterCase, tries int, fails func(*clusterCase) bool) *clusterCase {
	raw, err := json.Marshal(c)
	if err != nil {
		return c
	}
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return c
	}
	s := &reducer{tree: tree, tries: tries, fails: fails, best: c}
	for s.cut(tree) && s.tries > 0 {
	}
	return s.best
}

type reducer struct {
	tree  map[string]any
	tries int
	fails func(*clusterCase) bool
	best  *clusterCase
}

// holds reports whether the current tree still fails, and keeps it if so.
func (s *reducer) holds() bool {
	if s.tries == 0 {
		return false
	}
	s.tries--
	raw, err := json.Marshal(s.tree)
	if err != nil {
		return false
	}
	smaller := &clusterCase{}
	if json.Unmarshal(raw, smaller) != nil || !s.fails(smaller) {
		return false
	}
	s.best = smaller
	return true
}

// cut tries to remove every member of a part of the tree, large ones first, and reports whether it removed any.
func (s *reducer) cut(part map[string]any) (removed bool) {
	for _, key := range slices.Sorted(maps.Keys(part)) {
		value := part[key]
		if !keptFields[key] {
			delete(part, key)
			if s.holds() {
				removed = true
				continue
			}
			part[key] = value
		}
		switch v := value.(type) {
		case map[string]any:
			removed = s.cut(v) || removed
		case []any:
			removed = s.cutList(part, key, v) || removed
		}
	}
	return removed
}

func (s *reducer) cutList(part map[string]any, key string, list []any) (removed bool) {
	for size := max(1, len(list)/2); size > 0; size /= 2 {
		for i := 0; i+size <= len(list); {
			shorter := slices.Delete(slices.Clone(list), i, i+size)
			part[key] = shorter
			if (len(shorter) > 0 || !keptFields[key]) && s.holds() {
				list, removed = shorter, true
				continue
			}
			part[key] = list
			i += size
		}
	}
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			removed = s.cut(m) || removed
		}
	}
	return removed
}
