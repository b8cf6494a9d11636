// Package imagelocality prefers nodes that already have a pod's images.
//
// Every container whose image is on the node adds the image's size, scaled down by the share of nodes that have it: an
// image on one node in a hundred should not attract all its pods. The sum is cut to between 23 MiB and 1000 MiB for
// each container, and that range is spread over scores from 0 to 100.
//
// From 1.36 on, images that are mounted as volumes add their sizes as those of containers do; from 1.37 on each of them also extends the range.
//
// Images are compared by name, after ":latest" has been added to a name that has neither tag nor digest. Names of one
// image that differ otherwise, such as "redis" and "docker.io/library/redis", are different images.
//
// # Differences from kube-scheduler
//
// Sums stop at 2^63-1 instead of wrapping around; no real image comes near it.
package imagelocality

import (
	"context"
	"iter"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/saturating"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/reuse"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.ImageLocality

const (
	mebibyte         int64 = 1024 * 1024
	least                  = 23 * mebibyte   // smaller sums score 0
	mostPerContainer       = 1000 * mebibyte // larger sums score 100
)

// ImageLocality is the plugin.
type ImageLocality struct {
	handle        fwk.Handle
	sumsVolumes   bool // images of volumes count
	rangesVolumes bool // the range of sums counts them too
}

var (
	_ fwk.ScorePlugin = (*ImageLocality)(nil)
	_ fwk.SignPlugin  = (*ImageLocality)(nil)

	_ framework.NodeCountScore = (*ImageLocality)(nil)
)

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, h fwk.Handle, features config.Features) (fwk.Plugin, error) {
	return &ImageLocality{
		handle: h, sumsVolumes: features.Has(release.ImageVolumesScored), rangesVolumes: features.Has(release.ImageVolumesInThreshold),
	}, nil
}

// Name is the plugin's name.
func (*ImageLocality) Name() string { return Name }

// Score scores one node by the images it has.
func (p *ImageLocality) Score(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	images := node.GetImageStates()
	if len(images) == 0 {
		return 0, nil
	}
	nodes, err := p.handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	sum := saturating.Add(sizes(images, pod.Spec.InitContainers, len(nodes)), sizes(images, pod.Spec.Containers, len(nodes)))
	counted := len(pod.Spec.InitContainers) + len(pod.Spec.Containers)
	for reference := range p.volumeImages(pod) {
		if image := findImage(images, reference); image != nil {
			sum = saturating.Add(sum, scaled(image, len(nodes)))
		}
		if p.rangesVolumes {
			counted++
		}
	}
	return normalize(sum, counted), nil
}

// volumeImages yields the images of a pod's volumes, if they count.
func (p *ImageLocality) volumeImages(pod *v1.Pod) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range pod.Spec.Volumes {
			if image := pod.Spec.Volumes[i].Image; p.sumsVolumes && image != nil && !yield(image.Reference) {
				return
			}
		}
	}
}

// ScoreExtensions is nil: scores are from 0 to 100.
func (*ImageLocality) ScoreExtensions() fwk.ScoreExtensions { return nil }

// sizes sums the scaled sizes of the containers' images on a node; an image counts once for every container that uses it.
func sizes(images map[string]*fwk.ImageStateSummary, containers []v1.Container, nodes int) int64 {
	var sum int64
	for i := range containers {
		if image := findImage(images, containers[i].Image); image != nil {
			sum = saturating.Add(sum, scaled(image, nodes))
		}
	}
	return sum
}

// findImage finds an image by the name in a container. The full name is built on the stack.
func findImage(images map[string]*fwk.ImageStateSummary, name string) *fwk.ImageStateSummary {
	if hasTagOrDigest(name) {
		return images[name]
	}
	var room [256]byte
	full := append(append(room[:0], name...), defaultTag...)
	return images[string(full)]
}

const defaultTag = ":latest"

// hasTagOrDigest reports whether a name has a tag or a digest: a colon after the last slash, unlike a registry's port.
func hasTagOrDigest(name string) bool {
	return strings.LastIndexByte(name, ':') > strings.LastIndexByte(name, '/')
}

func scaled(image *fwk.ImageStateSummary, nodes int) int64 {
	spread := float64(image.NumNodes) / float64(nodes)
	return saturating.Truncate(float64(image.Size) * spread)
}

// normalize maps a sum of sizes to a score. With so many images it may be as large.
func normalize(sum int64, images int) int64 {
	most := mostPerContainer * int64(images)
	if sum > most {
		sum = most
	}
	if sum < least {
		sum = least
	}
	return fwk.MaxScore * (sum - least) / (most - least)
}

// AppendSignature appends the images. How many nodes have an image is the node's own: the count at the time when it was last copied.
func (p *ImageLocality) AppendSignature(to reuse.Signature, _ fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool) {
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		to = to.Number(int64(len(containers)))
		for i := range containers {
			to = to.Text(containers[i].Image)
		}
	}
	for reference := range p.volumeImages(pod) {
		to = to.Flag(true).Text(reference)
	}
	return to.Flag(false), true
}

// ScoreCountsNodes implements framework.NodeCountScore: without any of the images a node scores 0, however many nodes there are.
func (p *ImageLocality) ScoreCountsNodes(pod *v1.Pod, node fwk.NodeInfo) bool {
	images := node.GetImageStates()
	if len(images) == 0 {
		return false
	}
	has := func(c v1.Container) bool { return findImage(images, c.Image) != nil }
	for reference := range p.volumeImages(pod) {
		if findImage(images, reference) != nil {
			return true
		}
	}
	return slices.ContainsFunc(pod.Spec.InitContainers, has) || slices.ContainsFunc(pod.Spec.Containers, has)
}

// SignPod signs the images.
func (*ImageLocality) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	names := make([]string, 0, len(pod.Spec.Containers)+len(pod.Spec.InitContainers))
	for _, containers := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			name := containers[i].Image
			if !hasTagOrDigest(name) {
				name += defaultTag
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return []fwk.SignFragment{{Key: fwk.ImageNamesSignerName, Value: slices.Compact(names)}}, nil
}
