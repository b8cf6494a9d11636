package difftest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// FieldErrors are errors as texts, sorted: the field, the type, the first line of the text, and the value if it is no
// structure, since the types of structures have other names on the two sides.
func FieldErrors(all field.ErrorList) []string {
	var texts []string
	for _, err := range all {
		detail, _, _ := strings.Cut(err.Detail, "\n")
		text := fmt.Sprintf("%s: %s: %s", err.Field, err.Type, strings.TrimSpace(detail))
		if value, plain := plainValue(err.BadValue); plain {
			text += fmt.Sprintf(" (of %q)", value)
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return texts
}

func plainValue(value any) (string, bool) {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64:
		return fmt.Sprint(v.Interface()), true
	}
	return "", false
}
