package cycle

import (
	"math/rand/v2"
	"slices"
)

// theme is a feature that a case may exercise often.
type theme int

const (
	resources theme = iota
	podLevel
	selectors
	taints
	ports
	disks
	claims // of persistent volumes
	spread
	podAffinity // affinity and anti-affinity
	images
	features
	preemption
	nominatedPods
	schedulingGates
	deviceClaims
	extenders
	themes
)

// generator draws one case.
type generator struct {
	*rand.Rand
	about [themes]bool
	c     *clusterCase
	made  int // pods so far, for their names
}

// generateCase draws the case of a seed and a number.
func generateCase(seed uint64, number int) *clusterCase {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(number))), c: &clusterCase{Seed: seed, Number: number}}
	for range 1 + g.IntN(4) {
		g.about[g.IntN(int(themes))] = true
	}
	g.about[claims] = g.about[claims] || g.oneIn(4)
	g.about[preemption] = g.about[preemption] || g.about[extenders] && g.oneIn(2)
	g.about[deviceClaims] = g.about[deviceClaims] || g.oneIn(6)
	g.configure()
	g.populate()
	g.addNodes()
	g.addExtenders()
	g.addStorage()
	g.addDevices()
	g.addBound()
	g.addWaiting()
	g.addChanges()
	for _, pod := range slices.Concat(g.c.Nominated, g.c.Waiting) {
		g.c.Uncleared = append(g.c.Uncleared, some(g, 4, pod.Name)...)
	}
	return g.c
}

// oneIn is true once in n times.
func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

// often is true three times in four for the case's themes, and else once in n times.
func (g *generator) often(t theme, n int) bool {
	if g.about[t] {
		return !g.oneIn(4)
	}
	return g.oneIn(n)
}

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

// some returns each of the values with a probability of 1/n.
func some[T any](g *generator, n int, from ...T) (list []T) {
	for _, value := range from {
		if g.oneIn(n) {
			list = append(list, value)
		}
	}
	return list
}
