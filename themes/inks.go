package themes

import "strconv"

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

// Inks are a theme's codes for one terminal.
type Inks struct {
	foreground [tokenCount + 1]string // the parameters that set it, such as "38;5;110"
	selection  string                 // the parameters of a selected row's ground
	attrs      [tokenCount + 1]Attr
}

// Resolve makes the codes of a theme for a profile. A terminal with few colours gets the nearest there are; with the
// basic sixteen, whose shades are the user's business, the theme's own choice among them.
func (t *Theme) Resolve(p Profile) *Inks {
	inks := &Inks{selection: "7"}
	copy(inks.attrs[:], t.attrs[:])
	inks.foreground[Plain.Token()] = defaultForeground
	for token := range tokenCount {
		inks.foreground[token] = t.code(token, p, 30)
	}
	if ground := t.code(Selection, p, 40); ground != defaultGround {
		inks.selection = ground
	}
	if p == NoColor || p == Palette16 {
		inks.attrs[Dim] |= Faint
		inks.attrs[Title] |= Bold
	}
	return inks
}

const (
	defaultForeground = "39"
	defaultGround     = "49"
)

// code is the parameters for a token's colour, counted from 30 for the foreground or from 40 for the ground.
func (t *Theme) code(token Token, p Profile, base int) string {
	c := t.colors[token]
	if p == Palette16 && (c.kind == trueColor || c.index > 15) {
		c = t.basic[token]
	}
	none := strconv.Itoa(base + 9)
	if p == NoColor || c.kind == noColor {
		return none
	}
	if c.kind == trueColor && p == TrueColor {
		return strconv.Itoa(base+8) + ";2;" + strconv.Itoa(int(c.rgb.R)) + ";" + strconv.Itoa(int(c.rgb.G)) + ";" + strconv.Itoa(int(c.rgb.B))
	}
	i := int(c.index)
	if c.kind == trueColor {
		i = int(nearest256(c.rgb))
	}
	switch {
	case i < 8:
		return strconv.Itoa(base + i)
	case i < 16:
		return strconv.Itoa(base + 60 + i - 8)
	}
	return strconv.Itoa(base+8) + ";5;" + strconv.Itoa(i)
}

// AppendSwitch appends what a terminal that draws in one style needs to be told to draw in another, as little as will
// do.
func (k *Inks) AppendSwitch(b []byte, from, to Style) []byte {
	before, after := k.effective(from), k.effective(to)
	fg := k.foregroundOf(to)
	if before == after {
		if fg == k.foregroundOf(from) {
			return b
		}
		return append(append(append(b, "\x1b["...), fg...), 'm')
	}
	if after == 0 && fg == defaultForeground {
		return append(b, "\x1b[m"...)
	}
	b = append(b, "\x1b["...)
	switch {
	case before&^after != 0: // attributes can only be taken away together
		b, before = append(b, "0;"...), 0
		if fg == defaultForeground {
			fg = ""
		}
	case fg == k.foregroundOf(from):
		fg = ""
	}
	b = k.appendAttrs(b, after&^before)
	if fg != "" {
		b = append(append(b, fg...), ';')
	}
	b[len(b)-1] = 'm'
	return b
}

func (k *Inks) appendAttrs(b []byte, attrs Attr) []byte {
	for _, a := range [...]struct {
		attr Attr
		code string
	}{{Bold, "1;"}, {Faint, "2;"}, {Italic, "3;"}, {Underline, "4;"}, {Reverse, "7;"}} {
		if attrs&a.attr != 0 {
			b = append(b, a.code...)
		}
	}
	if attrs&Selected != 0 {
		b = append(append(b, k.selection...), ';')
	}
	return b
}

// effective are the attributes of a style with those that the theme adds to its token.
func (k *Inks) effective(s Style) Attr {
	a := s.Attr() | k.attrs[s.Token()]
	if a&Bold != 0 {
		a &^= Faint // a terminal has one weight at a time
	}
	return a
}

// foregroundOf is the colour code of a style.
func (k *Inks) foregroundOf(s Style) string { return k.foreground[s.Token()] }
