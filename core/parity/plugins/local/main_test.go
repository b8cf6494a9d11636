package local

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
)

func TestMain(m *testing.M) {
	flag.Parse()
	klog.SetLogger(logr.Discard())
	// kube-scheduler's nodes know what they declare only if the process has the gate; the plugins are told theirs.
	if err := utilfeature.DefaultMutableFeatureGate.Set("NodeDeclaredFeatures=true"); err != nil {
		panic(err)
	}
	setUnlessGiven("rapid.checks", "5000")
	setUnlessGiven("rapid.seed", strconv.FormatInt(time.Now().UnixNano()&0x7fffffff, 10))
	setUnlessGiven("rapid.nofailfile", "true") // the example is printed
	fmt.Printf("repeat with -rapid.seed=%s\n", flag.Lookup("rapid.seed").Value)
	code := m.Run()
	if testing.Verbose() {
		printReached()
	}
	os.Exit(code)
}

func setUnlessGiven(name, value string) {
	f := flag.Lookup(name)
	if f.Value.String() != f.DefValue {
		return
	}
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
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
