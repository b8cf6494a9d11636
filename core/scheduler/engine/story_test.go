package engine_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/core/scheduler/release"
	"orrery/core/world"
)

var update = flag.Bool("update", false, "rewrite the stories in testdata")

// The stories in testdata follow pods through the scheduler: commands, each followed by its indented output. The commands are
// documented in storyRun.command and storyRun.inspect.
//
// After "fork", every command also runs on a fork of the engine, which must have the same output.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runStory(t, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the output differs (-story +now); run with -update if that is right:\n%s", diff)
			}
		})
	}
}

// runStory runs a story, and returns it with its output.
func runStory(t *testing.T, story string) string {
	s := &storyRun{t: t, now: start, objects: map[string]world.Object{}}
	var out strings.Builder
	for line := range strings.Lines(story) {
		if strings.HasPrefix(line, "  ") {
			continue
		}
		out.WriteString(line)
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			for _, log := range s.runLine(words[0], words[1:]) {
				fmt.Fprintf(&out, "  %s\n", log)
			}
		}
		if t.Failed() {
			t.Fatalf("after %q", strings.TrimSpace(line))
		}
	}
	return out.String()
}

// storyRun is a running story: the cluster's objects, and the engine with its forks.
type storyRun struct {
	t         *testing.T
	plugins   []*pluginSpec
	without   string   // plugins, as a list in YAML
	others    []string // scheduler names besides the default one
	gates     map[string]bool
	release   release.Release
	extenders string // as a list in YAML
	now       time.Time
	version   int
	objects   map[string]world.Object // by name
	players   []*player
	building  *player // the player that new plugins belong to
	restores  bool    // every command is run on a restored engine, too
	restored  int     // how many were
}

// runLine runs one command on every player, and returns the first one's output.
func (s *storyRun) runLine(verb string, args []string) []string {
	switch verb {
	case "plugin": // plugin <name> <points>: a plugin at these extension points, of every profile
		s.plugins = append(s.plugins, &pluginSpec{name: args[0], points: args[1:], answers: map[string][]string{}})
		return nil
	case "without": // without <plugins>: in all profiles, these default plugins are disabled
		for _, name := range args {
			s.without += fmt.Sprintf("{name: %s},", name)
		}
		return nil
	case "profile": // profile <name>: one more profile, of that scheduler name
		s.others = append(s.others, args[0])
		return nil
	case "extender": // extender <name> <verbs> <key=value>...: the configuration has this extender, of the address http://<name>
		s.addExtender(args)
		return nil
	case "gates": // gates <gates>: these feature gates are on
		s.gates = map[string]bool{}
		for _, name := range args {
			s.gates[name] = true
		}
		return nil
	case "kubernetes": // kubernetes <release>: the engine decides as this release
		r, err := release.Parse(args[0])
		if err != nil {
			s.t.Fatal(err)
		}
		s.release = r
		return nil
	case "answer": // answer <plugin> <point> <result>: the plugin's result from now on
		s.plugin(args[0]).answers[args[1]] = args[2:]
		return nil
	case "fork":
		s.fork()
		return nil
	}
	if len(s.players) == 0 {
		s.open()
	}
	action := s.command(verb, args)
	if s.restores {
		if p := s.restoredPlayer(); p != nil {
			defer func() {
				s.building = p
				action(p)
				p.collect()
				s.compareRestored(p)
			}()
		}
	}
	for _, p := range s.players {
		s.building = p
		p.log = nil
		action(p)
		p.collect()
		if err := p.Check(); err != nil {
			s.t.Errorf("check: %v", err)
		}
	}
	first := s.players[0]
	for i, p := range s.players[1:] {
		if !slices.Equal(p.log, first.log) || p.Digest() != first.Digest() {
			s.t.Errorf("the output of fork %d differs (-engine +fork):\n%s", i+1, cmp.Diff(first.log, p.log))
		}
	}
	return first.log
}
