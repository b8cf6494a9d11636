package draw

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orrery/themes"
)

// TestAnimation_WriteFramesNamesEveryLayer checks that the groups of a picture of frames have the classes of the frames that their layers are shown in.
func TestAnimation_WriteFramesNamesEveryLayer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Animation{Frames: drawFrames(t)}
		var b strings.Builder
		if err := m.WriteFrames(&b, themes.Shipped()[0]); err != nil {
			t.Fatal(err)
		}
		var got, want []string
		d := xml.NewDecoder(strings.NewReader(b.String()))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if start, is := token.(xml.StartElement); is && start.Name.Local == "g" && start.Attr[0].Name.Local == "class" {
				got = append(got, start.Attr[0].Value)
			}
		}
		shapes := newSVGWriter(themes.Shipped()[0])
		for _, l := range m.layers() {
			if l.always() || shapes.layer(l.canvas) == "" {
				continue
			}
			var classes []string
			for i, shown := range l.frames {
				if shown {
					classes = append(classes, "f"+string(rune('0'+i)))
				}
			}
			want = append(want, strings.Join(classes, " "))
		}
		if strings.Join(got, ",") != strings.Join(want, ",") {
			t.Fatalf("the layers have the classes %q, want %q", got, want)
		}
	})
}
