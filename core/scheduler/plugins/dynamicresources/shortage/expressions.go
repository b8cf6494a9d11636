package shortage

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/framework"
)

// expressions evaluates the CEL selectors of classes and requests. What an expression says about one device it says about
// all with the same values of the attributes that it reads, so that each combination is evaluated once.
type expressions struct {
	cache *cel.Cache
	known map[string]*expression
	left  uint64 // of the cost that all evaluations may have together
}

const (
	// maxCost bounds the cost of all evaluations for one answer, in units of CEL: that of ten that reach their own limit.
	//
	//orrery:limit answers; cost of all CEL evaluations for an answer, in CEL's units; the rest is "not evaluated"
	maxCost = 10 * resourcev1.CELSelectorExpressionMaxCost
	// leastCost is the cost of the cheapest evaluation.
	leastCost = 100
	// compiledSelectors is how many compiled expressions are kept.
	//
	//orrery:limit answers; compiled CEL expressions of an answer; the one that was not used for the longest time goes
	compiledSelectors = 16
	// maxExpression is the most that is shown of an expression, in bytes.
	//
	//orrery:limit answers; an expression in an answer, in bytes; cut off
	maxExpression = 160
)

func newExpressions(consumableCapacity bool) *expressions {
	return &expressions{
		cache: cel.NewCache(compiledSelectors, cel.Features{EnableConsumableCapacity: consumableCapacity}),
		known: map[string]*expression{}, left: maxCost,
	}
}

// expression is a compiled selector, the attributes and capacities that it reads, and what it said.
type expression struct {
	text    string
	program cel.CompilationResult
	problem string      // why it cannot be compiled
	reads   []deviceKey // in the order of the text
	whole   bool        // whether it reads more than single attributes, so that no two devices are alike to it
	said    map[string]selectorResult
}

// deviceKey names an attribute or a capacity of a device.
type deviceKey struct{ kind, domain, name string }

// selectorResult is what an expression says about a device.
type selectorResult struct {
	matches bool
	problem string // why it could not be evaluated
}

const notEvaluated = "not evaluated: the expressions cost too much for so many devices"

// of returns an expression, which is compiled once.
func (e *expressions) of(text string) *expression {
	if x := e.known[text]; x != nil {
		return x
	}
	x := &expression{text: text, said: map[string]selectorResult{}}
	e.known[text] = x
	if len(text) > resourcev1.CELSelectorExpressionMaxLength {
		x.problem = "it has " + strconv.Itoa(len(text)) + " bytes, and at most " + strconv.Itoa(resourcev1.CELSelectorExpressionMaxLength) + " are allowed"
		return x
	}
	if x.program = e.cache.GetOrCompile(text); x.program.Error != nil {
		x.problem = compileProblem(x.program.Error.Detail)
		return x
	}
	if parsed, issues := x.program.Environment.Parse(text); issues == nil || issues.Err() == nil {
		x.read(parsed.NativeRep().Expr(), map[string][]string{})
	}
	return x
}

// matches evaluates an expression on a device, unless it is known what it says about one like it.
func (e *expressions) matches(x *expression, d *poolDevice) selectorResult {
	if x.problem != "" {
		return selectorResult{problem: x.problem}
	}
	key := x.key(d)
	if said, known := x.said[key]; known && !x.whole {
		return said
	}
	if e.left == 0 {
		return selectorResult{problem: notEvaluated}
	}
	matches, details, err := x.program.DeviceMatches(context.Background(), cel.Device{
		Driver: d.id.driver, AllowMultipleAllocations: d.AllowMultipleAllocations, Attributes: d.Attributes, Capacity: d.Capacity,
	})
	cost := uint64(resourcev1.CELSelectorExpressionMaxCost)
	if details != nil && err == nil {
		cost = max(ptr.Deref(details.ActualCost(), 0), leastCost)
	}
	e.left -= min(cost, e.left)
	result := selectorResult{matches: matches}
	if err != nil {
		result.problem = err.Error()
	}
	if !x.whole {
		x.said[key] = result
	}
	return result
}

// key is all that the expression reads of a device.
func (x *expression) key(d *poolDevice) string {
	var b strings.Builder
	b.WriteString(d.id.driver)
	if ptr.Deref(d.AllowMultipleAllocations, false) {
		b.WriteString(" shared")
	}
	for _, read := range x.reads {
		b.WriteByte(0)
		b.WriteString(read.valueOf(d))
	}
	return b.String()
}

// read collects what an expression reads of the device. Bound variables stand for paths: cel.bind names a domain once.
func (x *expression) read(e ast.Expr, bound map[string][]string) {
	if path, is := pathOf(e, bound); is {
		switch {
		case len(path) == 3 && (path[0] == "attributes" || path[0] == "capacity"):
			if key := (deviceKey{path[0], path[1], path[2]}); !slices.Contains(x.reads, key) {
				x.reads = append(x.reads, key)
			}
		case len(path) != 1 || path[0] != "driver" && path[0] != "allowMultipleAllocations":
			x.whole = true
		}
		return
	}
	switch e.Kind() {
	case ast.CallKind:
		if e.AsCall().IsMemberFunction() {
			x.read(e.AsCall().Target(), bound)
		}
		for _, argument := range e.AsCall().Args() {
			x.read(argument, bound)
		}
	case ast.SelectKind:
		x.read(e.AsSelect().Operand(), bound)
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			x.read(element, bound)
		}
	case ast.ComprehensionKind:
		x.readComprehension(e.AsComprehension(), bound)
	case ast.MapKind, ast.StructKind:
		x.whole = true
	}
}

func (x *expression) readComprehension(c ast.ComprehensionExpr, bound map[string][]string) {
	if path, is := pathOf(c.AccuInit(), bound); is && len(path) < 3 {
		bound[c.AccuVar()] = path
	} else {
		x.read(c.AccuInit(), bound)
	}
	for _, part := range []ast.Expr{c.IterRange(), c.LoopCondition(), c.LoopStep(), c.Result()} {
		if part.Kind() == ast.IdentKind && part.AsIdent() == c.AccuVar() {
			continue
		}
		x.read(part, bound)
	}
}

// pathOf is the path of fields and keys that an expression follows from the device; false if it is anything else.
func pathOf(e ast.Expr, bound map[string][]string) ([]string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		if path, is := bound[e.AsIdent()]; is {
			return path, true
		}
		return nil, e.AsIdent() == "device"
	case ast.SelectKind:
		path, is := pathOf(e.AsSelect().Operand(), bound)
		return append(slices.Clip(path), e.AsSelect().FieldName()), is
	case ast.CallKind:
		call := e.AsCall()
		switch call.FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
		default:
			return nil, false
		}
		path, is := pathOf(call.Args()[0], bound)
		if key := call.Args()[1]; is && key.Kind() == ast.LiteralKind {
			if text, isText := key.AsLiteral().Value().(string); isText {
				return append(slices.Clip(path), text), true
			}
		}
	}
	return nil, false
}

// valueOf is the value that a device has, as an expression would write it; empty if it has none.
func (k deviceKey) valueOf(d *poolDevice) string {
	names := []string{k.domain + "/" + k.name, k.name}
	if k.domain != d.id.driver {
		names = names[:1]
	}
	for _, name := range names {
		if k.kind == "capacity" {
			if capacity, has := d.Capacity[resourcev1.QualifiedName(name)]; has {
				return capacity.Value.String()
			}
		} else if attribute, has := d.Attributes[resourcev1.QualifiedName(name)]; has {
			return attributeText(&attribute)
		}
	}
	return ""
}

func attributeText(a *resourcev1.DeviceAttribute) string {
	switch {
	case a.StringValue != nil:
		return strconv.Quote(*a.StringValue)
	case a.IntValue != nil:
		return strconv.FormatInt(*a.IntValue, 10)
	case a.BoolValue != nil:
		return strconv.FormatBool(*a.BoolValue)
	case a.VersionValue != nil:
		return *a.VersionValue
	}
	return ""
}

// values are the values that a device has of what the expression reads: `model is "A100", memory is 40Gi`.
func (x *expression) values(d *poolDevice) string {
	if x.whole {
		return ""
	}
	var values []string
	for _, read := range x.reads[:min(len(x.reads), framework.MaxListed)] {
		if value := read.valueOf(d); value != "" {
			values = append(values, read.name+" is "+value)
		} else {
			values = append(values, "it has no "+read.name)
		}
	}
	if len(x.reads) == 0 {
		return "driver is " + strconv.Quote(d.id.driver)
	}
	return strings.Join(values, ", ")
}

// shown is the expression as it is shown: on one line, and its beginning if it is long.
func shownExpression(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxExpression {
		text = strings.ToValidUTF8(text[:maxExpression], "") + "…"
	}
	return text
}

// compileProblem is the first error of a compilation with its position: "line 1, column 8: undeclared reference to 'devic'".
func compileProblem(detail string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(detail, "compilation failed: "), "\n")
	rest, has := strings.CutPrefix(first, "ERROR: <input>:")
	line, rest, hasLine := strings.Cut(rest, ":")
	column, message, hasColumn := strings.Cut(rest, ": ")
	switch {
	case !has || !hasLine || !hasColumn:
		return first
	case line == "-1": // of no place
		return message
	}
	return "line " + line + ", column " + column + ": " + message
}
