package console

import (
	"slices"
	"strings"
	"time"

	"orrery/core/operator/actions"
	"orrery/core/safe/printable"
)

// Alert returns the session's most urgent problem in one line; empty if there is none.
func (st *State) Alert(now time.Time) string {
	switch {
	case st.Ended != nil:
		return "stopped: " + printable.Line(st.Ended.Error(), 200)
	case st.Lost != nil:
		return "the connection is lost, for " + now.Sub(st.LostSince).Truncate(time.Second).String() + "; showing the last known state: " + printable.Line(rootError(st.Lost).Error(), 160)
	case st.Silent:
		return "nothing heard from the API server for " + now.Sub(st.Heard).Truncate(time.Second).String() + "; showing the last known state"
	case len(st.MissingRules)+len(st.MoreRules) > 0:
		return st.partial() + "; :access says which rules"
	case !st.Synced:
		return "waiting for the initial lists" + unsyncedText(st)
	}
	return ""
}

// BlindReason is why nothing comes from the cluster, in a few words; empty if something does.
func (st *State) BlindReason() string {
	switch {
	case st.Lost != nil:
		return printable.Line(rootError(st.Lost).Error(), 160)
	case st.Silent:
		return "the API server does not answer"
	}
	return ""
}

// UnreadableKinds is how many kinds of objects may not be read, or not wholly; none while the last known state is shown, which is
// another trouble.
func (st *State) UnreadableKinds() int {
	if st.Ended != nil || st.Lost != nil {
		return 0
	}
	return len(resourcesOf(slices.Concat(st.MissingRules, st.MoreRules)))
}

// partial returns which part of the cluster is shown; empty if all of it is.
func (st *State) partial() string {
	var parts []string
	switch {
	case st.PodNamespace() != "":
		parts = append(parts, "namespace "+printable.Line(st.PodNamespace(), 63)+" only")
	case st.Namespace != "":
		parts = append(parts, "namespace "+printable.Line(st.Namespace, 63)+" only of "+resourcesText(st.MoreRules))
	}
	if len(st.MissingRules) > 0 {
		parts = append(parts, "no right to read "+rulesText(st.MissingRules))
	}
	if st.NotDeciding != "" {
		parts = append(parts, "no decisions, no comparison")
	} else if st.UnevaluatedClaims {
		parts = append(parts, "pods with a PersistentVolumeClaim are not evaluated")
	}
	return strings.Join(parts, "; ")
}

func unsyncedText(st *State) string {
	if len(st.Unsynced) == 0 {
		return ""
	}
	names := make([]string, 0, len(st.Unsynced))
	for _, kind := range st.Unsynced {
		names = append(names, string(kind))
	}
	return ": " + strings.Join(names, ", ")
}

// rulesText names the resources of rules, with the verb where only one is missing.
func rulesText(rules []actions.Rule) string {
	var list []string
	for _, object := range resourcesOf(rules) {
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

// Access describes what the session may not read, and the role that would permit it.
func (st *State) Access() string {
	if len(st.MissingRules)+len(st.MoreRules) == 0 {
		return "Everything that this screen shows is readable.\n"
	}
	var about []string
	if len(st.MissingRules) > 0 {
		about = append(about, "There is no right to read "+rulesText(st.MissingRules)+".")
	}
	if len(st.MoreRules) > 0 {
		about = append(about, "Of "+resourcesText(st.MoreRules)+" only those in namespace "+printable.Line(st.Namespace, 63)+" are readable. "+
			"\":ns NAMESPACE\" shows another one, if it is readable.")
	}
	if st.NotDeciding != "" {
		about = append(about, "Orrery makes no decisions to compare with the cluster's scheduler: "+printable.Line(st.NotDeciding, 300)+".")
	}
	if st.NotDeciding == "" && st.UnevaluatedClaims {
		about = append(about, "Orrery does not evaluate pods with a PersistentVolumeClaim, nor compare decisions about them.")
	}
	about = append(about, "A cluster administrator can grant all of it with this role; \":ctx\" with this context's name checks again:")
	var b strings.Builder
	for _, text := range about {
		writeComment(&b, text)
	}
	b.WriteString("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: orrery-console\nrules:\n")
	b.WriteString(actions.YAML(slices.Concat(st.MissingRules, st.MoreRules)))
	return b.String()
}

// writeComment writes a YAML comment that fits 80 columns.
func writeComment(b *strings.Builder, text string) {
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

// resourcesText names the resources of rules.
func resourcesText(rules []actions.Rule) string {
	return printable.Line(strings.Join(resourcesOf(rules), ", "), 1000)
}

// rootError returns the innermost error, which is the most specific one.
func rootError(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil {
			return err
		}
		err = inner.Unwrap()
	}
}
