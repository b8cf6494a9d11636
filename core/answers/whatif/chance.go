package whatif

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// alignHeirs has the replacements of an owner's pods compared with those on the same nodes in the other run: which of them came for
// which pod is only a matter of the order in which they were made.
func (c *comparison) alignHeirs() {
	for _, owner := range slices.Sorted(maps.Keys(c.changed.slots.byOwner)) {
		var heirs []*slot
		for _, s := range c.changed.slots.byOwner[owner] {
			if s.isHeir() {
				heirs = append(heirs, s)
			}
		}
		if len(heirs) > 1 {
			c.alignOwner(owner, heirs)
		}
	}
}

// isHeir reports whether the slot's pod of the start has a replacement.
func (s *slot) isHeir() bool {
	return s.origin != (world.PodRef{}) && !s.vacated && s.current.UID != s.origin.UID
}

// alignOwner swaps replacements until as many as can be are where those for the same pods are in the other run.
func (c *comparison) alignOwner(owner string, heirs []*slot) {
	settled := map[*slot]bool{}
	for _, was := range c.plain.slots.byOwner[owner] {
		s := c.changed.slots.byPod[was.origin.UID]
		if !was.isHeir() || s == nil || !s.isHeir() {
			continue
		}
		node := c.plain.slotOutcome(was).Node
		i := slices.IndexFunc(heirs, func(h *slot) bool { return !settled[h] && c.changed.slotOutcome(h).Node == node })
		if i < 0 {
			continue
		}
		if h := heirs[i]; h != s {
			h.current, s.current = s.current, h.current
			c.changed.slots.byPod[h.current.UID], c.changed.slots.byPod[s.current.UID] = h, s
		}
		settled[s] = true
	}
}

// leaveOutChance leaves out that of several gangs that wait for each other's places another one got them: which one does is decided by
// all that happens until their deadlines pass, and no effect of the changes.
func (c *comparison) leaveOutChance(e *engine.Engine) {
	rivals := contested(e)
	if len(rivals) < 2 {
		return
	}
	var won, lost []string
	for i := range c.result.Pods {
		p := &c.result.Pods[i]
		switch gang := rivals[p.Pod.UID]; {
		case gang == "":
		case p.Kind == Placed && !slices.Contains(won, gang):
			won = append(won, gang)
		case p.Kind == BecomesPending && !slices.Contains(lost, gang):
			lost = append(lost, gang)
		}
	}
	if len(won) == 0 || len(lost) == 0 {
		return
	}
	var effects []PodChange
	for _, p := range c.result.Pods {
		if rivals[p.Pod.UID] != "" && (p.Kind == Placed || p.Kind == BecomesPending) {
			c.result.Chance = append(c.result.Chance, p)
		} else {
			effects = append(effects, p)
		}
	}
	c.result.Pods = effects
	slices.Sort(won)
	slices.Sort(lost)
	c.result.Notes = append(slices.Clip(c.result.Notes), fmt.Sprintf("gangs %s wait for each other's places: which of them gets them is chance, and left out",
		printable.Line(strings.Join(append(lost, won...), " and "), 300)))
}

// contested are the pods of gangs of which some wait on Permit, as the gang lacks places, each with its gang.
func contested(e *engine.Engine) map[types.UID]string {
	pods := map[types.UID]string{}
	for _, key := range e.Gangs().Keys() {
		group := e.Gangs().Group(key)
		waits := slices.ContainsFunc(group.Members(), func(m gangs.Member) bool {
			return m.Stage == gangs.Assumed && e.PodState(m.Pod.Namespace, m.Pod.Name) == engine.StateWaiting
		})
		if !waits {
			continue
		}
		for _, m := range group.Members() {
			pods[m.Pod.UID] = key.FullName()
		}
	}
	return pods
}
