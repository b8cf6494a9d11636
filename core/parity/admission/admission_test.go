package admission

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/kubernetes/pkg/kubeapiserver/options"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/world"
	"orrery/core/world/admission"
)

// cluster are the objects that Orrery's plugins read.
type cluster []world.Object

func (c cluster) Get(kind world.Kind, namespace, name string) (world.Object, error) {
	for _, o := range c {
		if world.KindOf(o) == kind && o.GetNamespace() == namespace && o.GetName() == name {
			return o, nil
		}
	}
	return nil, apierrors.NewNotFound(kind.Resource().GroupResource(), name)
}

func (c cluster) List(kind world.Kind) []world.Object {
	var list []world.Object
	for _, o := range c {
		if world.KindOf(o) == kind {
			list = append(list, o)
		}
	}
	return list
}

func (cluster) Now() time.Time { return time.Time{} }

// only is a chain of one plugin.
func only(name string) admission.Chain {
	return admission.New(admission.Options{
		Enable: []string{name}, Disable: slices.DeleteFunc(admission.Names(), func(other string) bool { return other == name }),
		DeclaredFeatures: true,
	})
}

// TestPlugins_SameDecisions compares what each plugin does with an object: what it leaves, or what it says.
// Shows CONF-12 and CONF-15.
func TestPlugins_SameDecisions(t *testing.T) {
	s := newServer(t)
	for _, name := range admission.Names() {
		if name == "ResourceQuota" {
			continue // see quota_test.go
		}
		t.Run(name, func(t *testing.T) {
			chain := only(name)
			changed, texts := 0, map[string]bool{}
			difftest.Check(t, comparisons.Admission.Cases, func(r *difftest.Source) {
				objects := drawCluster(r)
				q := drawRequest(r)
				s.hold(r, objects)
				want, theirs := s.admit(r, name, q)
				before := q.Object.DeepCopyObject()
				ours := chain.Admit(cluster(objects), q)
				if ours == nil {
					ours = chain.Validate(cluster(objects), q)
				}
				if diff := cmp.Diff(text(theirs), text(ours)); diff != "" {
					r.Fatalf("the errors differ (-upstream +orrery):\n%s\nrequest: %s\nobjects: %s", diff, difftest.JSON(q), difftest.JSON(objects))
				}
				if theirs != nil {
					texts[text(theirs)] = true
					return
				}
				if !equality.Semantic.DeepEqual(want, q.Object) {
					r.Fatalf("the objects differ (-upstream +orrery):\n%s\nobjects: %s", cmp.Diff(want, q.Object), difftest.JSON(objects))
				}
				if !equality.Semantic.DeepEqual(before, q.Object) {
					changed++
				}
			})
			t.Logf("%d objects changed, %d different texts", changed, len(texts))
			if changed == 0 && len(texts) == 0 {
				t.Error("the plugin had nothing to do")
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return string(apierrors.ReasonForError(err)) + " " + err.Error()
}

// TestPlugins_SameDefaults compares which plugins are on by default.
// Shows CONF-15.
func TestPlugins_SameDefaults(t *testing.T) {
	off := options.DefaultOffAdmissionPlugins()
	for _, name := range admission.Names() {
		if admission.OnByDefault(name) == off.Has(name) {
			t.Errorf("%s is on by default: %t, with upstream %t", name, admission.OnByDefault(name), !off.Has(name))
		}
	}
	order := slices.DeleteFunc(slices.Clone(options.AllOrderedPlugins), func(name string) bool { return !slices.Contains(admission.Names(), name) })
	if diff := cmp.Diff(order, admission.Names()); diff != "" {
		t.Errorf("the order (-upstream +orrery):\n%s", diff)
	}
}
