package allocate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle/allocations"
	"orrery/core/scheduler/release"
)

// values are what a hostile driver or tenant may write in place of another value.
var values = []string{
	`null`, `""`, `0`, `-1`, `9223372036854775807`, `1e30`, `"9E"`, `"-1"`, `"0"`, `"1e-9"`, `"99999999999999999999999999"`, `true`, `[]`, `{}`, `[null]`, `[{}]`, `"All"`,
	`"[1,2].all(x, true)"`, `"device.attributes['a.example.com'].model.size() > 1000"`, `"\u202e"`,
}

// value is one of a case, with what comes before it.
var value = regexp.MustCompile(`:("[^"]*"|-?[0-9]+|true|false)`)

// Cases with values replaced by hostile ones are allocated without a panic, and the same twice, in each release.
func TestAllocate_SurvivesHostileCases(t *testing.T) {
	seen := difftest.Coverage{}
	n := difftest.Check(t, 300, func(s *difftest.Source) {
		text, err := json.Marshal(draw(s))
		if err != nil {
			t.Fatal(err)
		}
		places := value.FindAllIndex(text, -1)
		for range s.Range(1, 4) {
			at := difftest.Pick(s, places...)
			with := []byte(":" + difftest.Pick(s, values...))
			changed := append(append(append([]byte{}, text[:at[0]]...), with...), text[at[1]:]...)
			if json.Unmarshal(changed, &allocations.Case{}) != nil {
				continue
			}
			text = changed
			places = value.FindAllIndex(text, -1)
		}
		c := &allocations.Case{}
		if err := json.Unmarshal(text, c); err != nil {
			t.Fatal(err)
		}
		c.Steps = 2000
		for _, r := range release.All() {
			if first, again := outcomes(s, c, r), outcomes(s, c, r); first != again {
				s.Fatalf("as %s, it is %s and then %s, of\n%s", r, first, again, text)
			}
		}
		seen.Count("compared")
	})
	seen.Require(t, n, "compared")
}

// outcomes are those of a case, or a difference if there is a panic.
func outcomes(s *difftest.Source, c *allocations.Case, r release.Release) string {
	text := ""
	func() {
		defer func() {
			if failure := recover(); failure != nil {
				text = fmt.Sprint("a panic: ", failure)
			}
		}()
		for _, o := range allocateHere(c, r) {
			text += plain(o)
		}
	}()
	if len(text) > 8 && text[:8] == "a panic:" {
		s.Fatalf("as %s: %s, of\n%s", r, text, difftest.JSON(c))
	}
	return text
}
