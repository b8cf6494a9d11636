package app_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"orrery/cmd/app"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"orrery": func() { os.Exit(app.Main(os.Args[1:])) }})
}

func TestCommands(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata"})
}
