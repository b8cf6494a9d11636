package chart

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"

	"orrery/cmd/release/archive"
)

const (
	kustomizeFolder = "cmd/deploy/kustomize"
	// develImage is the image in the source, which has no version.
	develImage = "\"orrery:devel\""
)

// Kustomizations returns the files for kustomize in the source, with the image of a version.
func Kustomizations(source fs.FS, version string) (all []archive.File, err error) {
	stamped := 0
	err = fs.WalkDir(source, kustomizeFolder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(source, name)
		stamped += bytes.Count(content, []byte(develImage))
		content = bytes.ReplaceAll(content, []byte(develImage), []byte("\"orrery:"+version+"\""))
		all = append(all, archive.File{Name: strings.TrimPrefix(name, kustomizeFolder+"/"), Mode: 0o644, Content: content})
		return err
	})
	if err == nil && stamped == 0 {
		err = fmt.Errorf("packing %s: nothing there has the image %s", kustomizeFolder, develImage)
	}
	return all, err
}
