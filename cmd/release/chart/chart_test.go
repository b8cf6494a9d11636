package chart

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"
)

var at = time.Unix(1_700_000_000, 0)

func ours(t *testing.T) *Chart {
	t.Helper()
	c, err := Pack(os.DirFS("../../.."), "v1.2.3-rc.1", at)
	if err != nil {
		t.Fatal(err)
	}
	c.Annotations = map[string]string{"org.opencontainers.image.version": "1.2.3-rc.1"}
	return c
}

func TestPack_StampsTheVersion(t *testing.T) {
	c := ours(t)
	if c.FileName() != "orrery-1.2.3-rc.1.tgz" {
		t.Errorf("it is called %s", c.FileName())
	}
	if again := ours(t); !bytes.Equal(again.Packed, c.Packed) {
		t.Error("another one of the same source differs")
	}
	if c.about["version"] != "1.2.3-rc.1" || c.about["appVersion"] != "v1.2.3-rc.1" {
		t.Errorf("it says of itself %v", c.about)
	}
	if _, err := Pack(fstest.MapFS{Folder + "/values.yaml": {}}, "v1", at); err == nil {
		t.Error("a chart without Chart.yaml was packed")
	}
}

// What a registry gets from the archive is what helm looks for there.
func TestOCI_IsAsHelmPushes(t *testing.T) {
	c := ours(t)
	var packed bytes.Buffer
	digest, err := c.OCI(&packed)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for files := tar.NewReader(&packed); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		content, readErr := io.ReadAll(files)
		file := filepath.Join(dir, h.Name)
		if err := errors.Join(err, readErr, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifests, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	one, err := index.Image(manifests.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if got := manifests.Manifests[0]; got.Digest.String() != digest || got.Annotations["org.opencontainers.image.ref.name"] != "1.2.3-rc.1" {
		t.Errorf("the index names %+v, want %s", got, digest)
	}
	manifest, err := one.RawManifest()
	for _, want := range []string{configType, layerType, `"org.opencontainers.image.version":"1.2.3-rc.1"`} {
		if err != nil || !strings.Contains(string(manifest), want) {
			t.Errorf("the manifest lacks %s: %s, %v", want, manifest, err)
		}
	}
	layers, err := one.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("it has %d layers, %v", len(layers), err)
	}
	from, err := layers[0].Compressed()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(from); err != nil || !bytes.Equal(got, c.Packed) {
		t.Errorf("the layer is not the packed chart, %v", err)
	}
}
