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

	"orrery/core/world"
)

var update = flag.Bool("update", false, "rewrite the stories in testdata")

// The stories in testdata tell how pods travel: commands, each followed, indented, by what came of it. The commands are
// explained where they are carried out, in stage.command and what it calls.
//
// After "fork", everything happens to a copy of the engine as well, and the copy must do the same.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no stories: %v", err)
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
				t.Errorf("the engine did something else (-story +now); run with -update if that is right:\n%s", diff)
			}
		})
	}
}

// runStory plays a story, and returns it with what came of it this time.
func runStory(t *testing.T, story string) string {
	s := &storyRun{t: t, now: start, objects: map[string]world.Object{}}
	var out strings.Builder
	for line := range strings.Lines(story) {
		if strings.HasPrefix(line, "  ") {
			continue
		}
		out.WriteString(line)
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			for _, said := range s.runLine(words[0], words[1:]) {
				fmt.Fprintf(&out, "  %s\n", said)
			}
		}
		if t.Failed() {
			t.Fatalf("that was after %q", strings.TrimSpace(line))
		}
	}
	return out.String()
}

// storyRun is where a story is played: the objects as the cluster has them, and the engine with its copies.
type storyRun struct {
	t       *testing.T
	plugins []*pluginSpec
	without string   // plugins, as a list in YAML
	others  []string // scheduler names besides the default one
	now     time.Time
	version int
	objects map[string]world.Object // by name
	players []*player
	casting *player // whom plugins made now belong to
}

// runLine carries out one command on every player, and returns what the first of them said.
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
	case "answer": // answer <plugin> <point> <answer>: what the plugin says there from now on
		s.plugin(args[0]).answers[args[1]] = args[2:]
		return nil
	case "fork":
		s.fork()
		return nil
	}
	if len(s.players) == 0 {
		s.open()
	}
	act := s.command(verb, args)
	for _, p := range s.players {
		s.casting = p
		p.said = nil
		act(p)
		p.collect()
		if err := p.Check(); err != nil {
			s.t.Errorf("check: %v", err)
		}
	}
	first := s.players[0]
	for i, p := range s.players[1:] {
		if !slices.Equal(p.said, first.said) || p.Digest() != first.Digest() {
			s.t.Errorf("copy %d says something else (-engine +copy):\n%s", i+1, cmp.Diff(first.said, p.said))
		}
	}
	return first.said
}
