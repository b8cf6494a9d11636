package themes

// Theme gives every token a colour. It does not change once made.
type Theme struct {
	Name string
	// Background is the background that the theme was made for. It is not painted.
	Background RGB
	// Light says that Background is light.
	Light bool

	colors [tokenCount]Color
	// basic is the token's colour among the terminal's own sixteen, for terminals without more.
	basic [tokenCount]Color
	// attrs are the attributes that a token adds: all that a theme without colours has.
	attrs [tokenCount]Attr
}

// Color returns the token's colour, before any terminal's limits.
func (t *Theme) Color(token Token) Color { return t.colors[token] }

// Shipped returns the themes that come with the program, the default first.
func Shipped() []*Theme {
	return []*Theme{dark(), light(), highContrast(), colorBlind(), tritan(), ansi16(), mono()}
}

// Named returns a shipped theme by its name.
func Named(name string) (*Theme, bool) {
	for _, t := range Shipped() {
		if t.Name == name {
			return t, true
		}
	}
	return nil, false
}
