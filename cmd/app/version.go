package app

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	modelled "orrery/core/scheduler/release"
	"orrery/core/trace"
)

// release is the version, set by -ldflags "-X orrery/cmd/app.release=v1.2.3"; see the Makefile.
var release string

// version returns the release, or the commit of the build.
func version() string {
	if release != "" {
		return release
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := build.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range build.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(len(s.Value), 12)]
		}
	}
	return "devel"
}

func releaseNames() (names []string) {
	for _, r := range modelled.All() {
		names = append(names, r.String())
	}
	return names
}

type versionDocument struct {
	envelope
	Version string `json:"version"`
	// Kubernetes is the release that it decides as where nothing names another; Releases are all.
	Kubernetes  string   `json:"kubernetes"`
	Releases    []string `json:"kubernetesReleases"`
	TraceFormat int      `json:"traceFormat"`
	Go          string   `json:"go"`
	Platform    string   `json:"platform"`
}

func versionCommand() *cobra.Command {
	var out output
	c := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			doc := versionDocument{document("Version"), version(), modelled.Oldest.String(), releaseNames(), trace.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return out.print(c, doc, func(w io.Writer) {
				fmt.Fprintf(w, "orrery %s, decides like kube-scheduler %s; trace format %d; %s, %s\n",
					doc.Version, strings.Join(doc.Releases, ", "), doc.TraceFormat, doc.Go, doc.Platform)
			})
		},
	}
	out.addFlag(c)
	return c
}
