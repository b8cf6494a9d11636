package app

import (
	"fmt"
	"strings"

	"orrery/core/answers/answer"
	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// askGroup are the questions about groups of 1.37 by the kinds that name them.
var askGroup = map[string]func(e *engine.Engine, namespace, name string, q diagnose.Question) (*answer.Answer, error){
	"podgroup": diagnose.AskPodGroup, "compositepodgroup": diagnose.AskCompositePodGroup,
}

// explainPodGroup explains a PodGroup, or a CompositePodGroup with the groups in it: NAME, or NAMESPACE/NAME.
func explainPodGroup(s *openedAt, namespace, kind, asked string) (*answerDocument, error) {
	of, name, full := strings.Cut(asked, "/")
	if full {
		namespace = of
	} else {
		name = asked
	}
	reads := map[string]world.Kind{"podgroup": world.PodGroup, "compositepodgroup": world.CompositePodGroup}[kind]
	if s.Engine().Unread(reads) {
		return nil, fmt.Errorf("explaining %s %q: there is no right to list %s, or the API server does not serve them", kind, name, reads.Resource().GroupResource())
	}
	if err := checkNamespace(s, namespace); err != nil {
		return nil, err
	}
	namespace, err := findGroup(s, namespace, kind, name, reads)
	if err != nil {
		return nil, err
	}
	a, err := askGroup[kind](askedEngine(s), namespace, name, diagnose.Question{Unled: s.leader.none()})
	switch {
	case err != nil:
		return nil, err
	case a == nil:
		return nil, s.missing(kind, name, nil)
	}
	return answerAt(s, "PodGroups", a), nil
}

// findGroup returns the namespace of a group: the given one, or the default one, or the only one that has it.
func findGroup(s *openedAt, namespace, kind, name string, reads world.Kind) (string, error) {
	where, known := map[string]bool{}, map[string]bool{}
	add := func(in, group string) {
		if namespace == "" || in == namespace {
			if known[group] = true; group == name {
				where[in] = true
			}
		}
	}
	for o := range s.Engine().Store().Objects(reads) {
		add(o.GetNamespace(), o.GetName())
	}
	for _, key := range s.Engine().Gangs().Keys() { // pods may name one that does not exist
		if key.IsPodGroup() && reads == world.PodGroup {
			add(key.Namespace, key.Group)
		}
	}
	return s.oneNamespace(kind, name, where, known)
}
