package dynamicresources

import (
	"reflect"
	"testing"

	"orrery/core/testing/codectest"
)

func TestReserved_EveryFieldIsCoded(t *testing.T) {
	codectest.CheckFields(t, `
dynamicresources.reserved
  coded    claims mappings writes written deadline
dynamicresources.reservation
  coded    claim allocation inFlight asked created implicit
dynamicresources.write
  coded    claim what
`, reflect.TypeFor[reserved]())
}
