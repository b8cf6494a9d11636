package typecheck_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"orrery/cmd/release/platform"
	"orrery/cmd/release/typecheck"
)

// module is a module of which parts compile on one system only.
var module = map[string]string{
	"go.mod": "module m\n\ngo 1.26\n",
	"a/a.go": `package a

import "syscall"

var Quit = syscall.SIGUSR2
`,
	"a/a_test.go": `package a

import "testing"

func TestQuit(t *testing.T) { t.Log(onUnix) }
`,
	"a/unix_test.go": `//go:build unix

package a

var onUnix = Quit
`,
	"b/b.go": `package b

import "m/a"

func init() { _ = a.Quit }

func main() int { return "" }
`,
}

func TestCheck_FindsWhatDoesNotCompile(t *testing.T) {
	dir := t.TempDir()
	for name, content := range module {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		on   platform.Platform
		want []string
	}{
		{platform.Platform{OS: "darwin", Arch: "arm64"}, []string{
			`darwin/arm64: b/b.go:7:26: cannot use "" (untyped string constant) as int value in return statement`,
		}},
		{platform.Platform{OS: "windows", Arch: "amd64"}, []string{
			"windows/amd64: a/a.go:5:20: undefined: syscall.SIGUSR2",
			"windows/amd64: a/a_test.go:5:37: undefined: onUnix",
			`windows/amd64: b/b.go:7:26: cannot use "" (untyped string constant) as int value in return statement`,
		}},
	} {
		got, err := typecheck.Check(t.Context(), dir, tt.on)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	if _, err := typecheck.Check(t.Context(), filepath.Join(dir, "none"), platform.Platform{OS: "darwin", Arch: "arm64"}); err == nil {
		t.Error("a directory that is not there compiles")
	}
}
