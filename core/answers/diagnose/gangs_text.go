package diagnose

import (
	"fmt"
	"strings"
	"time"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
)

// Links are what is known of the gang: first how far it is, then what holds it back. Depth 1 is about its members.
func (g *Gang) Links() []Link {
	links := []Link{{Says: g.head(), Bad: g.Held()}}
	for i := range g.Counts {
		links = append(links, Link{Depth: 1, Says: g.Counts[i].text()})
	}
	if g.waits() {
		links = append(links, Link{Depth: 1, Says: g.deadlineText()})
	}
	if g.State != gangs.Pending && g.State != gangs.Waiting {
		return links
	}
	if g.HeldBackBy != "" {
		links = append(links, Link{Says: "held back by " + g.HeldBackBy + ": " + g.Why, Bad: true})
	}
	if g.Trial.Untried == "" {
		links = append(links, Link{Says: g.Trial.text(), Bad: !g.Trial.Fits})
	}
	for i := range g.Rivals {
		links = append(links, Link{Says: g.Rivals[i].text(), Bad: true})
	}
	if len(g.Together) > 0 {
		links = append(links, Link{Says: "the room that it lacks is held by several: it fits without the places of " + gangList(g.Together), Bad: true})
	}
	if text := g.outlook(); text != "" {
		links = append(links, Link{Says: text})
	}
	return links
}

// Lines are the links in words.
func (g *Gang) Lines() []string {
	var lines []string
	for _, l := range g.Links() {
		lines = append(lines, strings.Repeat("  ", l.Depth)+l.Says)
	}
	return lines
}

// Summary is the most important finding in one sentence.
func (g *Gang) Summary() string {
	for i := range g.Rivals {
		if g.Rivals[i].Deadlock() {
			return g.Rivals[i].text()
		}
	}
	if g.HeldBackBy != "" {
		return "held back by " + g.HeldBackBy + ": " + g.Why
	}
	return g.head()
}

func (g *Gang) head() string {
	text := "gang " + g.Name + ": "
	switch g.State {
	case gangs.NoWorkload, gangs.NoGroup:
		return text + g.Why
	case gangs.Incomplete:
		if !g.Held() {
			return text + fmt.Sprintf("of at least %s %d exist, and none waits", plural.Count(g.MinCount, "pod"), g.Pods)
		}
		return text + fmt.Sprintf("of at least %s %d exist; it waits for %s", plural.Count(g.MinCount, "pod"), g.Pods, g.Why)
	}
	text += fmt.Sprintf("of at least %s %d have a place", plural.Count(g.MinCount, "pod"), g.Placed)
	if g.Attempts > 1 && g.Held() {
		text += fmt.Sprintf(", after up to %d attempts", g.Attempts)
	}
	return text
}

func (g *Gang) waits() bool { return g.Deadline.After(g.now) }

func (g *Gang) deadlineText() string {
	return fmt.Sprintf("places are kept until %s, for %s more", g.Deadline.UTC().Format(time.RFC3339), g.Deadline.Sub(g.now).Round(time.Second))
}

// memberWords say what members of a state do.
var memberWords = map[string]string{
	memberTerminating: "being deleted", memberOfOther: "of another scheduler", string(engine.StateGated): "gated",
	string(engine.StateUnschedulable): "in unschedulablePods", string(engine.StateBackoff): "in backoffQ", string(engine.StateActive): "in activeQ",
	"error-backoff":          "in backoffQ",
	string(engine.StateGone): "not in the scheduler", string(engine.StateWaiting): "waiting on Permit with a place",
	string(engine.StateBinding): "being bound", string(engine.StateBound): "bound",
}

func (c *GangCount) text() string {
	names := c.names[:min(len(c.names), maxListed)]
	text := fmt.Sprintf("%d %s: %s", c.Pods, memberWords[c.State], strings.Join(names, ", "))
	if more := c.Pods - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func (t *GangTrial) text() string {
	text := "tried together on a copy, with no other pod between them: "
	switch {
	case t.Fits:
		return text + fmt.Sprintf("the %d needed fit", t.Needed)
	case t.Cut:
		return text + fmt.Sprintf("%d of the first %d fit; %d are needed, which is too many to try", t.Placed, t.Tried, t.Needed)
	}
	return text + fmt.Sprintf("%d of %d needed fit", t.Placed, t.Needed)
}

func (r *GangRival) text() string {
	who := fmt.Sprintf("gang %s, which holds %s and needs %d more", r.Name, plural.Count(r.Holding, "place"), r.Needed)
	switch {
	case r.Deadlock():
		return "deadlock with " + who + ": each of the two fits without the places of the other"
	case r.HoldsRoom:
		return "it fits without the places of " + who
	}
	return "it is in the way of " + who + " and fits without the places of this one"
}

// outlook says what happens if nothing changes, as far as that was tried.
func (g *Gang) outlook() string {
	switch {
	case g.Trial.Cut:
		return "it is too large to try what would let it go"
	case g.eitherMayGo():
		return "when the deadlines pass, at " + g.Deadline.UTC().Format(time.RFC3339) + ", one of the two may get the places of the other: which one depends on all that happens until then"
	case g.Goes == nil:
		return ""
	case *g.Goes && g.waits():
		return "if nothing else happens it gets its places, at the latest after those that wait give theirs back"
	case *g.Goes:
		return "it goes when its pods have their turns"
	case g.waits():
		return "if nothing else happens it does not go, also not when its places are given back at the deadline and it is tried again"
	}
	return ""
}

// deadlineNearness is how near to each other the deadlines of two gangs are of which either may go first: the longest back-off and a
// little more.
const deadlineNearness = 15 * time.Second

// eitherMayGo reports whether the gang is in a deadlock with one that gives back its places at about the same time.
func (g *Gang) eitherMayGo() bool {
	for i := range g.Rivals {
		if r := &g.Rivals[i]; g.waits() && r.Deadlock() && g.Deadline.Sub(r.Deadline).Abs() < deadlineNearness {
			return true
		}
	}
	return false
}

func gangList(names []string) string { return "gangs " + listed(names) }
