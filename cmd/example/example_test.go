package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"orrery/cmd/app"
	"orrery/cmd/example/favouritezone"
	"orrery/cmd/example/licenses"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"example": func() {
		os.Exit(app.Main(os.Args[1:], app.WithPlugin(favouritezone.Name, favouritezone.New), app.WithPlugin(licenses.Name, licenses.New)))
	}})
}

func TestExample_ThirdPartyPlugin(t *testing.T) {
	page, err := os.ReadFile("../../docs/plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"page": func(ts *testscript.TestScript, _ bool, _ []string) { runPage(ts, string(page)) }},
	})
}

var (
	files    = regexp.MustCompile("(?s)`([a-z]+\\.yaml)`[^`]*```yaml\n(.*?)```")
	commands = regexp.MustCompile("(?m)^example .*$")
)

// runPage writes the files that the page shows, and runs its commands.
func runPage(ts *testscript.TestScript, page string) {
	for _, file := range files.FindAllStringSubmatch(page, -1) {
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs("."), file[1]), []byte(file[2]), 0o600))
	}
	all := commands.FindAllString(page, -1)
	if len(all) == 0 {
		ts.Fatalf("the page shows no command")
	}
	for _, command := range all {
		words := strings.Fields(command)
		ts.Check(ts.Exec(words[0], words[1:]...))
	}
}
