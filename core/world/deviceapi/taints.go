package deviceapi

import (
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// effects are those of a taint, in the order of the API server's errors.
var effects = []resourcev1.DeviceTaintEffect{
	resourcev1.DeviceTaintEffectNoExecute, resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNone,
}

func isEffect(effect string) bool {
	for _, known := range effects {
		if string(known) == effect {
			return true
		}
	}
	return false
}

// taint checks a taint of a device. An effect that an earlier version wrote may stay.
func taint(key, value, effect string, kept bool, path *field.Path) field.ErrorList {
	wrong := labelKey(key, path.Child("key"))
	if value != "" {
		wrong = append(wrong, labelValue(value, path.Child("value"))...)
	}
	switch {
	case kept || isEffect(effect):
		return wrong
	case effect == "":
		return append(wrong, field.Required(path.Child("effect"), ""))
	}
	return append(wrong, field.NotSupported(path.Child("effect"), resourcev1.DeviceTaintEffect(effect), effects))
}

func toleration(t *resourcev1.DeviceToleration, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if t.Key != "" {
		wrong = append(wrong, labelKey(t.Key, path.Child("key"))...)
	}
	switch t.Operator {
	case resourcev1.DeviceTolerationOpExists:
		if t.Value != "" {
			wrong = append(wrong, field.Invalid(path.Child("value"), t.Value, "must be empty for operator `Exists`"))
		}
	case resourcev1.DeviceTolerationOpEqual:
		wrong = append(wrong, labelValue(t.Value, path.Child("value"))...)
	case "":
		wrong = append(wrong, field.Required(path.Child("operator"), ""))
	default:
		wrong = append(wrong, field.NotSupported(path.Child("operator"), t.Operator, []resourcev1.DeviceTolerationOperator{
			resourcev1.DeviceTolerationOpEqual, resourcev1.DeviceTolerationOpExists,
		}))
	}
	if t.Effect != "" && !isEffect(string(t.Effect)) {
		wrong = append(wrong, field.NotSupported(path.Child("effect"), t.Effect, effects))
	}
	return wrong
}

func taintRule(spec, old *resourcev1alpha3.DeviceTaintRuleSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if s := spec.DeviceSelector; s != nil {
		at := path.Child("deviceSelector")
		if s.Driver != nil {
			wrong = append(wrong, driverName(*s.Driver, at.Child("driver"))...)
		}
		if s.Pool != nil {
			wrong = append(wrong, poolName(*s.Pool, at.Child("pool"))...)
		}
		if s.Device != nil {
			wrong = append(wrong, label(*s.Device, at.Child("device"))...)
		}
	}
	t := &spec.Taint
	kept := old != nil && old.Taint.Effect == t.Effect
	return append(wrong, taint(t.Key, t.Value, string(t.Effect), kept, path.Child("taint"))...)
}

func taintRuleStatus(status *resourcev1alpha3.DeviceTaintRuleStatus) field.ErrorList {
	path := field.NewPath("status", "conditions")
	wrong := metav1validation.ValidateConditions(status.Conditions, path)
	if n := len(status.Conditions); n > resourcev1alpha3.DeviceTaintRuleStatusMaxConditions {
		wrong = append(wrong, field.TooMany(path, n, resourcev1alpha3.DeviceTaintRuleStatusMaxConditions))
	}
	return wrong
}
