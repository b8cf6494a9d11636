package term

import (
	"fmt"
	"strings"

	"orrery/views/draw"
)

// glyphs is the rung of the ladder that was wished for, or else what the locale allows. A locale that is not set says
// nothing, as in most containers, and then the terminal is taken to be of this century.
func (e environment) glyphs(wish string) (draw.Glyphs, error) {
	switch wish {
	case "", "auto":
	case "braille":
		return draw.Braille, nil
	case "block":
		return draw.Block, nil
	case "ascii":
		return draw.ASCII, nil
	default:
		return 0, fmt.Errorf("--glyphs=%.40q: say auto, braille, block or ascii", wish)
	}
	if e.get("TERM") == "linux" { // the console's font has a few hundred signs, and not these
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
