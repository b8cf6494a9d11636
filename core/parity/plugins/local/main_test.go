package local

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"orrery/core/parity/difftest"
)

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	code := m.Run()
	if testing.Verbose() {
		fmt.Printf("reached: %s\n", reached)
	}
	os.Exit(code)
}

// reached counts the situations that the cases reached.
var reached = difftest.Coverage{}

func count(words ...string) { reached[strings.Join(words, " ")]++ }
