package tui

import (
	"path/filepath"
	"testing"
	"time"

	"orrery/core/answers/answer"
)

// The explanation of a pod has its gang, the other one with which it is in a deadlock, and what lets it go: that is evaluated as any
// fix is.
func TestExplain_Gang(t *testing.T) {
	for name, size := range map[string][2]int{"80x24": {80, 24}, "140x40": {140, 40}} {
		t.Run(name, func(t *testing.T) {
			d := builtIn(t, "gang-deadlock")
			d.Recording.SeekTo(d.Start().Add(375 * time.Second))
			s := watch(t, d, size[0], size[1]).keys("2", "e")
			s.advance(time.Second).shows("the gang goes")
			if size[0] == 140 {
				golden(t, filepath.Join("stories", "gang-deadlock", "explain-"+name+".txt"), s.plain())
			}
			x := s.screen.frame.Model.Explain
			if x == nil || x.Gang == nil || !x.Gang.Links("")[0].Bad {
				t.Fatalf("the gang is %+v", x)
			}
			var gang []answer.Remedy
			for _, r := range x.Remedies {
				if r.Node == "" {
					gang = append(gang, r)
				}
			}
			if len(gang) < 2 || gang[0].Change != "delete gang default/music/pods" && gang[0].Change != "delete gang default/maps/pods" {
				t.Errorf("what lets it go is %+v", gang)
			}
		})
	}
}
