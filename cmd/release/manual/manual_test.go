package manual

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestPages_OfEveryCommand(t *testing.T) {
	pages, err := Pages(os.DirFS("../../.."), "v1.2.3", time.Unix(1_700_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, p := range pages {
		found[p.Name] = string(p.Content)
		if !strings.Contains(string(p.Content), ".TH ORRERY") || !strings.Contains(string(p.Content), ".SH NAME") {
			t.Errorf("%s is no manual page: %.200s", p.Name, p.Content)
		}
	}
	for _, name := range []string{"orrery.1", "orrery-explain.1", "orrery-trace-cut.1"} {
		if found[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	if len(pages) < 20 {
		t.Errorf("there are only %d", len(pages))
	}
	man, err := exec.LookPath("man")
	if err != nil {
		t.Skip("there is no man: how it reads the pages is not checked")
	}
	for name, page := range found {
		show := exec.Command(man, "--local-file", "--warnings=w", "-")
		show.Stdin, show.Env = strings.NewReader(page), append(os.Environ(), "MANWIDTH=100", "LC_ALL=C.UTF-8")
		var said strings.Builder
		show.Stderr = &said
		out, err := show.Output()
		if err != nil || said.Len() > 0 || !strings.Contains(string(out), "NAME") {
			t.Errorf("man reads %s as %.300s: %v %s", name, out, err, said.String())
		}
	}
}

func TestPages_TakeNothingElse(t *testing.T) {
	for name, source := range map[string]fstest.MapFS{"none": {}, "another": {Folder + "/a.md": {Data: []byte("# Notes\n")}}} {
		if pages, err := Pages(source, "v1", time.Time{}); err == nil {
			t.Errorf("%s: it made %v", name, pages)
		}
	}
}
