package engine_test

import (
	_ "embed"
	"reflect"
	"strings"
	"testing"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/codectest"
)

//go:embed testdata/state.fields
var stateFields string

// What of an engine is written, and why the rest need not be.
func TestState_CoversEveryField(t *testing.T) {
	features, err := config.ParseFeatures(map[string]bool{
		string(config.GenericWorkload): true, string(config.GangScheduling): true, string(config.NodeDeclaredFeatures): true,
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Config: config.Default(features), Start: start})
	if err != nil {
		t.Fatal(err)
	}
	roots := []reflect.Type{reflect.TypeFor[engine.Engine]()}
	profile := e.Profile(e.Profiles()[0])
	names := append(profile.Enabled(framework.PreEnqueue), profile.Enabled(framework.QueueSort)...)
	for _, count := range profile.Counts() {
		names = append(names, count.Plugin)
	}
	for _, name := range names {
		plugin, _ := profile.Plugin(name)
		of := reflect.TypeOf(plugin)
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct && strings.HasPrefix(of.PkgPath(), "orrery/") {
			roots = append(roots, of)
		}
	}
	codectest.CheckFields(t, stateFields, roots...)
}
