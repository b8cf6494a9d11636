package volumebinding

import (
	"reflect"
	"testing"

	"orrery/core/testing/codectest"
)

func TestReserved_EveryFieldIsCoded(t *testing.T) {
	codectest.CheckFields(t, `
volumebinding.reserved
  coded    volumes claims written deadline
volumebinding.volumeWrite
  coded    stored assumed claim
volumebinding.claimWrite
  coded    chosen assumed
`, reflect.TypeFor[reserved]())
}
