package image_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"orrery/cmd/release/archive"
	"orrery/cmd/release/image"
	"orrery/cmd/release/platform"
)

var (
	example = image.Image{
		Name: "orrery", Tag: "v1.2.3", Labels: map[string]string{"org.opencontainers.image.version": "v1.2.3"}, At: time.Unix(1_700_000_000, 0),
	}
	contents = []image.Content{
		{Platform: platform.Platform{OS: "linux", Arch: "amd64"}, Program: []byte("for amd64"), Licenses: []archive.File{{Name: "LICENSE", Mode: 0o644, Content: []byte("Apache")}}},
		{Platform: platform.Platform{OS: "linux", Arch: "arm64"}, Program: []byte("for arm64"), Licenses: []archive.File{{Name: "LICENSE", Mode: 0o644, Content: []byte("Apache")}}},
	}
)

// write writes the example.
func write(t *testing.T) (written []byte, digest string) {
	t.Helper()
	var b bytes.Buffer
	digests, err := example.Write(&b, contents)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), digests.Index
}

// unpack unpacks an archive and returns the index of the layout in it.
func unpack(t *testing.T, archive []byte) v1.ImageIndex {
	t.Helper()
	dir := t.TempDir()
	eachEntry(t, bytes.NewReader(archive), func(h *tar.Header, content []byte) {
		file := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	})
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func eachEntry(t *testing.T, from io.Reader, visit func(*tar.Header, []byte)) {
	t.Helper()
	for packed := tar.NewReader(from); ; {
		h, err := packed.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(packed)
		if err != nil {
			t.Fatal(err)
		}
		visit(h, content)
	}
}

// only returns the one index of a layout, and what the layout says of it.
func only(t *testing.T, of v1.ImageIndex) (v1.ImageIndex, v1.Descriptor) {
	t.Helper()
	list, err := of.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Manifests) != 1 {
		t.Fatalf("the layout has %d images", len(list.Manifests))
	}
	index, err := of.ImageIndex(list.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return index, list.Manifests[0]
}

func TestWrite_HasImageForEachPlatform(t *testing.T) {
	written, digest := write(t)
	index, named := only(t, unpack(t, written))
	if err := validate.Index(index); err != nil {
		t.Errorf("the image is damaged: %v", err)
	}
	if named.Digest.String() != digest || named.MediaType != types.OCIImageIndex {
		t.Errorf("the layout has %s of %s, told was %s", named.MediaType, named.Digest, digest)
	}
	if named.Annotations["org.opencontainers.image.ref.name"] != "v1.2.3" || named.Annotations["io.containerd.image.name"] != "docker.io/library/orrery:v1.2.3" {
		t.Errorf("it is named %v", named.Annotations)
	}
	list, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if list.Annotations["org.opencontainers.image.version"] != "v1.2.3" || len(list.Manifests) != len(contents) {
		t.Errorf("it has %d images and the annotations %v", len(list.Manifests), list.Annotations)
	}
	for i, m := range list.Manifests {
		if m.Platform.String() != contents[i].Platform.String() {
			t.Errorf("image %d is for %s", i, m.Platform)
		}
		one, err := index.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := one.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		c := config.Config
		if config.OS+"/"+config.Architecture != contents[i].Platform.String() || c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/orrery"}) || c.Cmd != nil ||
			c.Labels["org.opencontainers.image.version"] != "v1.2.3" || !config.Created.Equal(example.At) {
			t.Errorf("image %d is configured as %+v", i, config)
		}
		if _, exposed := c.ExposedPorts["10259/tcp"]; !exposed {
			t.Errorf("image %d exposes %v", i, c.ExposedPorts)
		}
	}
}

func TestWrite_HasProgramAndLittleElse(t *testing.T) {
	written, _ := write(t)
	index, _ := only(t, unpack(t, written))
	list, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range list.Manifests {
		one, err := index.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		files := mutate.Extract(one)
		defer files.Close()
		var got []string
		eachEntry(t, files, func(h *tar.Header, content []byte) {
			got = append(got, fmt.Sprintf("%s %v %d:%d %q", h.Name, h.FileInfo().Mode(), h.Uid, h.Gid, content))
		})
		want := []string{
			`licenses drwxr-xr-x 0:0 ""`, `licenses/LICENSE -rw-r--r-- 0:0 "Apache"`, fmt.Sprintf(`orrery -rwxr-xr-x 0:0 %q`, contents[i].Program),
			`tmp dtrwxrwxrwx 0:0 ""`,
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("image %d has %q, want %q", i, got, want)
		}
	}
}

func TestWrite_WritesTheSameAgain(t *testing.T) {
	first, digest := write(t)
	for range 5 {
		if again, other := write(t); !bytes.Equal(first, again) || digest != other {
			t.Fatalf("two archives of one image differ; %s and %s", digest, other)
		}
	}
}

func TestWrite_SaysWhereItCannot(t *testing.T) {
	full := writerFunc(func([]byte) (int, error) { return 0, errors.New("the disk is full") })
	if _, err := example.Write(full, contents); err == nil || err.Error() != "writing the image: the disk is full" {
		t.Errorf("error %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
