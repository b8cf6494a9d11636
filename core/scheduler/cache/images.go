package cache

import (
	"maps"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// imageTable maps every image name on any node to its size and the number of nodes that have it. The size is that of
// the node that first reported the image, until the last node drops the image, even if another node reports another
// size.
//
// A summary is replaced, never written, so any number of nodes and copies may share it. Every replacement increments
// the version: maps built at the same version are still valid.
type imageTable struct {
	states  map[string]imageState
	version uint64
	shared  bool // another cache reads the same map
	visit   uint64
}

type imageState struct {
	summary *fwk.ImageStateSummary // nil until recomputed
	size    int64
	nodes   int
	visit   uint64 // the change that last counted a node; a node counts once even if it lists the image repeatedly
}

func newImageTable() imageTable { return imageTable{states: map[string]imageState{}} }

// replace replaces a node's images, and returns their names without duplicates.
func (t *imageTable) replace(had []string, has []v1.ContainerImage) []string {
	if len(had) == 0 && len(has) == 0 {
		return nil
	}
	if t.shared {
		t.states, t.shared = maps.Clone(t.states), false
	}
	for _, name := range had {
		s := t.states[name]
		s.nodes--
		t.states[name] = s
	}
	names := t.countNode(has)
	t.refreshSummaries(had)
	t.refreshSummaries(names)
	return names
}

// countNode counts the node once for each of its images.
func (t *imageTable) countNode(images []v1.ContainerImage) []string {
	var names []string
	t.visit++
	for i := range images {
		for _, name := range images[i].Names {
			s := t.states[name]
			if s.visit == t.visit {
				continue
			}
			if s.nodes == 0 {
				s.size = images[i].SizeBytes
			}
			s.nodes++
			s.visit = t.visit
			t.states[name] = s
			names = append(names, name)
		}
	}
	return names
}

// refreshSummaries deletes the images that no node has and replaces outdated summaries.
func (t *imageTable) refreshSummaries(names []string) {
	for _, name := range names {
		s, known := t.states[name]
		switch {
		case !known:
		case s.nodes == 0:
			delete(t.states, name)
			t.version++
		case s.summary == nil || s.summary.Size != s.size || s.summary.NumNodes != s.nodes:
			s.summary = &fwk.ImageStateSummary{Size: s.size, NumNodes: s.nodes}
			t.states[name] = s
			t.version++
		}
	}
}

// view returns the map of the named images: the old map if it is still valid, else a new one.
func (t *imageTable) view(names []string, old map[string]*fwk.ImageStateSummary) (view map[string]*fwk.ImageStateSummary, fresh bool) {
	if len(names) == len(old) && t.agrees(names, old) {
		return old, false
	}
	if len(names) == 0 {
		return nil, true
	}
	view = make(map[string]*fwk.ImageStateSummary, len(names))
	for _, name := range names {
		view[name] = t.states[name].summary
	}
	return view, true
}

func (t *imageTable) agrees(names []string, old map[string]*fwk.ImageStateSummary) bool {
	for _, name := range names {
		if old[name] != t.states[name].summary {
			return false
		}
	}
	return true
}

// fork returns a copy that shares its map until one side changes it.
func (t *imageTable) fork() imageTable {
	t.shared = true
	return *t
}
