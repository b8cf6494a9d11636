package main

import (
	"strings"
	"testing"
)

const events = `{"Action":"start","Package":"orrery/a"}
{"Action":"run","Package":"orrery/a","Test":"TestOne"}
{"Action":"output","Package":"orrery/a","Test":"TestOne","Output":"fine\n"}
{"Action":"pass","Package":"orrery/a","Test":"TestOne","Elapsed":1}
{"Action":"pass","Package":"orrery/a","Elapsed":1.5}
{"Action":"start","Package":"orrery/none"}
{"Action":"skip","Package":"orrery/none","Elapsed":0}
{"Action":"start","Package":"orrery/b"}
{"Action":"run","Package":"orrery/b","Test":"TestTwo"}
{"Action":"output","Package":"orrery/b","Test":"TestTwo","Output":"wrong\n"}
`

func TestReport_PrintsOutputOfFailures(t *testing.T) {
	var b strings.Builder
	r := newReport(&b)
	r.follow(strings.NewReader(events), "")
	if now := r.now(); !strings.HasSuffix(now, "1 packages passed, 0 failed; running b TestTwo") {
		t.Errorf("progress line: %q", now)
	}
	r.follow(strings.NewReader(`{"Action":"fail","Package":"orrery/b","Test":"TestTwo"}`+"\n"+`{"Action":"fail","Package":"orrery/b","Elapsed":2}`), "")
	if r.end(nil) {
		t.Error("end reported success although a package failed")
	}
	for text, want := range map[string]bool{"wrong\n": true, "FAIL  orrery/b": true, "ok    orrery/a": true, "fine": false, "none": false} {
		if strings.Contains(b.String(), text) != want {
			t.Errorf("%q is printed: %t, want %t:\n%s", text, !want, want, b.String())
		}
	}
}

func TestReport_NamesHalves(t *testing.T) {
	var b strings.Builder
	r := newReport(&b)
	for _, half := range []string{"-run=^Test[A-F]", "-skip=^Test[A-F]"} {
		r.follow(strings.NewReader(`{"Action":"start","Package":"orrery/a"}`), half)
	}
	r.follow(strings.NewReader(`{"Action":"pass","Package":"orrery/a","Elapsed":1.5}`), "-run=^Test[A-F]")
	if now := r.now(); !strings.HasSuffix(now, "1 packages passed, 0 failed; running a -skip=^Test[A-F]") {
		t.Errorf("progress line: %q", now)
	}
	if !strings.Contains(b.String(), "ok    orrery/a -run=^Test[A-F] ") {
		t.Errorf("the half is not named:\n%s", b.String())
	}
}
