//go:build unix

package app_test

import (
	"strings"
	"testing"

	"orrery/tui/ptytest"
)

func TestOrrery_AloneOffersWhatToBeginWith(t *testing.T) {
	s := ptytest.Start(t, ptytest.Options{Command: []string{"orrery"}, Env: []string{"KUBECONFIG=none"}, Width: 80, Height: 24, Dir: t.TempDir()})
	s.AwaitText("A scheduler at work over three zones")
	s.AwaitText("There is no kubeconfig")
	s.Type("2") // which cannot be taken
	s.Type("3")
	if code, _ := s.Exit(); code != 0 {
		t.Errorf("the exit code is %d: %s", code, s.Text())
	}
	s.CheckRestored()
	if !strings.Contains(string(s.Output()), "tells more about a command") {
		t.Errorf("it does not print the help:\n%s", s.Output())
	}
}
