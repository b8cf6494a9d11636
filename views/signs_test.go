package views

import (
	"strings"
	"testing"

	"orrery/themes"
	"orrery/views/draw"
)

// bodySigns are the signs of nodes in the picture, by what they mean.
func bodySigns() map[string]string {
	signs := map[string]string{}
	for result, sizes := range bodyGlyphs {
		for _, sign := range sizes {
			if LaneCell(result) != NoNode {
				signs[string(sign)] = string(bodyGlyphs[result][1])
			}
		}
	}
	for _, sign := range "⊗⊘⚑▼" {
		signs[string(sign)] = string(sign)
	}
	return signs
}

func TestOrrery_LegendHasEverySign(t *testing.T) {
	o := &orreryCtx{Orrery: &Orrery{}}
	var legend strings.Builder
	for _, line := range o.signWords() {
		for _, s := range line.long {
			legend.WriteString(s.text)
		}
	}
	for sign := range bodySigns() {
		if !strings.Contains(legend.String(), sign) {
			t.Errorf("the legend has no %s: %s", sign, legend.String())
		}
	}
}

// TestOrrery_SignsDifferInASCII: signs of one meaning may be alike, they differ by size.
func TestOrrery_SignsDifferInASCII(t *testing.T) {
	seen := map[string]string{}
	for sign, means := range bodySigns() {
		c := draw.New(1, 1)
		c.All(draw.ASCII).Text(0, 0, themes.Style(themes.Text), sign)
		if other, taken := seen[c.Plain()]; taken && other != means {
			t.Errorf("%s and %s are both %s", sign, other, c.Plain())
		}
		seen[c.Plain()] = means
	}
}

// TestShortWords_AreWords: a state's short word may be a usual abbreviation, but not a word that is cut off.
func TestShortWords_AreWords(t *testing.T) {
	usual := map[string]bool{"term.": true, "sched.": true, "alloc.": true, "avail.": true, "no vol.": true}
	for name, styles := range map[string][]glyphStyle{
		"pods": podStateStyles[:], "verdicts": verdictStyles[:], "evictions": evictionLooks[:], "claims": claimStyles[:], "volumes": volumeStyles[:],
		"devices": deviceStyles[:], "claims for devices": deviceClaimStyles[:],
	} {
		for _, s := range styles {
			if strings.HasSuffix(s.short, ".") && !usual[s.short] {
				t.Errorf("%s: %q is cut off: %q", name, s.word, s.short)
			}
		}
	}
}
