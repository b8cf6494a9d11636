package tui

import (
	"slices"
	"strings"
	"testing"
)

// TestTasks_InFewKeys does the thirty things that an operator wants of a screen, with the fewest keys, and counts them. A typed letter is a
// key. Each begins on the overview of a recording at a moment.
func TestTasks_InFewKeys(t *testing.T) {
	const most, median = 4, 3
	var counts []int
	for _, tt := range []struct {
		task, story, at, keys string
		shows                 []string
		longer                int // of what is typed in full: how many keys it may take
	}{
		{task: "what is wrong", story: "morning-rush", at: "70s", keys: "", shows: []string{"pods Pending"}},
		{task: "why does the worst pod wait", story: "morning-rush", at: "70s", keys: "!", shows: []string{"Explain", "fixes, tried on a copy"}},
		{task: "what would help, tried", story: "morning-rush", at: "70s", keys: "! enter", shows: []string{"what-if:"}},
		{task: "the pod that waits longest", story: "morning-rush", at: "70s", keys: "!", shows: []string{"search-77b57dd7d-8qv6c"}},
		{task: "all that wait, by cause", story: "morning-rush", at: "70s", keys: "P", shows: []string{"by owner and cause"}},
		{task: "the fullest node", story: "morning-rush", at: "70s", keys: "0", shows: []string{"shop-east-4 97%"}},
		{task: "who fills a node", story: "morning-rush", at: "70s", keys: "3 enter", shows: []string{"by owner"}},
		{task: "what happened at 52 s", story: "morning-rush", at: "48s", keys: "2 > < >", shows: []string{"52s: East is full"}},
		{task: "why then", story: "morning-rush", at: "53s", keys: "!", shows: []string{"Explain"}},
		{task: "who evicted it", story: "priority-storm", at: "60s", keys: "5 enter", shows: []string{"Journey"}},
		{task: "pods that left a node", story: "node-drain", at: "60s", keys: "5", shows: []string{"5 Evictions", "node"}},
		{task: "where did they go", story: "node-drain", at: "60s", keys: "5 G o", shows: []string{"took its place"}},
		{task: "compare two nodes", story: "morning-rush", at: "70s", keys: "3 = j =", shows: []string{"⇄ nodes"}},
		{task: "compare now and earlier", story: "morning-rush", at: "70s", keys: "= { =", shows: []string{"⇄ from"}},
		{task: "what if two more nodes", story: "morning-rush", at: "70s", keys: "3 w 2", shows: []string{"what-if: add 2 nodes like"}},
		{task: "what if two are drained at once", story: "morning-rush", at: "70s", keys: "3 x x D", shows: []string{"what-if: drain ", ", drain "}},
		{task: "export for the ticket", story: "morning-rush", at: "70s", keys: "R", shows: []string{".md"}},
		{task: "the command that repeats it", story: "morning-rush", at: "70s", keys: "! y", shows: []string{"copied"}},
		{task: "a pod by the end of its name", story: "morning-rush", at: "70s", keys: "/ 8 q v 6 c enter", shows: []string{"Journey", "8qv6c"}, longer: 7},
		{task: "the node of a pod", story: "morning-rush", at: "70s", keys: "7 o", shows: []string{"Node"}},
		{task: "a node, its pods, and why", story: "morning-rush", at: "70s", keys: "3 enter enter e", shows: []string{"Explain"}},
		{task: "when is it tried again", story: "morning-rush", at: "70s", keys: "2", shows: []string{"pending next", "◔ backoff"}},
		{task: "which pods a plugin rejected", story: "morning-rush", at: "70s", keys: "8 enter", shows: []string{"2 Queue", "/SchedulingGates/"}},
		{task: "why this node and no other", story: "morning-rush", at: "70s", keys: "7 e", shows: []string{"Explain"}},
		{task: "which budget blocks", story: "node-drain", at: "60s", keys: "5", shows: []string{"budget"}},
		{task: "GPUs that are free together", story: "gpu-day", at: "60s", keys: ": d e v enter", shows: []string{"evices"}, longer: 5},
		{task: "cpu free in the cluster", story: "morning-rush", at: "70s", keys: "", shows: []string{"free"}},
		{task: "the last preemption", story: "priority-storm", at: "60s", keys: "{", shows: []string{"⚑"}},
		{task: "back to where I was in time", story: "morning-rush", at: "70s", keys: "{ ctrl+o", shows: []string{"01:10.0"}},
		{task: "cordon it and see", story: "morning-rush", at: "70s", keys: "3 w c", shows: []string{"what-if: cordon"}},
	} {
		s := openStory(t, tt.story, 140, 40).keys("esc", ":").typeText("goto " + tt.at).keys("enter")
		if s.screen.frame.Playing {
			s.keys("space")
		}
		s.screen.openPane("")
		keys := strings.Fields(tt.keys)
		s.keys(keys...)
		counts = append(counts, len(keys))
		t.Logf("%2d %-34s %d  %s", len(counts), tt.task, len(keys), tt.keys)
		for _, want := range tt.shows {
			if plain := s.plain(); !strings.Contains(plain, want) {
				t.Errorf("%s: %q leads to no %q:\n%s", tt.task, tt.keys, want, plain)
			}
		}
		if limit := max(most, tt.longer); len(keys) > limit {
			t.Errorf("%s takes %d keys, want at most %d", tt.task, len(keys), limit)
		}
	}
	slices.Sort(counts)
	t.Logf("%d tasks take %v keys", len(counts), counts)
	if len(counts) != 30 || counts[len(counts)/2] > median {
		t.Errorf("%d tasks take %d keys in the median, want 30 and at most %d", len(counts), counts[len(counts)/2], median)
	}
}
