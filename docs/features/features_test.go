package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

func TestDocument_UpToDate(t *testing.T) {
	want, err := document(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(written.Path(root)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the rows and the tests say: make docs writes it anew", written.Path(root))
	}
}

func TestRowsIn(t *testing.T) {
	for text, want := range map[string][]string{
		"A claim is shared. Shows DRA-07.":      {"DRA-07"},
		"Shows DRA-07, DRA-10 and C-15.":        {"DRA-07", "DRA-10", "C-15"},
		"# Shows DRA-07,\n# DRA-10. Bob waits.": {"DRA-07", "DRA-10"},
		"Shows one thing. Shows TAINT-05.":      {"TAINT-05"},
		"DRA-07 is not shown here":              nil,
	} {
		if diff := cmp.Diff(want, rowsIn(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestCheck(t *testing.T) {
	areas := []area{{rows: []row{{name: "A-1"}, {name: "A-2", reason: "other"}, {name: "A-3", reason: "other"}, {name: "A-4"}, {name: "A-4"}}}}
	err := check(areas, map[string][]string{"A-3": {"TestX"}, "A-4": {"TestX"}, "B-9": {"TestY"}})
	want := `TestY shows B-9, which is no row
row A-1 needs a test that shows it, or else a reason why it is not ours
row A-3 needs a test that shows it, or else a reason why it is not ours
there are two rows A-4`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestParseArea_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"Title\nA-1":               `line "A-1": want NAME | what holds | why it is not ours`,
		"Title\nA-1 | a | b | c\n": "row A-1 has 4 cells, want two or three",
	} {
		if _, err := parseArea(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// A row's text, or what is asked for, changes: the row has to say so.
func TestCompareWording_RewordedRowSaysSo(t *testing.T) {
	asked := map[string]string{"A-1": "may not fail, and is idempotent"}
	compared := map[string]string{"A-1": wordingDigest(asked["A-1"], "cannot fail, twice or once")}
	for name, tc := range map[string]struct {
		row             row
		asked, compared map[string]string
		want            string // part of the error
	}{
		"as compared":               {row{name: "A-1", holds: "cannot fail, twice or once"}, asked, compared, ""},
		"another text":              {row{name: "A-1", holds: "cannot fail"}, asked, compared, "row A-1 is not as it was compared"},
		"something else is asked":   {row{name: "A-1", holds: "cannot fail, twice or once"}, map[string]string{"A-1": "may fail"}, compared, "row A-1 is not as it was compared"},
		"another text that says so": {row{name: "A-1", holds: "cannot fail", reworded: "idempotent"}, asked, nil, ""},
		"reworded and compared":     {row{name: "A-1", holds: "cannot fail", reworded: "idempotent"}, asked, compared, "delete it there"},
		"nobody asked":              {row{name: "A-2", holds: "more"}, asked, nil, "row A-2 is not in asked.txt"},
		"a row is missing":          {row{name: "A-1", holds: "x", reworded: "y"}, map[string]string{"A-1": "x", "A-2": "y"}, nil, "asked.txt has 2 rows, and there are 1"},
	} {
		err := compareWording([]area{{rows: []row{tc.row}}}, tc.asked, tc.compared)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
}

func TestRow_WritesWhatWasAskedFor(t *testing.T) {
	a, err := parseArea("Title\nA-1 | cannot fail | reworded: that it is idempotent")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a.write(&out, map[string][]string{"A-1": {"TestX"}})
	if want := "| A-1 | cannot fail<br>*Asked for: that it is idempotent* | TestX |"; !strings.Contains(out.String(), want) {
		t.Errorf("got %s, want %s in it", out.String(), want)
	}
}
