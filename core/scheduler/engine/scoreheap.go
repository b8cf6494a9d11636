package engine

import fwk "k8s.io/kube-scheduler/framework"

// The functions below keep scores as a heap with the highest total at the top. Equal scores keep the positions of
// kube-scheduler's heap: built in place from the last parent to the first, a left child before an equal right one.

func heapify(scores []fwk.NodePluginScores) {
	for i := len(scores)/2 - 1; i >= 0; i-- {
		siftDown(scores, i)
	}
}

// withoutTop pops the top.
func withoutTop(scores []fwk.NodePluginScores) []fwk.NodePluginScores {
	last := len(scores) - 1
	scores[0] = scores[last]
	scores = scores[:last]
	if last > 0 {
		siftDown(scores, 0)
	}
	return scores
}

func siftDown(scores []fwk.NodePluginScores, i int) {
	for {
		child := 2*i + 1
		if child >= len(scores) {
			return
		}
		if right := child + 1; right < len(scores) && scores[right].TotalScore > scores[child].TotalScore {
			child = right
		}
		if scores[child].TotalScore <= scores[i].TotalScore {
			return
		}
		scores[i], scores[child] = scores[child], scores[i]
		i = child
	}
}
