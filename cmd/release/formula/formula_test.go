package formula

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"orrery/cmd/release/krew"
	"orrery/cmd/release/platform"
)

func release() Release {
	r := Release{Version: "v1.2.3", Home: "https://example.com/orrery", License: "Apache-2.0"}
	for _, on := range platform.Released() {
		name := "orrery_v1.2.3_" + on.OS + "_" + on.Arch
		r.Archives = append(r.Archives, krew.Archive{Platform: on, URL: "https://example.com/orrery/v1.2.3/" + name + ".tar.gz", SHA256: "sum of " + on.String(), Folder: name})
	}
	return r
}

func TestHomebrew_InstallsTheArchiveOfEachPlatform(t *testing.T) {
	text, err := release().Write(Homebrew)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"class Orrery < Formula\n", "  version \"1.2.3\"\n", "  license \"Apache-2.0\"\n",
		"  on_macos do\n    on_intel do\n      url \"https://example.com/orrery/v1.2.3/orrery_v1.2.3_darwin_amd64.tar.gz\"\n      sha256 \"sum of darwin/amd64\"\n    end\n    on_arm do\n",
		"  on_linux do\n    on_intel do\n", "      sha256 \"sum of linux/arm64\"\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	ruby, err := exec.LookPath("ruby")
	if err != nil {
		t.Skip("there is no ruby: that it is a program of Ruby's is not checked")
	}
	check := exec.Command(ruby, "-c")
	check.Stdin = strings.NewReader(string(text))
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("ruby: %v: %s", err, out)
	}
}

func TestScoop_InstallsTheArchiveOfEachPlatform(t *testing.T) {
	text, err := release().Write(Scoop)
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Version      string
		Architecture map[string]struct {
			URL, Hash  string
			ExtractDir string `json:"extract_dir"`
		}
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	arm := manifest.Architecture["arm64"]
	if manifest.Version != "1.2.3" || len(manifest.Architecture) != 2 || manifest.Architecture["64bit"].Hash != "sum of windows/amd64" ||
		arm.URL != "https://example.com/orrery/v1.2.3/orrery_v1.2.3_windows_arm64.tar.gz" || arm.ExtractDir != "orrery_v1.2.3_windows_arm64" {
		t.Errorf("it is %+v", manifest)
	}
}
