package answer

// Chart is evidence drawn as bars of amounts, with one mark for all of them.
type Chart struct {
	// Title names the amounts, Legend and ShortLegend the mark.
	Title, Legend, ShortLegend string
	Bars                       []Bar
	// More is how many bars are left out.
	More int
	// From and To are the ends of the scale. Mark is where the mark is; the amounts from Allowed to the mark are allowed. Without such a
	// band Allowed is the mark.
	From, To, Allowed, Mark int64
	// Drawn are the facts that it shows.
	Drawn []string
}

// Bar is one amount. Extra is what would come on top, or what is held for others.
type Bar struct {
	Name          string
	Amount, Extra int64
	// Value is the amount in words, OK that it is on the right side of the mark.
	Value string
	OK    bool
}
