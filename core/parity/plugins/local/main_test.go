package local

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"

	"orrery/core/parity/asked"
)

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	// kube-scheduler's nodes know what they declare only if the process has the gate; the plugins are told theirs.
	if err := utilfeature.DefaultMutableFeatureGate.Set("NodeDeclaredFeatures=true"); err != nil {
		panic(err)
	}
	asked.Rapid(5000)
	code := m.Run()
	if testing.Verbose() {
		printReached()
	}
	os.Exit(code)
}

// reached counts which answers the checks have come across, so that one can see what they cover.
var reached = map[string]int{}

func count(words ...string) {
	key := ""
	for _, word := range words {
		key += word + " "
	}
	reached[key]++
}

func printReached() {
	var keys []string
	for key := range reached {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		fmt.Printf("%8d  %s\n", reached[key], key)
	}
}
