package celldiff

import (
	"strconv"

	"orrery/themes"
)

// attrCodes are the codes that set and reset an attribute.
var attrCodes = [...]struct {
	attr    themes.Attr
	on, off int
}{
	{themes.Bold, 1, 22}, {themes.Faint, 2, 22}, {themes.Italic, 3, 23}, {themes.Underline, 4, 24}, {themes.Reverse, 7, 27},
}

// setPen switches the terminal to a style.
func (t *Writer) setPen(p themes.Pen) {
	t.out = appendSwitch(t.out, t.pen, p)
	t.pen = p
}

// appendSwitch appends the shortest code that switches from one style to another.
func appendSwitch(b []byte, from, to themes.Pen) []byte {
	if to == from {
		return b
	}
	if to == (themes.Pen{}) {
		return append(b, "\x1b[m"...)
	}
	start := len(b)
	b = append(b, "\x1b["...)
	gone, kept := from.Attr&^to.Attr, from.Attr&to.Attr
	for _, c := range attrCodes {
		if gone&c.attr != 0 {
			b = appendCode(b, c.off)
			if c.off == 22 { // resets both bold and faint
				kept &^= themes.Bold | themes.Faint
				gone &^= themes.Bold | themes.Faint
			}
		}
	}
	b = appendAttrs(b, to.Attr&^kept)
	if to.Foreground != from.Foreground {
		b = appendColor(b, to.Foreground, 30)
	}
	if to.Background != from.Background {
		b = appendColor(b, to.Background, 40)
	}
	b[len(b)-1] = 'm'
	var room [64]byte
	if fresh := appendFresh(room[:0], to); len(fresh) < len(b)-start {
		return append(b[:start], fresh...)
	}
	return b
}

// appendFresh appends the code that sets a style from any other style.
func appendFresh(b []byte, p themes.Pen) []byte {
	b = appendAttrs(append(b, "\x1b[0;"...), p.Attr)
	if p.Foreground != 0 {
		b = appendColor(b, p.Foreground, 30)
	}
	if p.Background != 0 {
		b = appendColor(b, p.Background, 40)
	}
	b[len(b)-1] = 'm'
	return b
}

func appendAttrs(b []byte, attrs themes.Attr) []byte {
	for _, c := range attrCodes {
		if attrs&c.attr != 0 {
			b = appendCode(b, c.on)
		}
	}
	return b
}

// appendColor appends the parameters of a colour; base is 30 for the foreground and 40 for the background.
func appendColor(b []byte, c themes.PenColor, base int) []byte {
	n := c.Value()
	switch c.Kind() {
	case themes.PenRGB:
		b = appendCode(appendCode(b, base+8), 2)
		return appendCode(appendCode(appendCode(b, n>>16), n>>8&0xff), n&0xff)
	case themes.PenPalette:
		return appendCode(appendCode(appendCode(b, base+8), 5), n)
	case themes.PenSixteen:
		if n >= 8 {
			return appendCode(b, base+60+n-8)
		}
		return appendCode(b, base+n)
	}
	return appendCode(b, base+9)
}

// appendCode appends a parameter and its separator.
func appendCode(b []byte, n int) []byte { return append(strconv.AppendInt(b, int64(n), 10), ';') }
