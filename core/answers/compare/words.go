package compare

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"orrery/core/answers/cause"
	"orrery/core/safe/plural"
)

// SeveralTogether is said of pods that no cause brings back alone.
const SeveralTogether = "several together"

// Name names a cause in few words.
func (c Cause) Name() string { return cause.Name(c.Factors) }

// KindWords counts pods by what changes for them, the worst first.
func KindWords(pods []PodChange) string {
	var parts []string
	for kind, n := range Counts(pods) {
		if n > 0 {
			parts = append(parts, humanize.Comma(int64(n))+" "+ChangeKind(kind).String())
		}
	}
	return strings.Join(parts, ", ")
}

// OfCause returns the pods of one cause, or those of cause.Together.
func (u *Upgrade) OfCause(of int) (pods []PodChange) {
	for _, p := range u.Pods {
		if p.Cause == of {
			pods = append(pods, p)
		}
	}
	return pods
}

// Verdict says in words how many pods end otherwise and how, and what makes the difference.
func (u *Upgrade) Verdict() string { return strings.Join(u.Sentences(), " ") }

// Sentences are those of the verdict.
func (u *Upgrade) Sentences() []string {
	arrivals := humanize.Comma(int64(u.Arrivals)) + " " + plural.Of(u.Arrivals, "pod")
	if len(u.Pods) == 0 {
		return []string{fmt.Sprintf("All %s end alike, as Kubernetes %v decides and as %v does.", arrivals, u.Was, u.Is)}
	}
	ends := "end"
	if len(u.Pods) == 1 {
		ends = "ends"
	}
	text := fmt.Sprintf("%s of %s %s otherwise: %s.", humanize.Comma(int64(len(u.Pods))), arrivals, ends, KindWords(u.Pods))
	if u.Worse() {
		text = "Worse: " + text
	}
	return []string{text, u.causeWords()}
}

// causeWords says what makes the difference, and for how many pods.
func (u *Upgrade) causeWords() string {
	var causes []string
	for _, c := range u.Causes {
		if c.Pods == len(u.Pods) {
			return c.Name() + " makes the difference."
		}
		if c.Pods > 0 {
			causes = append(causes, fmt.Sprintf("%s for %s", c.Name(), humanize.Comma(int64(c.Pods))))
		}
	}
	if len(causes) == 0 {
		return "What makes the difference was not found."
	}
	if n := len(u.OfCause(cause.Together)); n > 0 {
		causes = append(causes, fmt.Sprintf("%s for %s", SeveralTogether, humanize.Comma(int64(n))))
	}
	return "What makes the difference: " + strings.Join(causes, ", ") + "."
}
