package engine

// markKept marks the verdicts that the engine keeps for pods like the one of an attempt on its fork.
func (x *Explanation) markKept(e *Engine, a *attempt) {
	kept := e.profiles[a.profile.ProfileName()].KeptVerdicts(a.profile, a.state, a.pod)
	list, err := a.engine.snapshot.List()
	if err != nil {
		return
	}
	places := a.engine.snapshot.Places()
	generations := make(map[string]int64, len(list))
	for i, node := range list {
		if kept.Has(places[i]) {
			generations[node.Node().Name] = places[i].Generation
		}
	}
	for i := range x.Nodes {
		if generation := generations[x.Nodes[i].Node]; generation > 0 {
			x.Nodes[i].Kept = generation
			x.Kept.add(generation)
		}
	}
	if x.Kept.Nodes > 0 {
		x.Kept.Afresh = kept.Afresh
	}
}

func (k *Kept) add(generation int64) {
	if k.Nodes == 0 {
		k.Oldest = generation
	}
	k.Nodes++
	k.Oldest, k.Newest = min(k.Oldest, generation), max(k.Newest, generation)
}
