package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	orrery "orrery/core/scheduler/config"
)

// difference recognizes an error that Orrery reports and kube-scheduler's reading of the file does not.
type difference struct {
	covers  func(*field.Error) bool
	example string // an error that it covers
}

// differences has the differences of comparisons.Configuration that are recognized by their error, in the same order.
var differences = []difference{
	{
		covers: func(e *field.Error) bool {
			return e.Type == field.ErrorTypeDuplicate && strings.Contains(e.Field, ".plugins.") && strings.Contains(e.Field, ".enabled[")
		},
		example: `profiles[0].plugins.multiPoint.enabled[1]: Duplicate value: "NodeName"`,
	},
	{
		covers: func(e *field.Error) bool {
			return e.Type == field.ErrorTypeRequired && e.Detail == "can't find NodeResourcesFitArgs in plugin config"
		},
		example: "profiles[0].pluginConfig: Required value: can't find NodeResourcesFitArgs in plugin config",
	},
	{
		covers: func(e *field.Error) bool {
			return e.Field == "" && strings.HasPrefix(e.Detail, "the file holds more than one YAML document")
		},
		example: "the file holds more than one YAML document, of which only the first would count: put one configuration into one file",
	},
	{
		covers: func(e *field.Error) bool {
			return strings.HasSuffix(e.Field, "apiVersion") && strings.Contains(e.Detail, "registered for the internal version")
		},
		example: `apiVersion: Invalid value: "kubescheduler.config.k8s.io/__internal": no kind "KubeSchedulerConfiguration" is registered for the internal version of group "kubescheduler.config.k8s.io"`,
	},
	{
		covers: func(e *field.Error) bool {
			return strings.HasPrefix(e.Detail, "plugins for groups of pods are not modelled")
		},
		example: "profiles[0].plugins.placementScore: Forbidden: plugins for groups of pods are not modelled: leave them out",
	},
}

// agree loads a file with Orrery and returns how the result differs from upstream's, or "".
func agree(t testing.TB, data []byte, up upstreamReading, features orrery.Features) string {
	t.Helper()
	cfg, err := orrery.Load(data, features)
	var bad *orrery.Error
	if err != nil && !errors.As(err, &bad) {
		return fmt.Sprintf("Load returned a %T, not an *Error: %v", err, err)
	}
	if up.decodeErr != nil {
		return agreeOnDecoding(up.decodeErr, bad)
	}
	if err != nil {
		mine := slices.DeleteFunc(slices.Clone(bad.List), func(e *field.Error) bool {
			return slices.ContainsFunc(differences, func(d difference) bool { return d.covers(e) })
		})
		return agreeOnErrors(up.invalid, mine)
	}
	if len(up.invalid) > 0 {
		return fmt.Sprintf("kube-scheduler rejects what Orrery accepts: %v", up.invalid)
	}
	text, err := cfg.YAMLWithSecrets()
	if err != nil {
		return err.Error()
	}
	if diff := gocmp.Diff(up.completed, normalized(t, text)); diff != "" {
		return "completed configurations differ (-kube-scheduler +orrery)\n" + diff
	}
	return ""
}

// agreeOnDecoding compares the errors for a file that kube-scheduler cannot decode. kube-scheduler returns one error, or all
// strict decoding errors and no others. Orrery continues with validation, so only its decoding errors are compared.
func agreeOnDecoding(up error, mine *orrery.Error) string {
	if mine == nil {
		return fmt.Sprintf("kube-scheduler rejects what Orrery accepts: %v", up)
	}
	if !runtime.IsStrictDecodingError(up) {
		return ""
	}
	var texts []string
	for _, e := range mine.List {
		texts = append(texts, e.Detail)
	}
	return gocmp.Diff(strictTexts(up.Error()), strictTexts(strings.Join(texts, "\n")))
}

func agreeOnErrors(up []error, mine field.ErrorList) string {
	theirs := make(field.ErrorList, 0, len(up))
	for _, err := range up {
		e, ok := err.(*field.Error)
		if !ok {
			return fmt.Sprintf("kube-scheduler returned an error without a path: %v", err)
		}
		theirs = append(theirs, e)
	}
	sortErrors(theirs)
	sortErrors(mine)
	var want, got []string
	for i := range max(len(theirs), len(mine)) {
		spellValues := i < len(theirs) && i < len(mine) && isPlain(theirs[i].BadValue) && isPlain(mine[i].BadValue)
		if i < len(theirs) {
			want = append(want, spell(theirs[i], spellValues))
		}
		if i < len(mine) {
			got = append(got, spell(mine[i], spellValues))
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		return "errors differ (-kube-scheduler +orrery)\n" + diff
	}
	return ""
}

func sortErrors(list field.ErrorList) {
	slices.SortFunc(list, func(a, b *field.Error) int {
		return cmp.Or(cmp.Compare(spell(a, false), spell(b, false)), cmp.Compare(a.Error(), b.Error()))
	})
}

func spell(e *field.Error, withValue bool) string {
	if withValue {
		return e.Error()
	}
	return fmt.Sprintf("%s: %s: %s", e.Field, e.Type, e.Detail)
}

// isPlain reports whether both print a value in the same way: not for structures, nor for paths that upstream prints as "{}".
func isPlain(value any) bool {
	switch value.(type) {
	case metav1.Duration, *metav1.Duration:
		return true
	case nil:
		return true
	}
	switch reflect.TypeOf(value).Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Slice, reflect.Map:
		return false
	}
	return true
}
