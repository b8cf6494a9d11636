package diagnose_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// drawGangs draws a cluster with room for some pods, all of one size, and gangs whose pods come in any order.
func drawGangs(t *testing.T, rng *rand.Rand) (slots int, least map[string]int, e *engine.Engine) {
	t.Helper()
	var objects []world.Object
	for i := range 1 + rng.IntN(4) {
		n := 1 + rng.IntN(4)
		slots += n
		objects = append(objects, node(fmt.Sprintf("n%d", i), fmt.Sprint(n)).Pods("20").Obj())
	}
	least = map[string]int{}
	var pods []world.Object
	for i := range 2 + rng.IntN(3) {
		name := fmt.Sprintf("g%d", i)
		least[name] = 2 + rng.IntN(5)
		objects = append(objects, mk.Workload(name, mk.Gang("workers", int32(least[name]))))
		for j := range least[name] + rng.IntN(2) {
			pods = append(pods, mk.Pod(fmt.Sprintf("%s-%d", name, j)).CPU("1").InGroup(name, "workers").Obj())
		}
	}
	rng.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	return slots, least, engineWithGates(t, "GenericWorkload=true GangScheduling=true", append(objects, pods...)...)
}

// counted are a gang's pods by what the engine says of each, without the state of gangs.
type countedGang struct{ pods, waiting, placed int }

func countGangs(e *engine.Engine) (all map[string]countedGang, placed int) {
	all = map[string]countedGang{}
	for o := range e.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		c := all[gangs.KeyOf(pod).Workload]
		c.pods++
		switch e.PodState(pod.Namespace, pod.Name) {
		case engine.StateWaiting:
			c.waiting++
			fallthrough
		case engine.StateBinding, engine.StateBound:
			c.placed++
			placed++
		}
		all[gangs.KeyOf(pod).Workload] = c
	}
	return all, placed
}

// The numbers of an answer, and who holds whose room, are what counting places gives where all pods are of one size.
func TestGang_NumbersAreThoseOfPlainCounting(t *testing.T) {
	held, deadlocks, together := 0, 0, 0
	for seed := range uint64(150) {
		slots, least, e := drawGangs(t, rand.New(rand.NewPCG(seed, 2)))
		all, placed := countGangs(e)
		free := slots - placed
		for name, c := range all {
			g, err := diagnose.GangOf(e, gangs.Key{Namespace: "default", Workload: name, Group: "workers"})
			if err != nil {
				t.Fatal(err)
			}
			needed := least[name] - c.placed
			sum := 0
			for _, state := range g.Counts {
				sum += state.Pods
			}
			if g.Pods != c.pods || sum != c.pods || g.Placed != c.placed || g.MinCount != least[name] || g.Held() != (needed > 0) {
				t.Errorf("seed %d: %+v, counted %+v of %d", seed, g, c, least[name])
			}
			if needed <= 0 {
				continue
			}
			held++
			if trial := g.Trial; trial.Needed != needed || trial.Placed != min(needed, free) || trial.Fits != (free >= needed) {
				t.Errorf("seed %d: the trial is %+v; %d places are free, %d needed", seed, trial, free, needed)
			}
			if g.Trial.Fits {
				continue
			}
			rivals, single, waiting := 0, false, 0
			for other, o := range all {
				lacks := least[other] - o.placed
				if other == name || o.waiting == 0 || lacks <= 0 {
					continue
				}
				waiting += o.waiting
				holds, isHeld := free+o.waiting >= needed, c.waiting > 0 && free+c.waiting >= lacks
				single = single || holds
				if holds || isHeld {
					rivals++
				}
				if holds && isHeld {
					deadlocks++
				}
				for _, r := range g.Rivals {
					if r.Name == "default/"+other+"/workers" && (r.HoldsRoom != holds || r.LacksRoom != isHeld || r.Holding != o.waiting || r.Needed != lacks) {
						t.Errorf("seed %d: %+v; %d places are free, of %+v and %+v", seed, r, free, c, o)
					}
				}
			}
			several := !single && free+waiting >= needed
			if len(g.Rivals) != rivals || (len(g.Together) > 0) != several {
				t.Errorf("seed %d: %d rivals, together %v; counted %d and %v", seed, len(g.Rivals), g.Together, rivals, several)
			}
			if several {
				together++
			}
		}
	}
	if held < 150 || deadlocks < 40 || together < 5 {
		t.Errorf("only %d gangs are held back, %d times by a deadlock, %d times by several", held, deadlocks, together)
	}
}
