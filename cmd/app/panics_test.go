//go:build unix

package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/tui/ptytest"
)

// A console shows the panics of plugins, goes on, and restores the terminal in the end.
func TestConsole_GoesOnAfterPanicsOfPlugins(t *testing.T) {
	stub := stubCluster(t)
	stub.news = nil
	for _, at := range plugintest.ExtensionPoints() {
		stub.objects = append(stub.objects, mk.Pod("bad-"+strings.ToLower(string(at))).UID(string(at)).CPU("10m").Obj())
	}
	dir := t.TempDir()
	c, _, err := (&plugintest.Fragile{}).Configured()
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s := ptytest.Start(t, ptytest.Options{
		Command: []string{"fragile", "console", "--kubeconfig", stub.start(dir), "--config", config, "--view", "plugins"}, Width: 160, Height: 50, Dir: dir,
	})
	s.AwaitText("plugin panics: plugin Fragile panicked at ")
	s.Type("q")
	if code, _ := s.Exit(); code != 0 {
		t.Errorf("the exit code is %d: %s", code, s.Text())
	}
	s.CheckRestored()
	if bytes.Contains(s.Output(), []byte("goroutine ")) {
		t.Errorf("a stack was printed:\n%s", s.Text())
	}
}
