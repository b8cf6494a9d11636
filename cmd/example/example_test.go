package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"orrery/cmd/app"
	"orrery/cmd/example/favouritezone"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"example": func() {
		os.Exit(app.Main(os.Args[1:], app.WithPlugin(favouritezone.Name, favouritezone.New)))
	}})
}

func TestExample_ThirdPartyPlugin(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata"})
}
