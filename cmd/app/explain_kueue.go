package app

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"orrery/core/answers/answer"
	"orrery/core/answers/kueue"
	"orrery/core/safe/printable"
	"orrery/core/world"
	"orrery/core/world/live"
)

// joinKueue adds to the answer about a pod that Kueue holds back where its workload stands. Of a recording that is not known.
func joinKueue(c *cobra.Command, s *openedAt, d *answerDocument) {
	if s.cluster == nil || d.Pod == nil {
		return
	}
	pod := s.Engine().Store().Pod(d.Pod.Namespace, d.Pod.Name)
	if pod == nil || !kueue.Holds(pod) {
		return
	}
	section := answer.Section{Title: "Kueue"}
	objects, why := readKueue(c, s)
	if objects != nil {
		if d.Kueue = objects.Of(pod); d.Kueue != nil {
			section.Lines = kueue.Lines(d.Kueue, d.wouldGo, d.wouldNot)
		} else {
			why = cmp.Or(why, "no workload of this pod is found")
		}
		if objects.Invalid > 0 {
			section.Lines = append(section.Lines, answer.Link{Says: fmt.Sprintf("%s with fields of another form left out", countText(objects.Invalid, "object"))})
		}
	}
	if why != "" {
		section.Lines = append(section.Lines, answer.Link{Says: why, Bad: true})
	}
	d.Sections = append([]answer.Section{section}, d.Sections...)
}

// readKueue reads the objects of Kueue in the latest version that is served, and returns what is not known of them.
func readKueue(c *cobra.Command, s *openedAt) (*kueue.Objects, string) {
	for _, version := range kueue.Versions {
		lists, unreadable, err := live.ReadOnce(c.Context(), s.cluster.client, kueue.Kinds(version))
		if err != nil {
			return nil, "the objects of Kueue cannot be read: " + printable.Line(err.Error(), 200)
		}
		if len(lists) > 0 || len(forbiddenOf(unreadable)) > 0 {
			return kueue.Read(objectsOf(lists)), forbiddenText(forbiddenOf(unreadable))
		}
	}
	return nil, "the API server serves no objects of Kueue, whose gate holds this pod"
}

func objectsOf(lists []world.Listed) (all []world.Object) {
	for _, list := range lists {
		all = append(all, list.Objects...)
	}
	return all
}

// forbiddenText says which kinds may not be read; empty for none.
func forbiddenText(kinds []world.Kind) string {
	text := ""
	for _, kind := range kinds {
		if text != "" {
			text += ", "
		}
		text += kind.Resource().GroupResource().String()
	}
	if text != "" {
		text = "there is no right to list " + text
	}
	return text
}
