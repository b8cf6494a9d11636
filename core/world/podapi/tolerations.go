package podapi

import (
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/deviceapi"
)

// Tolerations checks the tolerations of a pod or of a runtime class.
func (o Options) Tolerations(list []v1.Toleration, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for i := range list {
		wrong = append(wrong, o.toleration(&list[i], path.Index(i))...)
	}
	return wrong
}

func (o Options) toleration(t *v1.Toleration, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	operator := path.Child("operator")
	if t.Key != "" {
		wrong = append(wrong, metav1validation.ValidateLabelName(t.Key, path.Child("key"))...)
	} else if t.Operator != v1.TolerationOpExists {
		wrong = append(wrong, field.Invalid(operator, t.Operator, `operator must be Exists when `+"`key`"+` is empty, which means "match all values and all keys"`))
	}
	if t.TolerationSeconds != nil && t.Effect != v1.TaintEffectNoExecute {
		wrong = append(wrong, field.Invalid(path.Child("effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
	}
	switch t.Operator {
	case v1.TolerationOpEqual, "":
		if messages := validation.IsValidLabelValue(t.Value); len(messages) > 0 {
			wrong = append(wrong, field.Invalid(operator, t.Value, strings.Join(messages, ";")))
		}
	case v1.TolerationOpExists:
		if t.Value != "" {
			wrong = append(wrong, field.Invalid(operator, t.Value, "value must be empty when `operator` is 'Exists'"))
		}
	case v1.TolerationOpLt, v1.TolerationOpGt:
		wrong = append(wrong, o.comparison(t, path)...)
	default:
		wrong = append(wrong, field.NotSupported(operator, t.Operator, []v1.TolerationOperator{v1.TolerationOpEqual, v1.TolerationOpExists}))
	}
	if t.Effect != "" {
		wrong = append(wrong, effect(t.Effect, path.Child("effect"))...)
	}
	return wrong
}

// comparison checks a toleration of numbers.
func (o Options) comparison(t *v1.Toleration, path *field.Path) field.ErrorList {
	if !o.ComparisonOperators {
		return field.ErrorList{field.NotSupported(path.Child("operator"), t.Operator,
			[]v1.TolerationOperator{v1.TolerationOpEqual, v1.TolerationOpExists, v1.TolerationOpLt, v1.TolerationOpGt})}
	}
	wrong := deviceapi.Invalid(path.Child("value"), t.Value, content.IsDecimalInteger(t.Value))
	if _, err := strconv.ParseInt(t.Value, 10, 64); err != nil {
		wrong = append(wrong, field.Invalid(path.Child("value"), t.Value, err.Error()))
	}
	return wrong
}

func effect(e v1.TaintEffect, path *field.Path) field.ErrorList {
	return oneOf(e, path, v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute)
}

// Taints checks the taints of a node, no two of which have the same key and effect.
func Taints(list []v1.Taint, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	type identity struct {
		key    string
		effect v1.TaintEffect
	}
	seen := map[identity]bool{}
	for i := range list {
		t, at := &list[i], path.Index(i)
		wrong = append(wrong, metav1validation.ValidateLabelName(t.Key, at.Child("key"))...)
		if messages := validation.IsValidLabelValue(t.Value); len(messages) > 0 {
			wrong = append(wrong, field.Invalid(at.Child("value"), t.Value, strings.Join(messages, ";")))
		}
		wrong = append(wrong, effect(t.Effect, at.Child("effect"))...)
		id := identity{t.Key, t.Effect}
		if seen[id] {
			duplicate := field.Duplicate(at, *t)
			duplicate.Detail = "taints must be unique by key and effect pair"
			wrong = append(wrong, duplicate)
		}
		seen[id] = true
	}
	return wrong
}
