// Package image writes an image of a program for several platforms as one OCI archive: a tar file of the OCI image layout, which
// containerd, podman, skopeo and crane read. No daemon is asked and nothing is fetched: the image has no base.
package image

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"orrery/cmd/release/archive"
	"orrery/cmd/release/platform"
)

const (
	// User is the user and group that the manifests run the program as. A number, so that a kubelet can tell that it is not root.
	User = "65532:65532"
	port = "10259/tcp"
)

// Image is an image.
type Image struct {
	// Name and Tag are the image's: orrery:v1.2.3.
	Name, Tag string
	// Labels are annotations too.
	Labels map[string]string
	At     time.Time
}

// Content is what one platform's image has in it.
type Content struct {
	Platform platform.Platform
	Program  []byte
	// Licenses are files for the folder /licenses.
	Licenses []archive.File
}

// Digests are those by which registries know the image, and the image of each platform.
type Digests struct {
	Index     string
	Platforms []string
}

// Write writes the archive.
func (m Image) Write(to io.Writer, contents []Content) (digests Digests, err error) {
	var index v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, c := range contents {
		one, err := m.image(c)
		if err != nil {
			return digests, fmt.Errorf("making the image for %s: %w", c.Platform, err)
		}
		hash, err := one.Digest()
		if err != nil {
			return digests, fmt.Errorf("making the image for %s: %w", c.Platform, err)
		}
		digests.Platforms = append(digests.Platforms, hash.String())
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: one, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: c.Platform.OS, Architecture: c.Platform.Arch}},
		})
	}
	index = mutate.Annotations(index, m.Labels).(v1.ImageIndex)
	hash, err := index.Digest()
	if err != nil {
		return digests, fmt.Errorf("making the image: %w", err)
	}
	dir, err := os.MkdirTemp("", "orrery-image-")
	if err != nil {
		return digests, fmt.Errorf("writing the image: %w", err)
	}
	defer os.RemoveAll(dir)
	written, err := layout.Write(dir, empty.Index)
	if err != nil {
		return digests, fmt.Errorf("writing the image: %w", err)
	}
	// One index for all platforms, so that a reader takes its own. containerd goes by the first name, others by the second.
	names := map[string]string{"io.containerd.image.name": "docker.io/library/" + m.Name + ":" + m.Tag, "org.opencontainers.image.ref.name": m.Tag}
	if err := written.AppendIndex(index, layout.WithAnnotations(names)); err != nil {
		return digests, fmt.Errorf("writing the image: %w", err)
	}
	if err := pack(to, dir, m.At); err != nil {
		return digests, fmt.Errorf("writing the image: %w", err)
	}
	digests.Index = hash.String()
	return digests, nil
}

// image makes one platform's image, of one layer.
func (m Image) image(c Content) (v1.Image, error) {
	var compressed bytes.Buffer
	if err := archive.Gzip(&compressed, func(to io.Writer) error { return m.layer(to, c) }); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(compressed.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	one, err := mutate.Append(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON),
		mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: m.At}, CreatedBy: "make image"}})
	if err != nil {
		return nil, err
	}
	config, err := one.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = c.Platform.OS, c.Platform.Arch, v1.Time{Time: m.At}
	config.Config = v1.Config{
		User: User, Entrypoint: []string{"/" + m.Name}, Env: []string{"PATH=/"}, WorkingDir: "/",
		ExposedPorts: map[string]struct{}{port: {}}, Labels: m.Labels,
	}
	if one, err = mutate.ConfigFile(one, config); err != nil {
		return nil, err
	}
	return mutate.Annotations(one, m.Labels).(v1.Image), nil
}
