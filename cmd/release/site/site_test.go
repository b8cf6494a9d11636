package site

import (
	"bytes"
	"encoding/json"
	"html"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// made is the site of this repository, in a folder of the test's.
func made(t *testing.T, versions ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, version := range versions {
		if err := (&Site{Source: os.DirFS("../../.."), Version: version}).Write(folder); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// files returns the files of a folder by path.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	in := os.DirFS(folder)
	err := fs.WalkDir(in, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(in, name)
		all[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	loads     = regexp.MustCompile(`(?:src|<link[^>]* href)="([^"]*)"|url\(([^)]*)\)|@import`)
	id        = regexp.MustCompile(` id="([^"]*)"`)
)

func TestLinks_LeadSomewhere(t *testing.T) {
	all := files(t, made(t, "v1.2.3"))
	pages := 0
	for name, text := range all {
		if path.Ext(name) != ".html" {
			continue
		}
		pages++
		for _, found := range reference.FindAllStringSubmatch(text, -1) {
			to, err := url.Parse(html.UnescapeString(found[1]))
			if err != nil || to.Scheme != "" {
				continue
			}
			file := name
			if to.Path != "" {
				file = path.Join(path.Dir(name), to.Path)
			}
			there, ok := all[file]
			if !ok {
				t.Errorf("%s links to %s, and there is no such file", name, found[1])
				continue
			}
			if to.Fragment == "" {
				continue
			}
			if !slices.ContainsFunc(id.FindAllStringSubmatch(there, -1), func(m []string) bool { return html.UnescapeString(m[1]) == to.Fragment }) {
				t.Errorf("%s links to %s, which has no such heading", name, found[1])
			}
		}
	}
	if pages < 60 {
		t.Errorf("there are only %d pages", pages)
	}
}

func TestPages_AskNoOtherHost(t *testing.T) {
	for name, text := range files(t, made(t, "v1.2.3")) {
		if name := path.Ext(name); name == ".svg" || strings.Contains(text, "fetch(") {
			if strings.Contains(text, "fetch(") {
				t.Errorf("%s fetches", name)
			}
			continue
		}
		if path.Base(name) == "search.js" { // the words of the documents
			continue
		}
		for _, found := range loads.FindAllString(text, -1) {
			if strings.Contains(found, "//") && !strings.Contains(found, "data:") {
				t.Errorf("%s loads %s", name, found)
			}
		}
	}
}

func TestSite_IsTheSameAgain(t *testing.T) {
	first, second := files(t, made(t, "v1.2.3")), files(t, made(t, "v1.2.3"))
	for name, text := range first {
		if second[name] != text {
			t.Errorf("%s differs", name)
		}
	}
	if len(first) != len(second) {
		t.Errorf("there are %d files, and then %d", len(first), len(second))
	}
}

func TestMenu_HasEveryCommandAndTask(t *testing.T) {
	all := files(t, made(t, "v1.2.3"))
	first := all["v1.2.3/index.html"]
	for _, want := range []string{"<summary>Watch</summary>", "<summary>Extend</summary>", `href="docs/screen.html"`, `href="docs/commands/orrery_explain.html"`, `href="CONTRIBUTING.html"`} {
		if !strings.Contains(first, want) {
			t.Errorf("the first page lacks %s", want)
		}
	}
}

func TestVersions_AreListedNewestFirst(t *testing.T) {
	all := files(t, made(t, "v1.2.3", "v1.10.0", "devel"))
	if got := all["versions.js"]; got != "window.orreryVersions = [\"v1.10.0\",\"v1.2.3\",\"devel\"];\n" {
		t.Errorf("the versions are %s", got)
	}
	if !strings.Contains(all["index.html"], `url=v1.10.0/index.html`) {
		t.Errorf("the top leads elsewhere: %s", all["index.html"])
	}
}

// chromium runs the browser on a page of the site, and returns the page once its scripts have run, and the addresses that were asked for.
func chromium(t *testing.T, address string) (page string, asked []string) {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium: what the pages do is not tried")
	}
	log := filepath.Join(t.TempDir(), "log.json")
	run := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--user-data-dir="+t.TempDir(), "--log-net-log="+log, "--virtual-time-budget=20000", "--dump-dom", address)
	var said bytes.Buffer
	run.Stderr = &said
	out, err := run.Output()
	if err != nil {
		t.Fatalf("chromium: %v: %s", err, said.String())
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var events struct {
		Constants struct{ LogEventTypes map[string]int }
		Events    []struct {
			Params struct{ URL, Initiator string }
		}
	}
	if err := json.Unmarshal(text, &events); err != nil || len(events.Constants.LogEventTypes) == 0 {
		t.Fatalf("chromium's log is not read: %v", err)
	}
	for _, e := range events.Events {
		// The browser asks its makers for things on its own; what a page that is a file asks for has the origin null.
		if strings.HasPrefix(e.Params.URL, "http") && e.Params.Initiator == "null" {
			asked = append(asked, e.Params.URL)
		}
	}
	return string(out), asked
}

func TestBrowser_FindsAndAsksNoOtherHost(t *testing.T) {
	at := "file://" + made(t, "v1.2.2", "v1.2.3") + "/v1.2.3/docs/running.html?q=PodTopologySpread"
	page, asked := chromium(t, at)
	results := regexp.MustCompile(`(?s)<ol id="results">(.*?)</ol>`).FindStringSubmatch(page)
	if results == nil || strings.Count(results[1], "<li>") < 3 || !strings.Contains(results[1], "PodTopologySpread") {
		t.Errorf("it finds %q", results)
	}
	if !strings.Contains(page, `<option value="v1.2.2">`) {
		t.Error("the other version is not offered")
	}
	if len(asked) > 0 {
		t.Errorf("it asks %q", asked)
	}
}

func TestBrowser_SaysWhenNothingIsFound(t *testing.T) {
	page, _ := chromium(t, "file://"+made(t, "v1.2.3")+"/v1.2.3/index.html?q=zzzzqqq")
	if !strings.Contains(page, "Nothing is found.") {
		t.Errorf("it says %.300s", page)
	}
}

// That requests are seen at all.
func TestBrowser_SeesWhatAPageAsksFor(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(`<img src="http://127.0.0.1:1/picture.png">`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, asked := chromium(t, "file://"+file); !slices.Contains(asked, "http://127.0.0.1:1/picture.png") {
		t.Errorf("only %q are seen", asked)
	}
}
