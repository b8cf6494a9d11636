package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestParse_RefusesWhatHasNoRoom(t *testing.T) {
	for line, ok := range map[string]bool{
		"": true, "-minutes 1 -rate 1": true, "-minutes 0": false, "-rate -1": false, "-nodes 10 -alive 550": true, "-nodes 10 -alive 551": false, "-nodes x": false,
	} {
		if _, err := parse(strings.Fields(line)); (err == nil) != ok {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestLevel_ReadsDebugPages(t *testing.T) {
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer secret":
			w.WriteHeader(http.StatusForbidden)
		case r.URL.Query().Get("gc") == "1":
			_, _ = io.WriteString(w, "heap profile: 1: 2\n# Alloc = 5\n# HeapAlloc = 1048576\n")
		}
	}))
	defer pages.Close()
	p := &watchedProgram{name: "it", pid: os.Getpid(), debug: pages.URL, token: "secret"}
	l := level{}
	if err := p.memory(t.Context(), &l); err != nil || l.live != 1<<20 || l.resident == 0 {
		t.Errorf("memory: %+v, %v", l, err)
	}
	p.token = ""
	if _, err := p.debugPage(t.Context(), "/debug/pprof/heap?gc=1&debug=1"); err == nil || !strings.Contains(err.Error(), "403 Forbidden") {
		t.Errorf("a page without an answer: %v", err)
	}
}

func TestLevel_CountsNoGoroutinesOfConnections(t *testing.T) {
	const profile = `goroutine profile: total 20
7 @ 0x1 0x2
# labels: {"a":"b"}
#	0x1	orrery/core/scheduler/engine.run+0x1	/engine/run.go:1

5 @ 0x3
#	0x3	net/http.(*persistConn).readLoop+0xd5	/net/http/transport.go:2325

4 @ 0x4
#	0x4	golang.org/x/net/http2.(*clientConnReadLoop).run+0xd5	/http2/transport.go:2325

4 @ 0x5
#	0x5	net/http.(*Server).Serve+0x1	/net/http/server.go:1

`
	if n, err := goroutines([]byte(profile)); n != 11 || err != nil {
		t.Errorf("%d goroutines of 11, %v", n, err)
	}
	if _, err := goroutines([]byte("no profile")); err == nil {
		t.Error("no profile has goroutines")
	}
}

func TestLevel_HoldsButForMemoryAndSockets(t *testing.T) {
	a := level{program: "a", live: 1, resident: 1, goroutines: 2, descriptors: 3, watches: 4}
	b := a
	b.live, b.resident, b.sockets = 9, 9, 9
	if !a.holds(b) {
		t.Error("memory or sockets make a difference")
	}
	for _, change := range []func(*level){func(l *level) { l.goroutines++ }, func(l *level) { l.descriptors++ }, func(l *level) { l.watches++ }} {
		c := a
		if change(&c); a.holds(c) {
			t.Errorf("%+v and %+v hold the same", a, c)
		}
	}
}
