package themes

// Appearance is a style outside a terminal, where there is no user palette: in a picture.
type Appearance struct {
	Foreground RGB
	// HasBackground says that Background differs from the theme's.
	Background    RGB
	HasBackground bool
	// Attr holds the attributes that remain: weight, slant and underline.
	Attr Attr
}

// defaultPalette replaces the terminal's own sixteen colours.
var defaultPalette = [16]RGB{
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

// Appearance returns how the theme shows a style.
func (t *Theme) Appearance(s Style) Appearance {
	attrs := s.Attr()
	l := Appearance{Foreground: t.foreground(Text), Background: t.Background}
	if token := s.Token(); token < tokenCount {
		attrs |= t.attrs[token]
		l.Foreground = t.foreground(token)
	}
	if attrs&Bold != 0 {
		attrs &^= Faint
	}
	if selection := t.colors[Selection]; attrs&Selected != 0 && selection.kind != noColor {
		l.Background, l.HasBackground = selection.resolve(t.Background), true
		attrs &^= Selected
	}
	if attrs&(Reverse|Selected) != 0 {
		l.Foreground, l.Background, l.HasBackground = l.Background, l.Foreground, true
	}
	l.Attr = attrs &^ (Reverse | Selected)
	return l
}

// foreground returns a token's colour, or the default text colour on the theme's background.
func (t *Theme) foreground(token Token) RGB {
	plain := RGB{0xe4, 0xe6, 0xeb}
	if t.Light {
		plain = RGB{0x1f, 0x23, 0x28}
	}
	return t.colors[token].resolve(plain)
}

// resolve returns the colour's RGB value; none if it has no colour.
func (c Color) resolve(none RGB) RGB {
	switch {
	case c.kind == noColor:
		return none
	case c.kind == trueColor:
		return c.rgb
	case c.index < 16:
		return defaultPalette[c.index]
	case c.index >= 232:
		grey := 8 + 10*(c.index-232)
		return RGB{grey, grey, grey}
	}
	i := int(c.index) - 16
	return RGB{uint8(cubeLevels[i/36]), uint8(cubeLevels[i/6%6]), uint8(cubeLevels[i%6])}
}
