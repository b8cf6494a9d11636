package cache

import (
	"maps"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/codec"
)

// staleImage is an image of a node as it was when the node was last copied into a snapshot.
type staleImage struct {
	name  string
	size  int64
	nodes int
}

// CodeState codes what of a snapshot does not follow from its cache, which was coded: how new it is, and which images of its nodes
// are on other nodes by now than when these were copied.
func (s *Snapshot) CodeState(to *codec.Coder, c *Cache) {
	stale := map[string][]staleImage{}
	generation := s.generation
	codec.Int(to, &generation)
	if to.Reading() {
		if !to.OK() {
			return
		}
		c.refresh(s)
	} else {
		stale = s.staleImages(c)
	}
	codec.Map(to, &stale, func(node *string, images *[]staleImage) {
		codec.Text(to, node)
		codec.Slice(to, images, func(image *staleImage) {
			codec.Text(to, &image.name)
			codec.Int(to, &image.size)
			to.Count(&image.nodes)
		})
		to.Check(s.slots[*node] != nil, "there is no node %q with stale images", *node)
		if to.Reading() && to.OK() {
			s.setStale(to, s.slots[*node], *images)
		}
	})
	to.Check(generation >= 0 && generation <= s.generation, "a snapshot is newer than its cache")
	s.generation = generation
}

// staleImages returns the images by node that are not as in the cache, of the nodes that the next refresh leaves as they are.
func (s *Snapshot) staleImages(c *Cache) map[string][]staleImage {
	if s.frozen == nil {
		s = s.Freeze()
	}
	stale := map[string][]staleImage{}
	for _, at := range s.frozen {
		e := c.entries[at.node]
		if e == nil || e.info.node == nil || e.info.generation > s.generation {
			continue
		}
		for _, image := range e.imageNames {
			was, is := at.images[image], c.images.states[image].summary
			if was != nil && (was.Size != is.Size || was.NumNodes != is.NumNodes) {
				stale[at.node] = append(stale[at.node], staleImage{image, was.Size, was.NumNodes})
			}
		}
	}
	return stale
}

func (s *Snapshot) setStale(to *codec.Coder, at *slot, images []staleImage) {
	at.info.imageStates = maps.Clone(at.info.imageStates)
	for _, image := range images {
		_, has := at.info.imageStates[image.name]
		to.Check(has, "the node %q has no image %q", at.info.name(), image.name)
		if has {
			at.info.imageStates[image.name] = &fwk.ImageStateSummary{Size: image.size, NumNodes: image.nodes}
		}
	}
}
