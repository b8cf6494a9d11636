package play_test

import (
	"bytes"
	"testing"

	"orrery/core/trace/play"
)

// An excerpt replays to where the player ends, whether it has lost its beginning or not.
func TestExcerpt_ReplaysExactly(t *testing.T) {
	for _, held := range []int64{0, 30_000} {
		p, rest := growing(t, joined(t, 6, 150), held)
		half := len(rest) / 2
		for _, r := range rest[:half] {
			if err := p.Append(r); err != nil {
				t.Fatal(err)
			}
			if err := p.SeekRecord(p.End().Record); err != nil {
				t.Fatal(err)
			}
		}
		x, err := p.Excerpt()
		if err != nil {
			t.Fatal(err)
		}
		digest, at := p.Engine().Digest(), p.Start()
		if err := p.Append(rest[half:]...); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := x.Write(&file, play.About{Description: "an excerpt"}); err != nil {
			t.Fatal(err)
		}
		again, report := replay(t, file.Bytes(), play.Options{})
		if !report.Exact || !report.OK() || report.Damage != nil || again.Digest() != digest {
			t.Errorf("with %d bytes: the replay ends in %v, not %v: %+v", held, again.Digest(), digest, report)
		}
		if begins := headerOf(t, file.Bytes()).Start; !begins.Equal(at.Time) || (held > 0) != (at.Record > 0) {
			t.Errorf("it begins at %v, the player at %v", begins, at)
		}
	}
}
