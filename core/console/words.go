package console

import (
	"slices"
	"strings"
	"time"

	"orrery/core/operate"
	"orrery/core/printable"
)

// Alert is what is wrong with a session in one line; empty if nothing is. The worst is said first.
func (st *State) Alert(now time.Time) string {
	switch {
	case st.Ended != nil:
		return "standing still: " + printable.Line(st.Ended.Error(), 200)
	case st.Lost != nil:
		return "the connection is lost, for " + now.Sub(st.Since).Truncate(time.Second).String() + "; showing what was known: " + printable.Line(root(st.Lost).Error(), 160)
	case len(st.Missing)+len(st.More) > 0:
		return st.partly() + "; :access says which rules"
	case !st.Synced:
		return "listing what there is" + awaited(st)
	}
	return ""
}

// partly says what of the cluster is seen, if that is not all.
func (st *State) partly() string {
	var parts []string
	switch {
	case st.Bound() != "":
		parts = append(parts, "namespace "+printable.Line(st.Bound(), 63)+" only")
	case st.Within != "":
		parts = append(parts, "namespace "+printable.Line(st.Within, 63)+" only of "+listed(st.More))
	}
	if len(st.Missing) > 0 {
		parts = append(parts, "no right to read "+brief(st.Missing))
	}
	if st.Undecided != "" {
		parts = append(parts, "nothing is decided or compared")
	}
	return strings.Join(parts, "; ")
}

func awaited(st *State) string {
	if len(st.Awaited) == 0 {
		return ""
	}
	names := make([]string, 0, len(st.Awaited))
	for _, kind := range st.Awaited {
		names = append(names, string(kind))
	}
	return ": " + strings.Join(names, ", ")
}

// brief names what rules are about, with the verb where it is not all of reading that is missing.
func brief(rules []operate.Rule) string {
	var list []string
	for _, object := range objectsOf(rules) {
		var verbs []string
		for _, r := range rules {
			if r.Object() == object && !slices.Contains(verbs, r.Verb) {
				verbs = append(verbs, r.Verb)
			}
		}
		text := printable.Line(object, 80)
		if len(verbs) == 1 {
			text += " (" + verbs[0] + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// Access is what the session may not see, and the rules that would change it, as text to read.
func (st *State) Access() string {
	if len(st.Missing)+len(st.More) == 0 {
		return "Everything that this screen shows may be read.\n"
	}
	var about []string
	if len(st.Missing) > 0 {
		about = append(about, "There is no right to read "+brief(st.Missing)+".")
	}
	if len(st.More) > 0 {
		about = append(about, "Of "+listed(st.More)+" there is one for namespace "+printable.Line(st.Within, 63)+" only. "+
			"\":ns NAMESPACE\" shows another one, if that may be read.")
	}
	if st.Undecided != "" {
		about = append(about, "Nothing is decided beside the cluster's scheduler, and nothing compared with it: "+printable.Line(st.Undecided, 300)+".")
	}
	about = append(about, "Whoever administers the cluster can permit all of it by this role; \":ctx\" with this context's name looks again:")
	var b strings.Builder
	for _, text := range about {
		comment(&b, text)
	}
	b.WriteString("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: orrery-console\nrules:\n")
	b.WriteString(operate.YAML(slices.Concat(st.Missing, st.More)))
	return b.String()
}

// comment writes a comment of YAML in lines that fit on a screen of 80 columns.
func comment(b *strings.Builder, text string) {
	const most = 72
	line := "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > most && line != "#" {
			b.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

// listed names what rules are about.
func listed(rules []operate.Rule) string {
	return printable.Line(strings.Join(objectsOf(rules), ", "), 1000)
}

// root is the innermost error, which says most in the fewest words.
func root(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil {
			return err
		}
		err = inner.Unwrap()
	}
}
