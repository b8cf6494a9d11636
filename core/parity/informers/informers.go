// Package informers has the informer factory of package oracle/informers, whose objects change as those of Orrery's world do.
package informers

import (
	"k8s.io/apimachinery/pkg/runtime"

	"orrery/core/parity/oracle/informers"
	"orrery/core/world"
)

// Factory is the informer factory.
type Factory struct{ *informers.Factory }

// New returns a factory without objects. Lists of these types are in the order of names.
func New(ordered ...runtime.Object) *Factory { return &Factory{informers.New(ordered...)} }

// Apply applies a change of an object if its type has an informer. It panics on an impossible change, such as the deletion
// of a missing object.
func (f *Factory) Apply(op world.Op, object world.Object) {
	switch op {
	case world.Added:
		f.Add(object)
	case world.Modified:
		f.Update(object)
	case world.Deleted:
		f.Remove(object)
	}
}
