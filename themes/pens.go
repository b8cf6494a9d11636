package themes

// Profile is how many colours a terminal shows.
type Profile uint8

// The profiles.
const (
	TrueColor Profile = iota
	Palette256
	Palette16
	NoColor
)

func (p Profile) String() string {
	return [...]string{"true colour", "256 colours", "16 colours", "no colour"}[p]
}

// Pen is a style as one terminal draws it. The zero value is the terminal's own style.
type Pen struct {
	Foreground, Background PenColor
	// Attr never contains Selected: a pen has the selection's background, or is reversed.
	Attr Attr
}

// PenColor is zero for the terminal's own colour, else a kind and a value. The sixteen are a kind of their own:
// terminals may show bold text in other shades of them, but not of the same colours of the palette.
type PenColor uint32

// The kinds of colours.
const (
	PenSixteen PenColor = (1 + iota) << 24
	PenPalette
	PenRGB

	penKinds PenColor = 3 << 24
)

// Kind returns the kind of the colour.
func (c PenColor) Kind() PenColor { return c & penKinds }

// Value returns the colour's number, or its red, green and blue in one.
func (c PenColor) Value() int { return int(c &^ penKinds) }

// Blank reports whether a blank drawn with the pen looks like the terminal's own.
func (p Pen) Blank() bool { return p.Background == 0 && p.Attr&(Underline|Reverse) == 0 }

// Pens are a theme's pens for one terminal, by style.
type Pens [1 << styleBits]Pen

// Of returns the pen of a style.
func (p *Pens) Of(s Style) Pen { return p[s] }

// Pens resolves a theme for a profile. A terminal with few colours gets the nearest ones; one with the basic sixteen,
// whose shades the user chooses, gets the theme's own choice among them.
func (t *Theme) Pens(p Profile) *Pens {
	var pens Pens
	selection := t.penColor(Selection, p)
	for s := range Style(len(pens)) {
		token, attr := s.Token(), s.Attr()
		if token > tokenCount {
			continue
		}
		var pen Pen
		if token < tokenCount {
			pen.Foreground = t.penColor(token, p)
			attr |= t.profileAttr(token, p)
		}
		if attr&Selected != 0 {
			if attr &^= Selected; selection != 0 {
				pen.Background = selection
			} else {
				attr |= Reverse
			}
		}
		if attr&Reverse != 0 {
			attr &^= Faint // a faint character on a reversed row is a hole in it
		}
		if attr&Bold != 0 {
			attr &^= Faint // a terminal has one weight at a time
		}
		pen.Attr = attr
		pens[s] = pen
	}
	return &pens
}

// profileAttr returns the attributes that the theme adds to a token, and those that replace a colour difference that
// the profile cannot show.
func (t *Theme) profileAttr(token Token, p Profile) Attr {
	attr := t.attrs[token]
	if p == NoColor || p == Palette16 {
		switch token {
		case Dim:
			attr |= Faint
		case Title:
			attr |= Bold
		}
	}
	return attr
}

func (t *Theme) penColor(token Token, p Profile) PenColor {
	c := t.colors[token]
	if p == Palette16 && (c.kind == trueColor || c.index > 15) {
		c = t.basic[token]
	}
	switch {
	case p == NoColor || c.kind == noColor:
		return 0
	case c.kind == trueColor && p == TrueColor:
		return PenRGB | PenColor(c.rgb.R)<<16 | PenColor(c.rgb.G)<<8 | PenColor(c.rgb.B)
	case c.kind == trueColor:
		return PenPalette | PenColor(nearest256(c.rgb))
	case c.index < 16:
		return PenSixteen | PenColor(c.index)
	}
	return PenPalette | PenColor(c.index)
}
