package app

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"orrery/core/answers/cause"
	"orrery/core/answers/compare"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
)

// upgradeDocument is what a release changes for pods, and which rules and feature gates make the difference.
type upgradeDocument struct {
	// From and To are the configurations that are compared, with their releases.
	From           string `json:"from"`
	To             string `json:"to"`
	FromKubernetes string `json:"fromKubernetes"`
	ToKubernetes   string `json:"toKubernetes"`
	// Summary is the verdict in words. Worse says that a pod is left pending or preempted that is not without the upgrade.
	Summary string `json:"summary"`
	Worse   bool   `json:"worse"`
	// Arrivals is the number of pods that arrived, Changed of those that end otherwise, and Kinds counts them by how.
	Arrivals int            `json:"arrivals"`
	Changed  int            `json:"changed"`
	Kinds    map[string]int `json:"kinds"`
	// Causes are what makes the difference, Together the pods for which several causes have to come together.
	Causes   []causeDocument `json:"causes"`
	Together int             `json:"together"`
	Owners   []ownerChange   `json:"owners"`
	Pods     []podUpgrade    `json:"pods"`
	// Harmless are the differences that were turned off without effect; NotTried were not turned off.
	Harmless []string           `json:"harmless"`
	NotTried []notTriedDocument `json:"notTried"`
	// Simulations is how often the pods were played for this.
	Simulations int `json:"simulations"`
}

// causeDocument is a rule or a feature gate that makes the difference; several if none of them does alone.
type causeDocument struct {
	Differences []factorDocument `json:"differences"`
	// Pods counts those that it explains, Changes those that end otherwise without it.
	Pods    int            `json:"pods"`
	Changes int            `json:"changes,omitempty"`
	Kinds   map[string]int `json:"kinds,omitempty"`

	called string
}

type factorDocument struct {
	Name string `json:"name"`
	// Kind is rule, featureGate or configuration.
	Kind     string `json:"kind"`
	Since    string `json:"since,omitempty"`
	Sentence string `json:"sentence"`
	Upstream string `json:"upstream,omitempty"`
}

type ownerChange struct {
	Namespace string         `json:"namespace"`
	Owner     string         `json:"owner"`
	Pods      int            `json:"pods"`
	Kinds     map[string]int `json:"kinds"`
	// Causes names what makes the difference, and counts the pods.
	Causes map[string]int `json:"causes"`

	pods []compare.PodChange
}

type podUpgrade struct {
	Namespace string        `json:"namespace"`
	Name      string        `json:"name"`
	Kind      string        `json:"kind"`
	Cause     string        `json:"cause"`
	Was       upgradeEnding `json:"was"`
	Is        upgradeEnding `json:"is"`
}

type upgradeEnding struct {
	Node      string  `json:"node,omitempty"`
	Pending   float64 `json:"pendingSeconds"`
	Preempted int     `json:"preempted"`
}

type notTriedDocument struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

func upgradeOf(u *compare.Upgrade, from, to compare.Configuration) upgradeDocument {
	is, was := to.Config.Features, from.Config.Features
	doc := upgradeDocument{
		From: from.Name, To: to.Name, FromKubernetes: was.Release().String(), ToKubernetes: is.Release().String(), Summary: u.Verdict(), Worse: u.Worse(),
		Arrivals: u.Arrivals, Changed: len(u.Pods), Kinds: kindsOf(u.Pods), Causes: []causeDocument{}, Owners: []ownerChange{}, Pods: []podUpgrade{},
		Harmless: []string{}, NotTried: []notTriedDocument{}, Simulations: u.Simulations,
	}
	names := make([]string, len(u.Causes))
	for i, found := range u.Causes {
		one := causeDocument{Differences: []factorDocument{}, Pods: found.Pods, Changes: found.Changes, Kinds: kindsOf(u.OfCause(i)), called: found.Name()}
		for _, f := range found.Factors {
			one.Differences = append(one.Differences, factorOf(f, is, was))
		}
		doc.Causes, names[i] = append(doc.Causes, one), found.Name()
	}
	doc.Together = len(u.OfCause(cause.Together))
	name := func(p compare.PodChange) string {
		if p.Cause == cause.Together {
			return compare.SeveralTogether
		}
		return names[p.Cause]
	}
	for _, o := range u.Owners() {
		one := ownerChange{o.Namespace, o.Owner, len(o.Pods), kindsOf(o.Pods), map[string]int{}, o.Pods}
		for _, p := range o.Pods {
			one.Causes[name(p)]++
		}
		doc.Owners = append(doc.Owners, one)
	}
	for _, p := range u.Pods {
		doc.Pods = append(doc.Pods, podUpgrade{p.Namespace, p.Name, p.Kind.Name(), name(p), endingOf(p.Was), endingOf(p.Is)})
	}
	for _, f := range u.Harmless {
		doc.Harmless = append(doc.Harmless, f.String())
	}
	for _, n := range u.NotTried {
		doc.NotTried = append(doc.NotTried, notTriedDocument{n.Factor.String(), n.Why})
	}
	return doc
}

func kindsOf(pods []compare.PodChange) map[string]int {
	kinds := map[string]int{}
	for kind, n := range compare.Counts(pods) {
		if n > 0 {
			kinds[compare.ChangeKind(kind).Name()] = n
		}
	}
	return kinds
}

func endingOf(o compare.PodOutcome) upgradeEnding {
	return upgradeEnding{o.Node, o.Pending.Seconds(), o.Preempted}
}

func factorOf(f cause.Factor, is, was config.Features) factorDocument {
	if f.Configuration {
		return factorDocument{Name: f.String(), Kind: "configuration", Sentence: "What is configured differs."}
	}
	doc := factorDocument{Name: f.String(), Kind: "featureGate", Sentence: f.Sentence(is, was)}
	if f.Gate == "" {
		row := f.Rule.Row()
		doc.Kind, doc.Since, doc.Upstream = "rule", row.First.String(), row.Upstream
	}
	return doc
}

// maxOwners is how many owners a text lists; a document has them all.
//
//orrery:limit answers; owners that the text of an upgrade lists; the others are counted
const maxOwners = 12

// text writes the verdict, the causes and the owners.
func (d *upgradeDocument) text(w io.Writer) {
	for _, line := range wrapText(d.Summary, 120) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	var owners [][]string
	causes := causeLines(d.Causes)
	if d.Together > 0 {
		causes = append(causes, []string{compare.SeveralTogether, countText(d.Together, "pod"), "None of these brings them back alone."})
	}
	d.table(w, "By cause", causes)
	for _, o := range d.Owners[:min(len(d.Owners), maxOwners)] {
		owners = append(owners, []string{o.Namespace + "/" + o.Owner, countText(o.Pods, "pod"), compare.KindWords(o.pods), o.causes()})
	}
	if more := len(d.Owners) - maxOwners; more > 0 {
		owners = append(owners, []string{"and " + countText(more, "other owner")})
	}
	d.table(w, "By owner", owners)
	if d.Changed == 0 {
		return
	}
	fmt.Fprintf(w, "\n  %s; ties between nodes fall alike in all.\n", d.tried())
	for _, n := range d.NotTried {
		fmt.Fprintf(w, "  Not tried: %s: %s.\n", n.Name, printable.Line(n.Why, 300))
	}
}

// causeLines are the rows of causes, with what each of them does.
func causeLines(causes []causeDocument) (table [][]string) {
	for _, c := range causes {
		if c.Pods == 0 {
			continue // it moves pods that others move, too
		}
		row := []string{c.called, countText(c.Pods, "pod")}
		for i, line := range wrapText(c.sentence(), 100) {
			if i > 0 {
				row = []string{"", ""}
			}
			table = append(table, append(row, line))
		}
	}
	return table
}

func (*upgradeDocument) table(w io.Writer, title string, table [][]string) {
	if len(table) > 0 {
		fmt.Fprintf(w, "\n  %s\n", title)
		writeTable(w, "    ", table)
	}
}

// tried says how the causes were found.
func (d *upgradeDocument) tried() string {
	text := "Found by " + countText(d.Simulations, "simulation")
	if n := len(d.Harmless); n > 0 {
		text += " with rules and feature gates turned off: " + countText(n, "other") + " changed nothing"
	}
	return text
}

// sentence says what the causes do.
func (c *causeDocument) sentence() string {
	sentences := make([]string, len(c.Differences))
	for i, d := range c.Differences {
		sentences[i] = d.Sentence
		if d.Since != "" {
			sentences[i] = "Since " + d.Since + ": " + d.Sentence
		}
	}
	return strings.Join(sentences, " ")
}

// causes names what makes the difference for an owner's pods, the most frequent first.
func (o *ownerChange) causes() string {
	names := make([]string, 0, len(o.Causes))
	for name := range o.Causes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(o.Causes[b], o.Causes[a]), cmp.Compare(a, b)) })
	return strings.Join(names, ", ")
}

// worse reports whether the upgrade is worse for a pod; there may be none.
func (d *upgradeDocument) worse() bool { return d != nil && d.Worse }

// section writes what came after the moment of a what-if, if that was scheduled.
func (d *upgradeDocument) section(w io.Writer) {
	if d != nil {
		fmt.Fprintf(w, "\nThe next hour of the recording, as Kubernetes %s decides and not %s\n", d.ToKubernetes, d.FromKubernetes)
		d.text(w)
	}
}
