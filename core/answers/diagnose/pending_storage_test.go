package diagnose_test

import (
	"fmt"
	"slices"
	"testing"

	"orrery/core/answers/diagnose"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// A fix of storage is one change, however many pods wait for it; a claim's class is of that claim alone.
func TestPending_FixOfStorage(t *testing.T) {
	replica := func(name string) []world.Object {
		return []world.Object{
			mk.Claim("data-" + name).Class("fast").Size("10Gi").Obj(),
			mk.Pod(name).Owner("apps/v1", "StatefulSet", "db").CPU("1").PVC("data-" + name).Obj(),
		}
	}
	for _, tt := range []struct {
		name    string
		class   *mk.ClassBuilder
		objects []world.Object
		want    string
	}{
		{
			"room for both", mk.Class("fast", "csi.example.com").WaitForFirstConsumer(),
			[]world.Object{mk.CSIDriver("csi.example.com"), mk.StorageCapacity("c", "fast", "1Gi", "kubernetes.io/hostname", "a")},
			"have 10Gi of storage of class fast places 2",
		},
		{
			"a class for one", mk.Class("fast", "kubernetes.io/no-provisioner"),
			[]world.Object{mk.Class("quick", "csi.example.com").Obj()},
			"recreate claim data-db-0 with storageClassName quick places 1",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			objects := append([]world.Object{node("a", "4").Obj(), tt.class.Obj()}, tt.objects...)
			e := engineWith(t, slices.Concat(objects, replica("db-0"), replica("db-1"))...)
			groups, err := diagnose.Pending(e, func(*diagnose.Group) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			if len(groups) != 1 || groups[0].Fix == nil {
				t.Fatalf("got %d groups, the first without a fix", len(groups))
			}
			if got := fmt.Sprintf("%s places %d", groups[0].Fix.Text, groups[0].Places); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
