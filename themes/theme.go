package themes

// Theme gives every token a colour. It is not changed once made.
type Theme struct {
	Name string
	// Ground is the background the theme was made for. It is not painted.
	Ground RGB
	// Light tells whether Ground is light.
	Light bool

	colors [tokenCount]Color
	// basic is what a token is in the terminal's own sixteen, where true colours cannot be had.
	basic [tokenCount]Color
	// attrs are added to whatever has the token: all that a theme without colours has.
	attrs [tokenCount]Attr
}

// Color is the token's colour as the theme has it, before any terminal's limits.
func (t *Theme) Color(token Token) Color { return t.colors[token] }

// Shipped are the themes that come with the program, the default first.
func Shipped() []*Theme {
	return []*Theme{dark(), light(), highContrast(), colorBlind(), tritan(), ansi16(), mono()}
}

// Named finds a shipped theme.
func Named(name string) (*Theme, bool) {
	for _, t := range Shipped() {
		if t.Name == name {
			return t, true
		}
	}
	return nil, false
}
