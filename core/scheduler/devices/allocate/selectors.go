package allocate

import (
	"context"
	"fmt"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/klog/v2"
)

const (
	// compiledExpressions is how many CEL expressions are kept in compiled form. Kube-scheduler keeps ten, and compiles each anew at
	// every node if there are more.
	//
	//orrery:limit scheduler; compiled CEL expressions of DynamicResources; the one that was not used for the longest time goes
	compiledExpressions = 64
	// keptOutcomes is how many results of evaluations are kept, for as many pairs of an expression and a profile of devices.
	//
	//orrery:limit scheduler; results of CEL expressions on profiles of devices that are kept; all go if there are more
	keptOutcomes = 100_000
)

// Selectors evaluates CEL expressions on devices. It keeps the results by the devices' profiles.
type Selectors struct {
	compiled *cel.Cache
	kept     map[evaluation]outcome
	multiple bool // whether expressions may ask if a device can be shared
}

type evaluation struct {
	expression string
	profile    Profile
}

// outcome is the result of an evaluation, with its cost. An evaluation that could not begin has none.
type outcome struct {
	matches, began bool
	compile, err   error
	cost           uint64
}

// NewSelectors returns an evaluator for the feature gates.
func NewSelectors(f Features) *Selectors {
	t := f.traits()
	return &Selectors{
		compiled: cel.NewCache(compiledExpressions, cel.Features{EnableConsumableCapacity: f.ConsumableCapacity}),
		kept:     map[evaluation]outcome{}, multiple: t.late,
	}
}

// on evaluates an expression on a device.
func (s *Selectors) on(expression string, c candidate) outcome {
	key := evaluation{expression, c.facts().profile}
	if known, is := s.kept[key]; is {
		return known
	}
	result := s.evaluate(expression, c)
	if len(s.kept) >= keptOutcomes {
		clear(s.kept)
	}
	s.kept[key] = result
	return result
}

func (s *Selectors) evaluate(expression string, c candidate) (o outcome) {
	program := s.compiled.GetOrCompile(expression)
	if program.Error != nil {
		return outcome{compile: program.Error}
	}
	d := c.device()
	input := cel.Device{Driver: c.slice.Spec.Driver, Attributes: d.Attributes, Capacity: d.Capacity}
	if s.multiple {
		input.AllowMultipleAllocations = d.AllowMultipleAllocations
	}
	matches, details, err := program.DeviceMatches(context.Background(), input)
	o = outcome{matches: matches, err: err, began: details != nil || err == nil}
	if details != nil {
		if cost := details.ActualCost(); cost != nil {
			o.cost = *cost
		}
	}
	return o
}

// match reports whether a device matches the selectors of a class, which is nil for those of a claim.
func (s *search) match(claim int, class *resourcev1.DeviceClass, selectors []resourcev1.DeviceSelector, c candidate) (bool, error) {
	for i := range selectors {
		if selectors[i].CEL == nil { // only a class's: those of claims were checked
			return false, s.refused("class %s: selector #%d: no CEL expression", class.Name, i)
		}
		known := s.selectors.on(selectors[i].CEL.Expression, c)
		if known.compile != nil {
			return false, fmt.Errorf("%s: selector #%d: CEL compile error: %w", s.ownerOf(claim, class), i, known.compile)
		}
		if known.began {
			if err := s.limit.begins(); err != nil {
				return false, err
			}
			s.limit.pay(known.cost)
		}
		switch err := known.err; {
		case err != nil && s.errorsNameDevice:
			if strings.Contains(err.Error(), "no such key:") {
				err = fmt.Errorf("%w. consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields", err)
			}
			return false, fmt.Errorf("%s: selector #%d on device %s: CEL runtime error: %w", s.ownerOf(claim, class), i, c.id(), err)
		case err != nil:
			return false, fmt.Errorf("%s: selector #%d: CEL runtime error: %w", s.ownerOf(claim, class), i, err)
		case !known.matches:
			return false, nil
		}
	}
	return true, nil
}

// ownerOf names the class whose selectors are evaluated, or the claim.
func (s *search) ownerOf(claim int, class *resourcev1.DeviceClass) string {
	if class != nil {
		return "class " + class.Name
	}
	return "claim " + klog.KObj(s.claims[claim].ResourceClaim).String()
}
