package local

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"

	"orrery/core/parity/difftest"
)

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	// kube-scheduler's nodes know what they declare only if the process has the gate; the plugins are told theirs.
	if err := utilfeature.DefaultMutableFeatureGate.Set("NodeDeclaredFeatures=true"); err != nil {
		panic(err)
	}
	code := m.Run()
	if testing.Verbose() {
		fmt.Printf("reached: %s\n", reached)
	}
	os.Exit(code)
}

// reached counts which answers the checks reached.
var reached = difftest.Coverage{}

func count(words ...string) { reached[strings.Join(words, " ")]++ }
