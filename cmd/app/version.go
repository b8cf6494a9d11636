package app

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"orrery/core/trace"
)

// release is the version; `go build -ldflags "-X orrery/cmd/app.release=v1.2.3"` sets it.
var release string

// kubernetes is the release whose scheduler this one decides like.
const kubernetes = "1.35"

// version is what was released, or what the program was built from.
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

type versionDocument struct {
	envelope
	Version     string `json:"version"`
	Kubernetes  string `json:"kubernetes"`
	TraceFormat int    `json:"traceFormat"`
	Go          string `json:"go"`
	Platform    string `json:"platform"`
}

func versionCommand() *cobra.Command {
	var out output
	c := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			doc := versionDocument{document("Version"), version(), kubernetes, trace.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return out.print(c, doc, func(w io.Writer) {
				fmt.Fprintf(w, "orrery %s, decides like kube-scheduler %s; trace format %d; %s, %s\n",
					doc.Version, doc.Kubernetes, doc.TraceFormat, doc.Go, doc.Platform)
			})
		},
	}
	out.flag(c)
	return c
}
