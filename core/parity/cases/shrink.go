package cases

import (
	"encoding/json"
	"maps"
	"slices"
)

// kept are the fields without which an object is none.
var kept = map[string]bool{
	"seed": true, "number": true, "config": true, "apiVersion": true, "kind": true, "metadata": true, "name": true,
	"namespace": true, "uid": true, "spec": true, "status": true, "containers": true, "schedulerName": true, "nodeName": true,
	"topologyKey": true, "whenUnsatisfiable": true, "maxSkew": true, "operator": true, "key": true, "effect": true, "weight": true,
	"args": true, "type": true, "defaultingType": true, "label": true, "kubernetes.io/hostname": true, "pods": true, "defaultConstraints": true, "resources": true,
}

// Shrink leaves out of a case whatever can be left out while it fails still, one piece after the other, until nothing
// more can go or tries are used up.
func Shrink(c *Case, tries int, fails func(*Case) bool) *Case {
	raw, err := json.Marshal(c)
	if err != nil {
		return c
	}
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return c
	}
	s := &shrinker{tree: tree, tries: tries, fails: fails, best: c}
	for s.cut(tree) && s.tries > 0 {
	}
	return s.best
}

type shrinker struct {
	tree  map[string]any
	tries int
	fails func(*Case) bool
	best  *Case
}

// holds tells whether the tree as it is now still fails, and takes it over if so.
func (s *shrinker) holds() bool {
	if s.tries == 0 {
		return false
	}
	s.tries--
	raw, err := json.Marshal(s.tree)
	if err != nil {
		return false
	}
	smaller := &Case{}
	if json.Unmarshal(raw, smaller) != nil || !s.fails(smaller) {
		return false
	}
	s.best = smaller
	return true
}

// cut tries to leave out every member of a part of the tree, big ones first, and tells whether any went.
func (s *shrinker) cut(part map[string]any) (went bool) {
	for _, key := range slices.Sorted(maps.Keys(part)) {
		value := part[key]
		if !kept[key] {
			delete(part, key)
			if s.holds() {
				went = true
				continue
			}
			part[key] = value
		}
		switch v := value.(type) {
		case map[string]any:
			went = s.cut(v) || went
		case []any:
			went = s.cutList(part, key, v) || went
		}
	}
	return went
}

func (s *shrinker) cutList(part map[string]any, key string, list []any) (went bool) {
	for size := max(1, len(list)/2); size > 0; size /= 2 {
		for i := 0; i+size <= len(list); {
			shorter := slices.Delete(slices.Clone(list), i, i+size)
			part[key] = shorter
			if (len(shorter) > 0 || !kept[key]) && s.holds() {
				list, went = shorter, true
				continue
			}
			part[key] = list
			i += size
		}
	}
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			went = s.cut(m) || went
		}
	}
	return went
}
