package engine_test

import (
	"strings"
	"testing"

	"orrery/core/world"
)

// A world holds effects until they are carried out, and a fork of it holds the same: what later pods need changes none.
func TestEffects_StayAsEmitted(t *testing.T) {
	s := &storyRun{t: t, now: start, objects: map[string]world.Object{}}
	for line := range strings.Lines("deviceclass gpu\nnode n1\nnode n2\nslice pool node=n1 has=a\ndevices mine one=gpu\npod ada devices=mine\nstep\nok 1\nok 2\nok 3\nseen 3\npod c\npod d\nstep\n") {
		words := strings.Fields(line)
		s.runLine(words[0], words[1:])
		if len(s.players) == 0 {
			continue
		}
		patch, emitted := s.players[0].effects[1].(world.PatchStatus)
		if emitted && *patch.NominatedNode != "n1" {
			t.Fatalf("after %q the first effect nominates %q", strings.TrimSpace(line), *patch.NominatedNode)
		}
		if words[0] == "step" && !emitted {
			t.Fatal("nothing is nominated")
		}
	}
}
