package draw

import (
	"io"
	"strconv"
	"strings"

	"orrery/themes"
)

// WriteFrames writes the frames as one picture for a page that shows one of them. What never changes is drawn once; the other layers have the
// classes of the frames in which they are shown, f0, f1 and so on, and the page has to hide all but one of these. Every is not used.
func (m *Animation) WriteFrames(w io.Writer, t *themes.Theme) error {
	return m.write(w, t, func(frames []bool) string {
		var classes []string
		for i, shown := range frames {
			if shown {
				classes = append(classes, "f"+strconv.Itoa(i))
			}
		}
		return `<g class="` + strings.Join(classes, " ") + "\">\n"
	})
}
