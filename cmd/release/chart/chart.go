// Package chart packs the Helm chart of a version: as the file that helm package makes, and as an OCI archive, as helm push puts it into a
// registry.
package chart

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"orrery/cmd/release/archive"
)

// Folder is where the chart is in the source.
const Folder = "cmd/deploy/chart"

// Chart is a chart of a version.
type Chart struct {
	Name, Version string
	// Annotations are those of the OCI archive.
	Annotations map[string]string
	At          time.Time
	// Packed is the file that helm installs.
	Packed []byte
	about  map[string]any // Chart.yaml
}

// Pack packs the chart in the source. It gets the version's number, and installs its image.
func Pack(source fs.FS, version string, at time.Time) (*Chart, error) {
	c := &Chart{Version: strings.TrimPrefix(version, "v"), At: at}
	var files []archive.File
	err := fs.WalkDir(source, Folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(source, name)
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(name, Folder+"/")
		if below == "Chart.yaml" {
			if content, err = c.stamp(content, version); err != nil {
				return err
			}
		}
		files = append(files, archive.File{Name: below, Mode: 0o644, Content: content})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("packing the chart: %w", err)
	}
	if c.Name == "" {
		return nil, fmt.Errorf("packing the chart: %s has no name", path.Join(Folder, "Chart.yaml"))
	}
	slices.SortFunc(files, func(a, b archive.File) int { return strings.Compare(a.Name, b.Name) })
	var packed bytes.Buffer
	if err := archive.TarGz(&packed, c.Name, files, at); err != nil {
		return nil, fmt.Errorf("packing the chart: %w", err)
	}
	c.Packed = packed.Bytes()
	return c, nil
}

// stamp puts the version into Chart.yaml.
func (c *Chart) stamp(text []byte, version string) ([]byte, error) {
	if err := yaml.Unmarshal(text, &c.about); err != nil {
		return nil, err
	}
	c.Name, _ = c.about["name"].(string)
	c.about["version"], c.about["appVersion"] = c.Version, version
	return yaml.Marshal(c.about)
}

// FileName is that of the packed chart, which Helm wants so.
func (c *Chart) FileName() string { return c.Name + "-" + c.Version + ".tgz" }

// Tag is the tag in a registry. Helm has _ for +.
func (c *Chart) Tag() string { return strings.ReplaceAll(c.Version, "+", "_") }
