package app

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"orrery/core/answers/compare"
)

// verdictDocument says which configuration did better, and which differences another seed alone would give.
type verdictDocument struct {
	// Seeds is the number of seeds under which each configuration was simulated.
	Seeds int `json:"seeds"`
	// FewestWaiting is the configuration that left fewer pods waiting than all others, whatever the seed; empty if there
	// is none.
	FewestWaiting string `json:"fewestWaiting"`
	// Sentences say it in words.
	Sentences   []string          `json:"sentences"`
	Differences []measureDocument `json:"differences"`
}

// measureDocument is a figure of a configuration beside that of the first one, with their bounds over the seeds.
type measureDocument struct {
	Configuration string        `json:"configuration"`
	Against       string        `json:"against"`
	Measure       string        `json:"measure"`
	Is            rangeDocument `json:"is"`
	Was           rangeDocument `json:"was"`
	WithinSeeds   bool          `json:"withinSeeds"`
}

type rangeDocument struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func rangeOf(r compare.Range) rangeDocument {
	return rangeDocument{rounded(r.Value), rounded(r.Low), rounded(r.High)}
}

func verdictOf(c *compare.Comparison) verdictDocument {
	v := verdictDocument{Seeds: c.Seeds, Differences: []measureDocument{}}
	best, by, ok := c.FewestWaiting()
	if ok {
		v.FewestWaiting = c.Results[best].Name
	}
	if len(c.Results) > 1 {
		v.Sentences = []string{waitingSentence(c, best, by, ok)}
	}
	for i := range c.Results[1:] {
		all := c.Differences(i + 1)
		if len(all) == 0 {
			v.Sentences = append(v.Sentences, nameOf(&c.Results[i+1])+" gives the same figures as "+nameOf(&c.Results[0])+".")
			continue
		}
		for _, d := range all {
			v.Differences = append(v.Differences, measureDocument{
				c.Results[i+1].Name, c.Results[0].Name, d.Measure.String(), rangeOf(d.Is), rangeOf(d.Was), d.WithinSeeds,
			})
		}
		if ok && len(c.Results) == 2 { // the first sentence has said it
			all = slices.DeleteFunc(all, func(d compare.Difference) bool { return d.Measure == by })
		}
		v.Sentences = append(v.Sentences, differenceSentences(c, i+1, all)...)
	}
	return v
}

// text writes the sentences.
func (v *verdictDocument) text(w io.Writer) {
	fmt.Fprintf(w, "\nVerdict\n")
	for _, sentence := range v.Sentences {
		fmt.Fprintf(w, "  %s\n", sentence)
	}
}

// waitingSentence says which configuration left fewer pods waiting, and by how much.
func waitingSentence(c *compare.Comparison, best int, by compare.Measure, ok bool) string {
	if !ok {
		return "No configuration left fewer pods waiting than the others: " + waitingTexts(c) + "."
	}
	least, other := &c.Results[best], nextBest(c, best)
	if by == compare.NeverPlaced {
		return fmt.Sprintf("%s left %s fewer waiting than %s: %s of %s never placed, not %s.", nameOf(least), countText(other.NeverPlaced-least.NeverPlaced, "pod"), nameOf(other),
			humanize.Comma(int64(least.NeverPlaced)), countText(c.Pods, "pod"), humanize.Comma(int64(other.NeverPlaced)))
	}
	return fmt.Sprintf("%s left pods waiting for less time than %s: %s on average, not %s; %s and %s were never placed.", nameOf(least), nameOf(other),
		durationText(least.Pending.Mean), durationText(other.Pending.Mean), humanize.Comma(int64(least.NeverPlaced)), humanize.Comma(int64(other.NeverPlaced)))
}

// nameOf is a configuration's name within a sentence.
func nameOf(r *compare.Result) string {
	if strings.Contains(r.Name, " ") {
		return strconv.Quote(r.Name)
	}
	return r.Name
}

// nextBest returns the result that left the fewest pods waiting after the best.
func nextBest(c *compare.Comparison, best int) *compare.Result {
	var next *compare.Result
	for i := range c.Results {
		r := &c.Results[i]
		if i != best && (next == nil || cmp.Or(cmp.Compare(r.NeverPlaced, next.NeverPlaced), cmp.Compare(r.Pending.Mean, next.Pending.Mean)) < 0) {
			next = r
		}
	}
	return next
}

// waitingTexts lists how many pods each configuration left waiting, and how long.
func waitingTexts(c *compare.Comparison) string {
	texts := make([]string, len(c.Results))
	for i := range c.Results {
		r := &c.Results[i]
		texts[i] = fmt.Sprintf("%s: %s never placed, %s pending on average", nameOf(r), humanize.Comma(int64(r.NeverPlaced)), durationText(r.Pending.Mean))
	}
	return strings.Join(texts, "; ")
}

// differenceSentences say at what cost a configuration differs from the first one, what it saves, and which differences
// another seed would give.
func differenceSentences(c *compare.Comparison, result int, all []compare.Difference) []string {
	name, against := nameOf(&c.Results[result]), nameOf(&c.Results[0])
	var more, less, within []string
	for _, d := range all {
		switch text := differenceText(d); {
		case text == "":
		case d.WithinSeeds:
			within = append(within, text)
		case d.Is.Value > d.Was.Value:
			more = append(more, text)
		default:
			less = append(less, text)
		}
	}
	var sentences []string
	add := func(what string, texts []string) {
		if len(texts) > 0 {
			sentences = append(sentences, what+": "+strings.Join(texts, "; ")+".")
		}
	}
	add(name+" saves, against "+against, less)
	add(name+" costs, against "+against, more)
	add("Within what another seed gives ("+countText(c.Seeds, "seed")+" each)", within)
	if c.Seeds == 1 {
		sentences = append(sentences, "The comparison is too large for a second seed: how much of this is chance is not known.")
	}
	return sentences
}

// differenceText is a figure beside that of the first configuration; empty if both are written alike.
func differenceText(d compare.Difference) string {
	is, was := figureText(d.Measure, d.Is.Value), figureText(d.Measure, d.Was.Value)
	if is == was {
		return ""
	}
	switch d.Measure {
	case compare.NeverPlaced:
		return is + " never placed, not " + was
	case compare.PendingMean:
		return is + " pending on average, not " + was
	case compare.PendingP99:
		return is + " pending at p99, not " + was
	case compare.Victims:
		return countText(int(d.Is.Value), "pod") + " preempted, not " + was
	case compare.OtherNode:
		return countText(int(d.Is.Value), "pod") + " on other nodes"
	}
	return is + " fragmentation, not " + was
}

func figureText(m compare.Measure, x float64) string {
	switch m {
	case compare.PendingMean, compare.PendingP99:
		return durationText(durationOf(x))
	case compare.Fragmentation:
		return percentOf(x)
	}
	return humanize.Comma(int64(x))
}
