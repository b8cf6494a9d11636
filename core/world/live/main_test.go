package live_test

import (
	"os"
	"testing"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// Client-go says a lot about connections that break, which here they do all the time.
func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	// They slow down errors that follow each other by less than a millisecond. The last one's time is a global variable:
	// it may be in another test's virtual time, years or minutes after this one's, and that long a reflector would sleep.
	utilruntime.ErrorHandlers = nil
	os.Exit(m.Run())
}
