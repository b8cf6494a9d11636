package chart

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Helm's media types.
const (
	configType = "application/vnd.cncf.helm.config.v1+json"
	layerType  = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// OCI writes the OCI archive, and returns the digest by which registries know the chart.
func (c *Chart) OCI(to io.Writer) (digest string, err error) {
	about, err := json.Marshal(c.about)
	if err != nil {
		return "", fmt.Errorf("writing the chart's archive: %w", err)
	}
	w := &layoutWriter{packed: tar.NewWriter(to), chart: c}
	manifest, err := json.Marshal(v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: w.blob(configType, about), Layers: []v1.Descriptor{w.blob(layerType, c.Packed)}, Annotations: c.Annotations,
	})
	if err != nil {
		return "", fmt.Errorf("writing the chart's archive: %w", err)
	}
	top := w.blob(types.OCIManifestSchema1, manifest)
	top.Annotations = map[string]string{"org.opencontainers.image.ref.name": c.Tag()}
	index, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{top}})
	if err != nil {
		return "", fmt.Errorf("writing the chart's archive: %w", err)
	}
	w.file("index.json", index)
	w.file("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`))
	if w.err == nil {
		w.err = w.packed.Close()
	}
	if w.err != nil {
		return "", fmt.Errorf("writing the chart's archive: %w", w.err)
	}
	return top.Digest.String(), nil
}

// layoutWriter writes the files of an OCI image layout until one cannot be written.
type layoutWriter struct {
	packed *tar.Writer
	chart  *Chart
	err    error
}

func (w *layoutWriter) file(name string, content []byte) {
	if w.err == nil {
		w.err = w.packed.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o644, ModTime: w.chart.At, Format: tar.FormatUSTAR})
	}
	if w.err == nil {
		_, w.err = w.packed.Write(content)
	}
}

// blob writes a content under its sum, and describes it.
func (w *layoutWriter) blob(kind types.MediaType, content []byte) v1.Descriptor {
	sum, size, err := v1.SHA256(bytes.NewReader(content))
	if w.err == nil {
		w.err = err
	}
	w.file("blobs/"+sum.Algorithm+"/"+sum.Hex, content)
	return v1.Descriptor{MediaType: kind, Digest: sum, Size: size}
}
