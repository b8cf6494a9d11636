package site

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/semver"
)

// writeVersions lists the versions in a folder, the newest first, and leads from the folder's first page to it.
func writeVersions(folder, current string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() {
			all = append(all, e.Name())
		}
	}
	slices.SortFunc(all, func(a, b string) int { return semver.Compare(b, a) })
	list, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "versions.js"), fmt.Appendf(nil, "window.orreryVersions = %s;\n", list), 0o644); err != nil {
		return err
	}
	const redirect = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Orrery</title><meta http-equiv="refresh" content="0; url=%[1]s/index.html"></head>
<body><main><h1>Orrery</h1><p><a href="%[1]s/index.html">The documentation of %[1]s</a></p></main></body>
</html>
`
	return os.WriteFile(filepath.Join(folder, "index.html"), fmt.Appendf(nil, redirect, all[0]), 0o644)
}
