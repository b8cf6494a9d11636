package diagnose

import (
	"slices"
	"strings"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
)

// maxProposed bounds the changes of one kind that plugins propose.
//
//orrery:limit answers; changes of one kind that plugins propose and that are tried for a pod; the others are not
const maxProposed = 2

// proposed are the changes that the plugins propose which reject the pod, by verb.
func (p *pendingPod) proposed(x *engine.Explanation) map[change.Verb][]Remedy {
	all := map[change.Verb][]Remedy{}
	var asked []string
	ask := func(statuses []engine.PluginStatus) {
		for _, s := range statuses {
			if !s.Rejects() || slices.Contains(asked, s.Plugin) {
				continue
			}
			asked = append(asked, s.Plugin)
			for _, e := range x.AllEvidence(s.Plugin) {
				p.addProposed(all, &e)
			}
		}
	}
	ask(x.Statuses)
	for i := range x.Nodes {
		ask(x.Nodes[i].Statuses)
	}
	return all
}

func (p *pendingPod) addProposed(to map[change.Verb][]Remedy, e *framework.Evidence) {
	for _, text := range e.Changes {
		words := strings.Fields(text)
		if at := slices.Index(words, "POD"); at >= 0 {
			words[at] = p.name
		}
		c, err := change.Parse(words)
		if err != nil {
			continue // a plugin of others may write what what-if does not read
		}
		kind, r, ofVerb := kindOf(c.Verb), Remedy{Change: c, Text: p.proposedText(c, e)}, 0
		if kind == change.FreeClaim || kind == change.SetDeviceClass {
			r.likely = e.Nearest // devices are not allocated on all other nodes then
		}
		for _, other := range to[kind] {
			if other.Change.Verb == c.Verb {
				ofVerb++
			}
		}
		if ofVerb < maxProposed && !slices.ContainsFunc(to[kind], func(other Remedy) bool { return other.Text == r.Text }) {
			to[kind] = append(to[kind], r)
		}
	}
}

// kindOf puts verbs together whose order is that of the plugin: those about storage, and those about devices that leave their class.
func kindOf(verb change.Verb) change.Verb {
	switch verb {
	case change.AddVolume, change.SetCapacity:
		return change.SetClass
	case change.TolerateDevices, change.SetDeviceCount, change.RelaxClaim, change.DropConstraint, change.AddDevice:
		return change.FreeClaim
	}
	return verb
}

// proposedText says what a change is, and of the deletion of a pod what that one holds.
func (p *pendingPod) proposedText(c change.Change, e *framework.Evidence) string {
	switch c.Verb {
	case change.Uncordon:
		return "uncordon " + c.Name + ", if its maintenance is over"
	case change.Select:
		if c.Of != "" {
			return "select nodes by " + c.Value + " instead of " + c.Of
		}
		return "select nodes by " + c.Value
	case change.Label:
		return "label node " + c.Name + " with " + c.Value + ", if it is so"
	case change.Tolerate:
		return "tolerate the taint " + c.Value
	case change.Unselect:
		return "drop nodeSelector " + c.Value
	case change.DeletePod:
		at := slices.IndexFunc(e.Objects, func(o framework.Object) bool { return o.Name == c.Name && o.Note != "" })
		if at < 0 {
			return "delete pod " + c.Name
		}
		note, _, _ := strings.Cut(e.Objects[at].Note, ",")
		return "delete pod " + c.Name + ", which uses " + note
	}
	switch kindOf(c.Verb) {
	case change.SetClass:
		return storageText(c)
	case change.FreeClaim, change.SetDeviceClass:
		return deviceText(p.engine, c)
	}
	return c.String()
}
