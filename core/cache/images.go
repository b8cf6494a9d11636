package cache

import (
	"maps"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// imageTable knows, for every image name on any node, its size and how many nodes have it. The size is what the node
// said that brought the image in; it stays until the last node loses the image, even if another reports another size.
//
// A summary is replaced, never written, so any number of nodes and copies may hold it. The version moves on with every
// replacement: while it stands still, every map made before is still true.
type imageTable struct {
	states  map[string]imageState
	version uint64
	shared  bool // another cache reads the same map
	visit   uint64
}

type imageState struct {
	summary *fwk.ImageStateSummary // nil while it has to be made anew
	size    int64
	nodes   int
	visit   uint64 // the change that last counted a node here; a node counts once however often it names the image
}

func newImageTable() imageTable { return imageTable{states: map[string]imageState{}} }

// replace takes a node off the images it had and puts it on the ones it has now, and gives back their names, each once.
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
	names := t.put(has)
	t.settle(had)
	t.settle(names)
	return names
}

// put counts the node at every image it has, once each.
func (t *imageTable) put(images []v1.ContainerImage) []string {
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

// settle drops the images that no node has and renews the summaries that are no longer true.
func (t *imageTable) settle(names []string) {
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

// view is the map of the named images as they are now: the old map if it still says so, else a new one.
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

// fork is a table that both sides read until one of them changes it.
func (t *imageTable) fork() imageTable {
	t.shared = true
	return *t
}
