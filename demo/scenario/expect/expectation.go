package expect

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/release"
	"orrery/demo/scenario/strict"
)

// Expectation is one line of a test.
type Expectation struct {
	strict.Position
	At           Duration   `yaml:"at"`
	Pods         string     `yaml:"pods"`
	App          string     `yaml:"app"`
	Placed       placed     `yaml:"placed"`
	Pending      pending    `yaml:"pending"`
	Preempts     preempts   `yaml:"preempts"`
	Spread       spread     `yaml:"spread"`
	P50          figure     `yaml:"p50"`
	P90          figure     `yaml:"p90"`
	P99          figure     `yaml:"p99"`
	Max          figure     `yaml:"max"`
	NotWorseThan baseline   `yaml:"not-worse-than"`
	SameAs       string     `yaml:"same-as"`
	AgreesWith   kubernetes `yaml:"agrees-with"`
}

// checks are the fields of which an expectation has one.
var checks = []string{"placed", "pending", "preempts", "spread", "p50", "p90", "p99", "max", "not-worse-than", "same-as", "agrees-with"}

// Kind is the field that it has.
func (x *Expectation) Kind() string {
	for _, name := range checks {
		if x.Has(name) {
			return name
		}
	}
	return ""
}

// Line is where it was written.
func (x *Expectation) LineNumber() int { return x.Line("") }

// Validate checks what decoding does not.
func (x *Expectation) Validate(length time.Duration) error {
	n := 0
	for _, name := range checks {
		if x.Has(name) {
			n++
		}
	}
	of := x.Kind()
	switch {
	case n == 0:
		return x.Fail("", "say what is expected: one of %s", strings.Join(checks, ", "))
	case n > 1:
		return x.Fail("", "it expects %d things: make each an expectation of its own", n)
	case x.Pods != "" && !validPattern(x.Pods):
		return x.Fail("pods", "%q is no pattern: write a name, as in web-*, or shop/web-*", x.Pods)
	case length > 0 && time.Duration(x.At) > length:
		return x.Fail("at", "it comes after %v, when everything has ended", length)
	case x.Has("at") && (of == "same-as" || of == "not-worse-than" || of == "agrees-with" || of == "preempts" || of[0] == 'p' && len(of) == 3 || of == "max"):
		return x.Fail("at", "%s is about the whole run: leave at out", of)
	case of == "spread" && x.Spread.Key == "":
		return x.Spread.Fail("key", "say over what, as in key: zone")
	case of == "same-as" && x.SameAs == "":
		return x.Fail("same-as", "name a recording")
	case of == "not-worse-than" && x.NotWorseThan.Recording == "":
		return x.NotWorseThan.Fail("recording", "name a recording")
	}
	if f := x.figure(); f != nil {
		return f.validate()
	}
	return nil
}

func (x *Expectation) figure() *figure {
	return map[string]*figure{"p50": &x.P50, "p90": &x.P90, "p99": &x.P99, "max": &x.Max}[x.Kind()]
}

// String is the expectation in a line, as it could be written.
func (x *Expectation) String() string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+": "+value)
		}
	}
	if x.Has("at") {
		add("at", time.Duration(x.At).String())
	}
	add("pods", x.Pods)
	add("app", x.App)
	add(x.Kind(), map[string]func() string{
		"placed": x.Placed.text, "pending": x.Pending.text, "preempts": x.Preempts.text, "spread": func() string { return fmt.Sprintf("{key: %s, max: %d}", x.Spread.Key, x.Spread.Max) },
		"p50": x.P50.text, "p90": x.P90.text, "p99": x.P99.text, "max": x.Max.text,
		"not-worse-than": func() string {
			return fmt.Sprintf("%s by %g%%", x.NotWorseThan.Recording, 100*float64(x.NotWorseThan.By))
		},
		"same-as": func() string { return x.SameAs }, "agrees-with": func() string { return "kubernetes " + x.AgreesWith.as.String() },
	}[x.Kind()]())
	return strings.Join(parts, ", ")
}

func validPattern(p string) bool {
	_, err := path.Match(p, "")
	return err == nil
}

// matches reports whether the expectation is about a pod.
func (x *Expectation) matches(namespace, name string, labels map[string]string) bool {
	return matches(x.Pods, namespace, name) && (x.App == "" || labels["app"] == x.App)
}

func matches(pattern, namespace, name string) bool {
	if pattern == "" {
		return true
	}
	if strings.Contains(pattern, "/") {
		name = namespace + "/" + name
	}
	is, _ := path.Match(pattern, name)
	return is
}

// Duration is written as 90s, 1m30s or 250ms.
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(strings.TrimPrefix(string(text), "+"))
	if err != nil || v < 0 {
		return errors.New("this is no duration: write it with its unit, as in 90s, 1m30s or 250ms")
	}
	*d = Duration(v)
	return nil
}

type placed struct {
	strict.Position
	Within Duration          `yaml:"within"`
	On     map[string]string `yaml:"on"`
	Count  int               `yaml:"count"`
}

func (p *placed) UnmarshalText(text []byte) error {
	if string(text) != "true" {
		return errors.New("it is true, or fields such as within: 2s, on: {zone: a}, count: 3")
	}
	return nil
}

func (p *placed) text() string {
	var parts []string
	if p.Has("within") {
		parts = append(parts, "within: "+time.Duration(p.Within).String())
	}
	if len(p.On) > 0 {
		parts = append(parts, "on: "+labelText(p.On))
	}
	if p.Has("count") {
		parts = append(parts, "count: "+strconv.Itoa(p.Count))
	}
	return braced(parts)
}

type pending struct {
	strict.Position
	none   bool
	Reason string `yaml:"reason"`
	Fix    string `yaml:"fix"`
	Count  int    `yaml:"count"`
}

func (p *pending) UnmarshalText(text []byte) error {
	switch string(text) {
	case "none":
		p.none = true
	case "true":
	default:
		return errors.New("it is none, true, or fields such as reason: taint-untolerated, count: 3")
	}
	return nil
}

func (p *pending) text() string {
	if p.none {
		return "none"
	}
	var parts []string
	if p.Reason != "" {
		parts = append(parts, "reason: "+p.Reason)
	}
	if p.Fix != "" {
		parts = append(parts, "fix: "+p.Fix)
	}
	if p.Has("count") {
		parts = append(parts, "count: "+strconv.Itoa(p.Count))
	}
	return braced(parts)
}

type preempts struct {
	strict.Position
	none  bool
	Most  int    `yaml:"most"`
	Least int    `yaml:"least"`
	By    string `yaml:"by"`
}

func (p *preempts) UnmarshalText(text []byte) error {
	if p.none = string(text) == "none"; !p.none {
		return errors.New("it is none, or fields such as most: 3, by: payments-*")
	}
	return nil
}

func (p *preempts) text() string {
	if p.none {
		return "none"
	}
	var parts []string
	if p.Has("most") {
		parts = append(parts, "most: "+strconv.Itoa(p.Most))
	}
	if p.Has("least") {
		parts = append(parts, "least: "+strconv.Itoa(p.Least))
	}
	if p.By != "" {
		parts = append(parts, "by: "+p.By)
	}
	return braced(parts)
}

type spread struct {
	strict.Position
	Key string `yaml:"key"`
	Max int    `yaml:"max"`
}

// figure bounds a number of all pods: how long they wait, or how often they are tried.
type figure struct {
	strict.Position
	Of    string `yaml:"of"`
	Below string `yaml:"below"`

	time     time.Duration
	attempts int
}

func (f *figure) validate() (err error) {
	switch f.Of {
	case "waiting":
		var d Duration
		if err = d.UnmarshalText([]byte(f.Below)); err != nil {
			return f.Fail("below", "%v", err)
		}
		f.time = time.Duration(d)
	case "attempts":
		if f.attempts, err = strconv.Atoi(f.Below); err != nil || f.attempts < 1 {
			return f.Fail("below", "it is a number of attempts, as in below: 3")
		}
	default:
		return f.Fail("of", "it is waiting or attempts, as in {of: waiting, below: 30s}")
	}
	return nil
}

func (f *figure) text() string { return braced([]string{"of: " + f.Of, "below: " + f.Below}) }

type baseline struct {
	strict.Position
	Recording string  `yaml:"recording"`
	By        percent `yaml:"by"`
}

func (b *baseline) UnmarshalText(text []byte) error {
	b.Recording = string(text)
	return nil
}

type percent float64

func (p *percent) UnmarshalText(text []byte) error {
	number, is := strings.CutSuffix(string(text), "%")
	v, err := strconv.ParseFloat(number, 64)
	if !is || err != nil || !(v >= 0 && v <= 1000) {
		return errors.New("it is a share in percent, as in 5%")
	}
	*p = percent(v / 100)
	return nil
}

type kubernetes struct{ as release.Release }

func (k *kubernetes) UnmarshalText(text []byte) (err error) {
	name := strings.TrimSpace(strings.TrimPrefix(string(text), "kubernetes"))
	if k.as, err = release.Parse(name); err != nil {
		return fmt.Errorf("it is a release, as in kubernetes %v: %w", release.Newest, err)
	}
	return nil
}

func braced(parts []string) string {
	if len(parts) == 0 {
		return "true"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// keys are the short names of labels of nodes.
var keys = map[string]string{"zone": v1.LabelTopologyZone, "region": v1.LabelTopologyRegion, "node": v1.LabelHostname, "instance-type": v1.LabelInstanceTypeStable}

func labelKey(name string) string {
	if key, short := keys[name]; short {
		return key
	}
	return name
}

func labelText(labels map[string]string) string {
	var parts []string
	for _, name := range sortedKeys(labels) {
		parts = append(parts, name+": "+labels[name])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
