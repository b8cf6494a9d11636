//go:build unix

package app_test

import (
	"testing"

	"orrery/tui/ptytest"
)

// TestConsole_ListOnTerminal opens a list on a terminal with a cluster that refuses, goes into another, and comes back.
func TestConsole_ListOnTerminal(t *testing.T) {
	s := ptytest.Start(t, ptytest.Options{
		Command: []string{"orrery", "console", "--kubeconfig", canaryCluster(t).start(t.TempDir()), "--context", "stub,down,west"}, Width: 160, Height: 40, Dir: t.TempDir(),
	})
	s.AwaitText("3 clusters")
	s.AwaitText("1 of 3 clusters unreachable: down for")
	s.AwaitText("trouble     stub")
	s.Type("\r")
	s.AwaitText("2 Queue")
	s.Type("\x1b")
	s.AwaitText("watching 3 clusters")
	s.Type("q")
	s.Exit()
}
