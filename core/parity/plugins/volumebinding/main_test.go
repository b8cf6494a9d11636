package volumebinding

import (
	"os"
	"testing"

	"orrery/core/parity/difftest"
)

func TestMain(m *testing.M) {
	difftest.PrepareSynctest()
	os.Exit(m.Run())
}
