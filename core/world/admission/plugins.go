package admission

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/world"
)

// Reader reads the objects of a cluster. They are shared and must not be changed.
type Reader interface {
	// Get returns an object, or an API error.
	Get(kind world.Kind, namespace, name string) (world.Object, error)
	// List returns every object of a kind, by namespace and name.
	List(kind world.Kind) []world.Object
	Now() time.Time
}

// Request is a wish to store an object.
type Request struct {
	Object world.Object
	// Old is the stored object that is to be changed, nil for a new one.
	Old world.Object
	// Subresource is that of a change, such as resize; empty for the object itself.
	Subresource string
	// Resource is the object's.
	Resource schema.GroupVersionResource
	// Charged are quotas with what the object will use of them, which are to be stored with it.
	Charged []*v1.ResourceQuota
}

// plugin is an admission plugin.
type plugin struct {
	name string
	on   bool // by default
	// admit changes or refuses an object before it is valid, validate refuses it afterwards. Either may be nil.
	admit, validate func(Reader, *Request) error
}

// plugins are the plugins in the API server's order.
func plugins() []plugin {
	return []plugin{
		{name: "LimitRanger", on: true, admit: defaultFromLimitRanges, validate: withinLimitRanges},
		{name: "TaintNodesByCondition", on: true, admit: taintNewNode},
		{name: "Priority", on: true, admit: resolvePriority, validate: oneDefaultClass},
		{name: "DefaultTolerationSeconds", on: true, admit: tolerateNodeProblems},
		{name: "ExtendedResourceToleration", admit: tolerateExtendedResources},
		{name: "RuntimeClass", on: true, admit: mergeRuntimeClass, validate: checkOverhead},
		{name: "NodeDeclaredFeatureValidator", on: true, validate: needsDeclaredFeatures},
		{name: "ResourceQuota", on: true, validate: withinQuotas},
	}
}

// Options switch plugins on and off.
type Options struct {
	// Enable and Disable are names of plugins.
	Enable, Disable []string
	// DeclaredFeatures is the feature gate NodeDeclaredFeatures, without which NodeDeclaredFeatureValidator does nothing.
	DeclaredFeatures bool
}

// Chain are the plugins that are on. The zero value has none.
type Chain struct{ plugins []plugin }

// New returns the plugins that are on by default, as the options change them.
func New(o Options) Chain {
	var c Chain
	for _, p := range plugins() {
		on := (p.on || slices.Contains(o.Enable, p.name)) && !slices.Contains(o.Disable, p.name)
		if on && (p.name != "NodeDeclaredFeatureValidator" || o.DeclaredFeatures) {
			c.plugins = append(c.plugins, p)
		}
	}
	return c
}

// Check returns an error for a name that no plugin has, or that is enabled and disabled.
func (o Options) Check() error {
	for _, name := range slices.Concat(o.Enable, o.Disable) {
		if !slices.Contains(Names(), name) {
			return fmt.Errorf("there is no admission plugin %q; there are %s", name, strings.Join(Names(), ", "))
		}
		if slices.Contains(o.Enable, name) && slices.Contains(o.Disable, name) {
			return fmt.Errorf("the admission plugin %q is enabled and disabled", name)
		}
	}
	return nil
}

// Names are the names of all plugins.
func Names() []string {
	var names []string
	for _, p := range plugins() {
		names = append(names, p.name)
	}
	return names
}

// OnByDefault reports whether a plugin is on unless it is switched off.
func OnByDefault(name string) bool {
	return slices.ContainsFunc(plugins(), func(p plugin) bool { return p.name == name && p.on })
}

// Admit lets the plugins change an object that is new or changed, in their order.
func (c Chain) Admit(r Reader, q *Request) error {
	for _, p := range c.plugins {
		if p.admit != nil {
			if err := p.admit(r, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// Validate asks the plugins whether a valid object may be stored.
func (c Chain) Validate(r Reader, q *Request) error {
	for _, p := range c.plugins {
		if p.validate != nil {
			if err := p.validate(r, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// forbidden is the API error of a refusal.
func (q *Request) forbidden(format string, args ...any) error {
	return apierrors.NewForbidden(q.Resource.GroupResource(), q.Object.GetName(), fmt.Errorf(format, args...))
}

// pod returns the pod of a request for the pod itself, nil for another one.
func (q *Request) pod() *v1.Pod {
	if pod, is := q.Object.(*v1.Pod); is && q.Subresource == "" {
		return pod
	}
	return nil
}

// newPod is pod for one that is new.
func (q *Request) newPod() *v1.Pod {
	if q.Old != nil {
		return nil
	}
	return q.pod()
}
