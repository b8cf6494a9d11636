package change

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/objects/requests"
	"orrery/core/safe/footprint"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/release"
)

// syntax is the form of a verb: its first one or two words, and its usage.
type syntax struct {
	verb  string
	usage string
}

var syntaxes = [...]syntax{
	Cordon:      {"cordon", "cordon NODE"},
	Uncordon:    {"uncordon", "uncordon NODE"},
	Drain:       {"drain", "drain NODE"},
	AddNodes:    {"add", "add N nodes like NODE"},
	AddVolume:   {"add pv", "add pv SIZE [of CLASS] [in ZONE|on NODE]"},
	DeleteNode:  {"delete node", "delete node NODE"},
	DeletePod:   {"delete pod", "delete pod POD"},
	DeleteClaim: {"delete pvc", "delete pvc CLAIM"},
	SetRequests: {"requests", "requests POD cpu=AMOUNT memory=AMOUNT"},
	SetPriority: {"priority", "priority POD NUMBER|CLASS"},
	Scale:       {"scale", "scale OWNER|POD N"},
	SetProfile:  {"profile", "profile POD NAME"},
	SetClass:    {"class", "class CLAIM CLASS"},
	SetCapacity: {"capacity", "capacity CLASS SIZE [in ZONE]"},
	Taint:       {"taint", "taint NODE KEY=VALUE:EFFECT"},
	Untaint:     {"untaint", "untaint NODE KEY[:EFFECT]"},
	Ungate:      {"ungate", "ungate POD"},
	Tolerate:    {"tolerate", "tolerate POD KEY[=VALUE|<NUMBER|>NUMBER][:EFFECT]"},
	Select:      {"select", "select POD KEY=VALUE [replacing KEY]"},
	Unselect:    {"unselect", "unselect POD KEY"},
	SetSpread:   {"spread", "spread POD KEY FIELD=VALUE"},
	Label:       {"label", "label NODE KEY=VALUE"},
	Move:        {"move", "move POD NODE"},
	DeleteGang:  {"delete gang", "delete gang GANG"},
	SetMinCount: {"mincount", "mincount GROUP N"},
	Upgrade:     {"upgrade", "upgrade RELEASE"},
	AddShape:    {"add nodes", "add nodes N NAME=VALUE..."},

	AddDevice:       {"add device", "add device like DEVICE [on NODE]"},
	TaintDevice:     {"taint device", "taint device DEVICE KEY=VALUE:EFFECT"},
	UntaintDevice:   {"untaint device", "untaint device DEVICE KEY[:EFFECT]"},
	FreeClaim:       {"free claim", "free claim RESOURCECLAIM"},
	SetDeviceClass:  {"class claim", "class claim RESOURCECLAIM DEVICECLASS [of REQUEST]"},
	SetDeviceCount:  {"count claim", "count claim RESOURCECLAIM N [of REQUEST]"},
	RelaxClaim:      {"relax claim", "relax claim RESOURCECLAIM [of REQUEST]"},
	DropConstraint:  {"unconstrain claim", "unconstrain claim RESOURCECLAIM ATTRIBUTE"},
	TolerateDevices: {"tolerate claim", "tolerate claim RESOURCECLAIM KEY[=VALUE][:EFFECT] [of REQUEST]"},
}

// Usage lists the syntax of each change, one per line.
func Usage() string {
	var lines []string
	for _, f := range syntaxes {
		lines = append(lines, f.usage)
	}
	return strings.Join(lines, "\n")
}

const (
	// maxNodes and maxPods bound the additions of one change; more is likely a typing error.
	//
	//orrery:limit answers; nodes that a hypothetical change adds; refused
	maxNodes = 10_000
	//orrery:limit answers; pods that a hypothetical change adds; refused
	maxPods = 100_000
	// maxWordBytes bounds a word: a namespace and a name are at most 317 bytes, a taint 386.
	//
	//orrery:limit answers; a word of a hypothetical change, in bytes; refused
	maxWordBytes = 512
)

// Parse reads one change from the words of [Change.String].
func Parse(words []string) (Change, error) {
	for _, w := range words {
		if err := checkWord(w); err != nil {
			return Change{}, err
		}
	}
	verb, rest, err := verbOf(words)
	if err != nil {
		return Change{}, err
	}
	c := Change{Verb: verb}
	if err := c.parseArgs(rest); err != nil {
		return Change{}, fmt.Errorf("reading the change %q: %w; it is written %q", printable.Line(strings.Join(words, " "), 120), err, syntaxes[verb].usage)
	}
	return c, nil
}

// ParseAll reads several changes with commas between them. The commas may stand alone or at the end of a word.
func ParseAll(words []string) ([]Change, error) {
	var all []Change
	var one []string
	flush := func() error {
		if len(one) == 0 {
			return errors.New("reading changes: there is nothing before or after a comma")
		}
		c, err := Parse(one)
		all, one = append(all, c), nil
		return err
	}
	text := strings.Join(words, " ")
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		one = strings.Fields(part)
		if err := flush(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// checkWord rejects words that no name contains or that would not survive a round trip.
func checkWord(w string) error {
	odd := strings.IndexFunc(w, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == ',' || r == unicode.ReplacementChar
	})
	switch {
	case w == "" || odd >= 0:
		return fmt.Errorf("reading a change: %q is not a word: give words without spaces, commas and control characters", printable.Line(w, 80))
	case len(w) > maxWordBytes:
		return fmt.Errorf("reading a change: the word %q... has %d bytes, and no name has more than %d", printable.Line(w, 40), len(w), maxWordBytes)
	}
	return nil
}

// verbOf finds the verb that the words begin with: one of two words before one of one, unless only this one has as many words
// as there are. So "class claim fast" is of a volume claim of the name "claim", and "taint device a:NoSchedule" of a node
// "device".
func verbOf(words []string) (Verb, []string, error) {
	two, hasTwo := withLead(words, 2)
	one, hasOne := withLead(words, 1)
	switch {
	case hasTwo && (!hasOne || len(words) >= syntaxes[two].required() || len(words) != syntaxes[one].required()):
		return two, words[2:], nil
	case hasOne:
		return one, words[1:], nil
	}
	if len(words) > 0 && words[0] == "delete" {
		return 0, nil, errors.New(`reading a change: say what to delete: "delete node NODE", "delete pod POD", "delete pvc CLAIM" or "delete gang GANG"`)
	}
	first := ""
	if len(words) > 0 {
		first = words[0]
	}
	return 0, nil, fmt.Errorf("reading a change: it begins with %q, and has to begin with one of: %s", printable.Line(first, 40), verbList())
}

// withLead finds the verb of n words that the words begin with.
func withLead(words []string, n int) (Verb, bool) {
	for i, f := range syntaxes {
		if lead := strings.Fields(f.verb); len(lead) == n && len(words) >= n && slices.Equal(words[:n], lead) {
			return Verb(i), true
		}
	}
	return 0, false
}

// required is how many words the shortest form has.
func (s *syntax) required() int {
	words, _, _ := strings.Cut(s.usage, " [")
	return len(strings.Fields(words))
}

func verbList() string {
	var list []string
	for _, f := range syntaxes {
		list = append(list, f.verb)
	}
	return strings.Join(list, ", ")
}

// parseArgs reads the words after the verb.
func (c *Change) parseArgs(words []string) error {
	switch c.Verb {
	case Cordon, Uncordon, Drain, DeleteNode, DeletePod, DeleteClaim, Ungate:
		return parseExactly(words, &c.Name)
	case Upgrade:
		return c.parseUpgrade(words)
	case AddNodes:
		return c.parseAddNodes(words)
	case AddShape:
		return c.parseShape(words)
	case AddVolume:
		return c.parseVolume(words)
	case SetCapacity:
		return c.parseCapacity(words)
	case AddDevice:
		return c.parseAddDevice(words)
	case TaintDevice, UntaintDevice:
		return c.parseDeviceTaint(words)
	case FreeClaim, SetDeviceClass, SetDeviceCount, RelaxClaim, DropConstraint, TolerateDevices:
		return c.parseClaimChange(words)
	case SetRequests:
		return c.parseRequests(words)
	case Select:
		return c.parseSelect(words)
	case SetSpread:
		return c.parseSpread(words)
	case Scale:
		return c.parseNumberOf(words, 0)
	case DeleteGang:
		if err := parseExactly(words, &c.Name); err != nil {
			return err
		}
		return c.checkGroup(4)
	case SetMinCount:
		if err := c.parseNumberOf(words, 1); err != nil {
			return err
		}
		return c.checkGroup(3)
	}
	if err := parseExactly(words, &c.Name, &c.Value); err != nil {
		return err
	}
	return c.checkValue()
}

// parseUpgrade reads a release of Kubernetes.
func (c *Change) parseUpgrade(words []string) error {
	if err := parseExactly(words, &c.Name); err != nil {
		return err
	}
	r, err := release.Parse(c.Name)
	c.Name = r.String()
	return err
}

// OtherReleases lists the releases that an upgrade may be to, the newest first.
func OtherReleases(from release.Release) []string {
	var all []string
	for _, r := range slices.Backward(release.All()) {
		if r != from {
			all = append(all, r.String())
		}
	}
	return all
}

// parseNumberOf reads "NAME N".
func (c *Change) parseNumberOf(words []string, least int) error {
	var n string
	if err := parseExactly(words, &c.Name, &n); err != nil {
		return err
	}
	return c.parseCount(n, least, maxPods)
}

// checkGroup rejects what is not NAMESPACE/WORKLOAD/GROUP, with at most so many parts.
func (c *Change) checkGroup(most int) error {
	parts := strings.Split(c.Name, "/")
	if len(parts) < 3 || len(parts) > most || slices.Contains(parts, "") {
		return fmt.Errorf("%q is not NAMESPACE/WORKLOAD/GROUP", c.Name)
	}
	return nil
}

// parseExactly reads exactly len(into) words.
func parseExactly(words []string, into ...*string) error {
	if len(words) != len(into) {
		return fmt.Errorf("%d words follow, and %d should", len(words), len(into))
	}
	for i := range into {
		*into[i] = words[i]
	}
	return nil
}

// parseAddNodes reads "N nodes like NODE"; "node" may replace "nodes", and either may be omitted.
func (c *Change) parseAddNodes(words []string) error {
	if len(words) == 4 && (words[1] == "nodes" || words[1] == "node") {
		words = slices.Delete(slices.Clone(words), 1, 2)
	}
	if len(words) != 3 || words[1] != "like" {
		return errors.New(`"N nodes like NODE" should follow`)
	}
	c.Name = words[2]
	return c.parseCount(words[0], 1, maxNodes)
}

func (c *Change) parseCount(word string, least, most int) error {
	n, err := strconv.Atoi(word)
	if err != nil || n < least || n > most {
		return fmt.Errorf("%q is not a number from %d to %d", word, least, most)
	}
	c.Count = n
	return nil
}

func (c *Change) parseRequests(words []string) error {
	if len(words) < 2 {
		return errors.New("a pod and at least one amount should follow")
	}
	c.Name = words[0]
	for _, w := range words[1:] {
		name, amount, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return fmt.Errorf("%q is not RESOURCE=AMOUNT", w)
		}
		request, err := parseAmount(name, amount)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(c.Requests, func(r Request) bool { return string(r.Resource) == name }) {
			return fmt.Errorf("%s is given twice", name)
		}
		c.Requests = append(c.Requests, request)
	}
	return nil
}

func parseAmount(name, amount string) (Request, error) {
	if footprint.HugeExponent(amount) {
		return Request{}, fmt.Errorf("%q has an exponent that is that of no amount of %s: write one like 500m, 2 or 4Gi", amount, name)
	}
	q, err := resource.ParseQuantity(amount)
	if err != nil || q.Sign() < 0 {
		return Request{}, fmt.Errorf("%q is not an amount of %s: write one like 500m, 2 or 4Gi", amount, name)
	}
	if most := requests.Most(v1.ResourceName(name)); q.CmpInt64(most) > 0 {
		return Request{}, fmt.Errorf("%q is too much of %s: the greatest amount allowed is %d", amount, name, most)
	}
	return Request{v1.ResourceName(name), q.String()}, nil
}

// checkValue rejects invalid values before anything is forked.
func (c *Change) checkValue() error {
	var err error
	switch c.Verb {
	case Taint:
		_, err = parseTaint(c.Value)
	case Untaint:
		_, _, err = parseTaintKey(c.Value)
	case Tolerate:
		_, err = parseToleration(c.Value)
	case Label:
		_, _, err = parseLabel(c.Value)
	}
	return err
}

// parseTaint reads KEY=VALUE:EFFECT or KEY:EFFECT.
func parseTaint(text string) (v1.Taint, error) {
	t, err := parseToleration(text)
	if err != nil {
		return v1.Taint{}, err
	}
	if compares(t) {
		return v1.Taint{}, fmt.Errorf("%q compares, and a taint has a value", text)
	}
	if t.Effect == "" {
		return v1.Taint{}, fmt.Errorf("%q names no effect: end it with :NoSchedule, :PreferNoSchedule or :NoExecute", text)
	}
	return v1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}, nil
}

// parseTaintKey reads KEY or KEY:EFFECT.
func parseTaintKey(text string) (key string, effect v1.TaintEffect, err error) {
	key, word, named := strings.Cut(text, ":")
	if key == "" || strings.Contains(key, "=") {
		return "", "", fmt.Errorf("%q is not the key of a taint", text)
	}
	if !named {
		return key, "", nil
	}
	effect, err = parseEffect(word)
	return key, effect, err
}

// parseToleration reads KEY or KEY=VALUE, or KEY<NUMBER or KEY>NUMBER for taints with a lesser or greater value, and then
// perhaps :EFFECT. An omitted value or effect matches any.
func parseToleration(text string) (v1.Toleration, error) {
	rest, word, named := strings.Cut(text, ":")
	t := v1.Toleration{Key: rest, Operator: v1.TolerationOpExists}
	if i := strings.IndexAny(rest, "=<>"); i >= 0 {
		t.Key, t.Value, t.Operator = rest[:i], rest[i+1:], operators[rest[i]]
	}
	if t.Key == "" {
		return v1.Toleration{}, fmt.Errorf("%q has no key", text)
	}
	if _, err := strconv.ParseInt(t.Value, 10, 64); err != nil && compares(t) {
		return v1.Toleration{}, fmt.Errorf("%q compares with %q, which is not a whole number", text, t.Value)
	}
	if !named {
		return t, nil
	}
	var err error
	t.Effect, err = parseEffect(word)
	return t, err
}

var operators = map[byte]v1.TolerationOperator{'=': v1.TolerationOpEqual, '<': v1.TolerationOpLt, '>': v1.TolerationOpGt}

// compares reports whether a toleration compares the taint's value as a number.
func compares(t v1.Toleration) bool {
	return t.Operator == v1.TolerationOpLt || t.Operator == v1.TolerationOpGt
}

func parseEffect(word string) (v1.TaintEffect, error) {
	switch e := v1.TaintEffect(word); e {
	case v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute:
		return e, nil
	}
	return "", fmt.Errorf("%q is not an effect: it is NoSchedule, PreferNoSchedule or NoExecute", word)
}
