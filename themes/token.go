package themes

// Token is the meaning of something on the screen.
type Token uint8

// The sixteen tokens, and the eight steps of the heat ramp from cold to hot.
const (
	Text        Token = iota // primary text
	Dim                      // secondary text: units, labels, times
	Accent                   // names that can be opened, cursors and marks
	Border                   // lines between things
	Focus                    // the border of the focused pane, and what has just changed
	Title                    // headings
	Good                     // bound, healthy, feasible
	Warn                     // soon a problem
	Bad                      // unschedulable, rejected, failed
	Active                   // pods in activeQ
	Backoff                  // pods in backoffQ
	Gated                    // gated pods
	InFlight                 // pods being scheduled or bound
	Terminating              // terminating pods
	Nominated                // nominated nodes, and everything in a what-if
	Selection                // the background of the selected row

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

// Heat returns the step of the ramp for a fraction between 0 and 1.
func Heat(fraction float64) Token {
	step := int(fraction * float64(HeatSteps))
	return Heat0 + Token(min(max(step, 0), HeatSteps-1))
}

var tokenNames = [...]string{
	"text", "dim", "accent", "border", "focus", "title", "good", "warn", "bad",
	"active", "backoff", "gated", "inflight", "leaving", "nominated", "selection",
}

// String returns the token's name in a theme file. The steps of the heat ramp share one.
func (t Token) String() string {
	if t >= Heat0 {
		return "heat"
	}
	return tokenNames[t]
}

// StateTokens are the tokens that distinguish pod states.
func StateTokens() []Token {
	return []Token{Active, Backoff, Bad, Gated, InFlight, Good, Nominated, Terminating}
}

// Attr is a set of text attributes.
type Attr uint16

// The attributes. Selected is the background of a selected row: the theme's selection colour if it has one, else
// reverse video.
const (
	Bold Attr = 1 << (iota + 5)
	Faint
	Italic
	Underline
	Reverse
	Selected

	attrMask  = Bold | Faint | Italic | Underline | Reverse | Selected
	styleBits = 11 // of a token and its attributes
)

// Style is how a cell is drawn: a token and attributes in one word.
type Style uint16

// Plain is the terminal's own style, in which every row starts and ends.
const Plain = Style(tokenCount)

// With adds attributes to a token.
func (t Token) With(a Attr) Style { return Style(t) | Style(a) }

// Token returns the style's token.
func (s Style) Token() Token { return Token(s & 31) }

// Attr returns the style's attributes.
func (s Style) Attr() Attr { return Attr(s) & attrMask }

// With adds attributes.
func (s Style) With(a Attr) Style { return s | Style(a) }
