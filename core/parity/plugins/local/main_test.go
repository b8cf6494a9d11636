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
	// kube-scheduler's NodeInfos have declared features only with the process-wide gate; the plugins get their gates as arguments.
	if err := utilfeature.DefaultMutableFeatureGate.Set("NodeDeclaredFeatures=true"); err != nil {
		panic(err)
	}
	code := m.Run()
	if testing.Verbose() {
		fmt.Printf("reached: %s\n", reached)
	}
	os.Exit(code)
}

// reached counts the situations that the cases reached.
var reached = difftest.Coverage{}

func count(words ...string) { reached[strings.Join(words, " ")]++ }
