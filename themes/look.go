package themes

// Look is a style outside of a terminal, where there is no palette of somebody's own: in a picture.
type Look struct {
	Ink RGB
	// Ground is the background. Painted says that it is not the theme's.
	Ground  RGB
	Painted bool
	// Attr is what remains to be shown: weight, slant and underline.
	Attr Attr
}

// ownPalette stands for the sixteen colours that are otherwise the terminal's business.
var ownPalette = [16]RGB{
	{0x1d, 0x1f, 0x21},
	{0xcc, 0x66, 0x66},
	{0x8f, 0xb5, 0x73},
	{0xde, 0xb0, 0x5b},
	{0x6f, 0x9f, 0xd8},
	{0xb2, 0x8c, 0xc4},
	{0x77, 0xb7, 0xb0},
	{0xc5, 0xc8, 0xc6},
	{0x7a, 0x80, 0x86},
	{0xe8, 0x83, 0x83},
	{0xb0, 0xd6, 0x92},
	{0xf2, 0xcf, 0x83},
	{0x93, 0xbd, 0xf2},
	{0xd0, 0xac, 0xe2},
	{0x97, 0xd6, 0xcf},
	{0xf5, 0xf5, 0xf5},
}

// Look is how the theme shows a style.
func (t *Theme) Look(s Style) Look {
	attrs := s.Attr()
	l := Look{Ink: t.ink(Text), Ground: t.Ground}
	if token := s.Token(); token < tokenCount {
		attrs |= t.attrs[token]
		l.Ink = t.ink(token)
	}
	if attrs&Bold != 0 {
		attrs &^= Faint
	}
	if selection := t.colors[Selection]; attrs&Selected != 0 && selection.kind != noColor {
		l.Ground, l.Painted = selection.solid(t.Ground), true
		attrs &^= Selected
	}
	if attrs&(Reverse|Selected) != 0 {
		l.Ink, l.Ground, l.Painted = l.Ground, l.Ink, true
	}
	l.Attr = attrs &^ (Reverse | Selected)
	return l
}

// ink is a token's colour, or the one of text on the theme's ground.
func (t *Theme) ink(token Token) RGB {
	plain := RGB{0xe4, 0xe6, 0xeb}
	if t.Light {
		plain = RGB{0x1f, 0x23, 0x28}
	}
	return t.colors[token].solid(plain)
}

// solid is the colour, or another one where it has none.
func (c Color) solid(none RGB) RGB {
	switch {
	case c.kind == noColor:
		return none
	case c.kind == trueColor:
		return c.rgb
	case c.index < 16:
		return ownPalette[c.index]
	case c.index >= 232:
		grey := 8 + 10*(c.index-232)
		return RGB{grey, grey, grey}
	}
	i := int(c.index) - 16
	return RGB{uint8(cubeLevels[i/36]), uint8(cubeLevels[i/6%6]), uint8(cubeLevels[i%6])}
}
