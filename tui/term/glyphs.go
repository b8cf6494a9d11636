package term

import (
	"fmt"
	"strings"

	"orrery/core/safe/printable"
	"orrery/views/draw"
)

// glyphs returns the glyph set that was chosen, or else what the locale allows. Without a locale, as in most
// containers, it assumes a modern terminal.
func (e environment) glyphs(preference string) (draw.Glyphs, error) {
	switch preference {
	case "", "auto":
	case "braille":
		return draw.Braille, nil
	case "block":
		return draw.Block, nil
	case "ascii":
		return draw.ASCII, nil
	default:
		return 0, fmt.Errorf("--glyphs=%q: say auto, braille, block or ascii", printable.Line(preference, 40))
	}
	if e.get("TERM") == "linux" { // the console's font has a few hundred glyphs, and lacks these
		return draw.ASCII, nil
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		locale := strings.ToLower(e.get(name))
		switch {
		case locale == "":
			continue
		case strings.Contains(locale, "utf-8"), strings.Contains(locale, "utf8"):
			return draw.Braille, nil
		}
		return draw.ASCII, nil
	}
	return draw.Braille, nil
}
