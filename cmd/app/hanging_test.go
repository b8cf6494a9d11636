package app

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/scheduler/framework"
)

// silent returns the address of a server that accepts connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return "http://" + listener.Addr().String()
}

// --request-timeout says how long any answer may take: there is no need to wait for the default.
func TestCommands_GiveHangingServerUp(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	server := silent(t)
	for _, args := range []string{"explain web-0", "whatif drain node-1", "record --for 1s --out never.orrery"} {
		t.Run(args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			c := command(framework.Registry{})
			c.SetArgs(append(strings.Fields(args), "--request-timeout=50ms", "--server", server))
			if err := c.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "the API server does not answer in time, for which --request-timeout gives it more or less: ") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// Without the flag, questions are given up after a while and watches are not.
func TestConnection_TimesQuestionsOut(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	for flag, want := range map[string]struct{ asks, watches, first time.Duration }{
		"":                     {answerTimeout, 0, answerTimeout},
		"--request-timeout=2m": {2 * time.Minute, 2 * time.Minute, 0},
		"--request-timeout=0":  {0, 0, 0},
	} {
		var n connection
		c := &cobra.Command{}
		n.addFlags(c, false)
		if err := c.ParseFlags(append(strings.Fields(flag), "--server=http://127.0.0.1:1")); err != nil {
			t.Fatal(err)
		}
		for timeout, want := range map[time.Duration]time.Duration{answerTimeout: want.asks, 0: want.watches} {
			cluster, err := n.open(c, timeout)
			if err != nil {
				t.Fatal(err)
			}
			if cluster.config.Timeout != want {
				t.Errorf("%s: the timeout is %s instead of %s, want %s", flag, cluster.config.Timeout, timeout, want)
			}
		}
		ctx, cancel := n.answerContext(context.Background(), c)
		if _, limited := ctx.Deadline(); limited != (want.first > 0) {
			t.Errorf("%s: the first questions have a deadline: %v", flag, limited)
		}
		cancel()
	}
}
