package themes

// Token is what something on the screen means.
type Token uint8

// The sixteen tokens, and the eight steps of the heat ramp from cold to hot.
const (
	Text      Token = iota // what is read
	Dim                    // what is read second: units, labels, times
	Accent                 // names that lead somewhere, the hand of a dial
	Border                 // lines between things
	Focus                  // the border of what has the keys, and what has just changed
	Title                  // headings
	Good                   // bound, healthy, feasible
	Warn                   // soon a problem
	Bad                    // unschedulable, rejected, failed
	Active                 // pods that are next
	Backoff                // pods that wait for their time
	Gated                  // pods that are held back
	InFlight               // pods being scheduled or bound
	Leaving                // pods on their way out
	Nominated              // room being made, and everything hypothetical
	Selection              // the ground of the selected row

	Heat0
	Heat1
	Heat2
	Heat3
	Heat4
	Heat5
	Heat6
	Heat7

	tokenCount
)

// HeatSteps is the number of steps of the heat ramp.
const HeatSteps = int(Heat7-Heat0) + 1

// Heat is the step of the ramp for a fraction between 0 and 1.
func Heat(fraction float64) Token {
	step := int(fraction * float64(HeatSteps))
	return Heat0 + Token(min(max(step, 0), HeatSteps-1))
}

var tokenNames = [...]string{
	"text", "dim", "accent", "border", "focus", "title", "good", "warn", "bad",
	"active", "backoff", "gated", "inflight", "leaving", "nominated", "selection",
}

// String is the token's name in a theme file. The steps of the heat ramp share one.
func (t Token) String() string {
	if t >= Heat0 {
		return "heat"
	}
	return tokenNames[t]
}

// StateTokens are those that tell one state of a pod from another.
func StateTokens() []Token {
	return []Token{Active, Backoff, Bad, Gated, InFlight, Good, Nominated, Leaving}
}

// Attr is a set of attributes that a terminal has besides colour.
type Attr uint16

// The attributes. Selected is the ground of a selected row: the theme's selection colour where there is one, and
// reverse video where there is none.
const (
	Bold Attr = 1 << (iota + 5)
	Faint
	Italic
	Underline
	Reverse
	Selected

	attrMask = Bold | Faint | Italic | Underline | Reverse | Selected
)

// Style is how a cell is drawn: a token and attributes in one word.
type Style uint16

// Plain is the terminal's own style, which every row starts and ends in.
const Plain = Style(tokenCount)

// With adds attributes to a token.
func (t Token) With(a Attr) Style { return Style(t) | Style(a) }

// Token is the style's colour.
func (s Style) Token() Token { return Token(s & 31) }

// Attr is the style's attributes.
func (s Style) Attr() Attr { return Attr(s) & attrMask }

// With adds attributes.
func (s Style) With(a Attr) Style { return s | Style(a) }
