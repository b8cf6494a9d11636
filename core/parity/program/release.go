package program

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"k8s.io/component-base/version"

	"orrery/core/scheduler/release"
)

// The programs of another release that BuildOf builds, besides KubeScheduler.
const (
	Oracle                = "."
	KubeAPIServer         = "k8s.io/kubernetes/cmd/kube-apiserver"
	KubeControllerManager = "k8s.io/kubernetes/cmd/kube-controller-manager"
)

// Switch is the environment variable that asks for programs of other releases: one release, or 1 for all of them. To compile one takes ten
// minutes the first time.
const Switch = "ORRERY_ORACLES"

// modules are the folders of core/parity whose modules have other releases of Kubernetes.
var modules = map[release.Release]string{release.V135: "v135", release.V136: "v136"}

// HasModule reports whether a release has a module of its own.
func HasModule(r release.Release) bool { return modules[r] != "" }

// Linked returns the release that this program is linked with.
func Linked() (release.Release, error) { return release.Parse(version.DefaultKubeBinaryVersion) }

// Asked returns the releases with modules of their own that Switch asks for: none, if it asks for the linked one.
func Asked() (all []release.Release, err error) {
	asked := os.Getenv(Switch)
	if asked == "" {
		return nil, nil
	}
	for _, r := range release.All() {
		if HasModule(r) && (asked == "1" || asked == r.String()) {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		if _, err = release.Parse(asked); err != nil {
			err = fmt.Errorf("%s: %w; or 1 for all of them", Switch, err)
		}
	}
	return all, err
}

// BuildOf builds a program of a release, in the release's module, and returns its file. Files are kept in the user's cache: one that is up
// to date is not linked again.
func BuildOf(r release.Release, pkg string) (string, error) {
	name := path.Base(pkg)
	if pkg == Oracle {
		name = "oracle"
	}
	// The version that an API server is asked for.
	number, minor := "k8s.io/component-base/version.git", strings.TrimPrefix(r.String(), "1.")
	link := fmt.Sprintf("-s -w -X %sVersion=v%s -X %sMajor=1 -X %sMinor=%s", number, r.Patch(), number, number, minor)
	file, err := buildIn(modules[r], pkg, name, link)
	if err != nil {
		return "", fmt.Errorf("building %s of Kubernetes %s: %w", pkg, r, err)
	}
	return file, nil
}

// BuildKarpenter builds Karpenter's scheduler as package oracle asks it, and returns its file, which is kept as those of releases are.
func BuildKarpenter() (string, error) {
	file, err := buildIn("karpenter", ".", "oracle", "-s -w")
	if err != nil {
		return "", fmt.Errorf("building Karpenter's scheduler: %w", err)
	}
	return file, nil
}

// buildIn builds a program in a module below core/parity.
func buildIn(module, pkg, name, link string) (string, error) {
	parity, err := moduleFolder("orrery/core/parity")
	if err != nil {
		return "", err
	}
	kept, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("looking for a place for programs: %w", err)
	}
	file := filepath.Join(kept, "orrery", module, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("making a place for programs: %w", err)
	}
	// The flags of the Makefile, so that nothing is compiled twice.
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags="+link, "-o", file, pkg)
	build.Dir = filepath.Join(parity, module)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return file, nil
}

func moduleFolder(module string) (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("finding module %s: %w; run this in core/parity", module, err)
	}
	return strings.TrimSpace(string(root)), nil
}
