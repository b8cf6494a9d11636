package krew_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"orrery/cmd/release/krew"
	"orrery/cmd/release/platform"
)

// manifest is what krew reads of a manifest.
type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Version, Description, Caveats, Homepage string
		ShortDescription                        string `yaml:"shortDescription"`
		Platforms                               []struct {
			URI, Sha256, Bin string
			Selector         struct {
				MatchLabels map[string]string `yaml:"matchLabels"`
			}
			Files []file
		}
	}
}

type file struct{ From, To string }

func plugin(t *testing.T) manifest {
	t.Helper()
	var archives []krew.Archive
	for i, p := range platform.Released() {
		folder := "orrery_v1.2.3_" + p.OS + "_" + p.Arch
		archives = append(archives, krew.Archive{Platform: p, URL: "https://example.com/" + folder + ".tar.gz", SHA256: strings.Repeat(fmt.Sprint(i), 64), Folder: folder})
	}
	text, err := krew.Manifest("v1.2.3", archives)
	if err != nil {
		t.Fatal(err)
	}
	var p manifest
	strict := yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true)
	if err := strict.Decode(&p); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// TestManifest_KeepsKrewsRules checks what krew checks before it installs a plugin, and what its index asks of one.
func TestManifest_KeepsKrewsRules(t *testing.T) {
	p := plugin(t)
	if p.APIVersion != "krew.googlecontainertools.github.com/v1alpha2" || p.Kind != "Plugin" {
		t.Errorf("it is a %s of %s", p.Kind, p.APIVersion)
	}
	if name := p.Metadata.Name; name != krew.Name || !regexp.MustCompile(`^[\w-]+$`).MatchString(name) {
		t.Errorf("the name is %q", name)
	}
	if p.Spec.Version != "v1.2.3" {
		t.Errorf("the version is %q", p.Spec.Version)
	}
	if d := p.Spec.ShortDescription; d == "" || len(d) > 50 || strings.ContainsAny(d, "\r\n") || strings.HasSuffix(d, ".") {
		t.Errorf("the short description is %q", d)
	}
	if !strings.Contains(p.Spec.Caveats, "kubectl_complete-orrery") || p.Spec.Description == "" {
		t.Errorf("it says %q, %q", p.Spec.Description, p.Spec.Caveats)
	}
	var got []string
	for _, one := range p.Spec.Platforms {
		labels := one.Selector.MatchLabels
		got = append(got, labels["os"]+"/"+labels["arch"])
		if len(labels) != 2 || !regexp.MustCompile(`^[a-f0-9]{64}$`).MatchString(one.Sha256) {
			t.Errorf("the platform is %+v", one)
		}
		folder := "orrery_v1.2.3_" + labels["os"] + "_" + labels["arch"]
		if one.URI != "https://example.com/"+folder+".tar.gz" {
			t.Errorf("%s is at %q", folder, one.URI)
		}
		// The program has to be at the top of what is installed.
		if !slices.Contains(one.Files, file{folder + "/" + one.Bin, "."}) || len(one.Files) != 3 {
			t.Errorf("%s has the files %v and the program %q", folder, one.Files, one.Bin)
		}
		if windows := labels["os"] == "windows"; (one.Bin == "orrery.exe") != windows || (one.Bin == "orrery") == windows {
			t.Errorf("on %s the program is %q", labels["os"], one.Bin)
		}
	}
	want := []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}
	if !slices.Equal(got, want) {
		t.Errorf("the platforms are %q, want %q", got, want)
	}
}
