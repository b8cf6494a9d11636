package console

import (
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
	case len(st.Missing) > 0:
		return "not shown, for want of RBAC: " + brief(st.Missing) + "; :access says which rules"
	case !st.Synced:
		return "listing what there is" + awaited(st)
	}
	return ""
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

// brief names what rules are about, with the verbs that are missing.
func brief(rules []operate.Rule) string {
	var list []string
	for _, object := range objectsOf(rules) {
		var verbs []string
		for _, r := range rules {
			if r.Object() == object {
				verbs = append(verbs, r.Verb)
			}
		}
		list = append(list, strings.Join(verbs, "+")+" "+printable.Line(object, 80))
	}
	return strings.Join(list, ", ")
}

// Access is what the session may not see, and the rules that would change it, as text to read.
func (st *State) Access() string {
	if len(st.Missing) == 0 {
		return "Everything that this screen shows may be read.\n"
	}
	return `# These are not shown, because the API server forbids to read them. Whoever administers the cluster can permit it:
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: orrery-console
rules:
` + operate.YAML(st.Missing)
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
