package deviceapi

import (
	"errors"
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	devicecel "k8s.io/dynamic-resource-allocation/cel"
)

// maxRemembered bounds the selectors that a Validator remembers.
//
//orrery:limit scenarios; checked CEL expressions that are remembered; all are forgotten
const maxRemembered = 1 << 12

// selector is an expression. Stored ones may use what an earlier version of the API server allowed.
type selector struct {
	expression string
	stored     bool
}

// verdict is why an expression does not do: an error of its compilation, or its worst-case cost.
type verdict struct {
	err    error
	costly bool
}

func (v *Validator) selectorList(list []resourcev1.DeviceSelector, path *field.Path, stored bool) field.ErrorList {
	return each(list, resourcev1.DeviceSelectorsMaxSize, path, func(s *resourcev1.DeviceSelector, at *field.Path) field.ErrorList {
		at = at.Child("cel")
		if s.CEL == nil {
			return field.ErrorList{field.Required(at, "")}
		}
		return v.expression(selector{s.CEL.Expression, stored}, at.Child("expression"))
	})
}

// expression checks a CEL expression. One that is too long is not compiled.
func (v *Validator) expression(s selector, path *field.Path) field.ErrorList {
	if len(s.expression) > resourcev1.CELSelectorExpressionMaxLength {
		return field.ErrorList{field.TooLong(path, "", resourcev1.CELSelectorExpressionMaxLength)}
	}
	known, ok := v.selectors[s]
	if !ok {
		known = compile(s)
		if v.selectors == nil || len(v.selectors) >= maxRemembered {
			v.selectors = map[selector]verdict{}
		}
		v.selectors[s] = known
	}
	switch {
	case known.err != nil:
		return field.ErrorList{compileError(path, s.expression, known.err)}
	case known.costly:
		return field.ErrorList{field.Forbidden(path, "too complex, exceeds cost limit")}
	}
	return nil
}

func compile(s selector) verdict {
	kind := environment.NewExpressions
	if s.stored {
		kind = environment.StoredExpressions
	}
	result := devicecel.GetCompiler(devicecel.Features{EnableConsumableCapacity: true}).
		CompileCELExpression(s.expression, devicecel.Options{EnvType: &kind})
	if result.Error != nil {
		return verdict{err: result.Error}
	}
	return verdict{costly: result.MaxCost > resourcev1.CELSelectorExpressionMaxCost}
}

func compileError(path *field.Path, expression string, err error) *field.Error {
	var of *cel.Error
	if errors.As(err, &of) {
		switch of.Type {
		case cel.ErrorTypeRequired:
			return field.Required(path, of.Detail)
		case cel.ErrorTypeInvalid:
			return field.Invalid(path, expression, of.Detail)
		case cel.ErrorTypeInternal:
			return field.InternalError(path, of)
		}
	}
	return field.InternalError(path, fmt.Errorf("unsupported error type: %w", err))
}
