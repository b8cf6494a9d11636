package cycle

import (
	"context"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	upplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	uplimits "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	upvolumebinding "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	uprestrictions "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumerestrictions"
	upzone "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumezone"
	upruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"orrery/core/parity/assumed"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/hosted"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/plugins/volumerestrictions"
	"orrery/core/scheduler/plugins/volumezone"
	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// hosting says whose plugins a scheduler runs.
type hosting uint8

const (
	ownPlugins   hosting = iota
	hostedThere          // kube-scheduler runs Orrery's
	hostedHere           // Orrery runs kube-scheduler's
	hostedWholly         // Orrery runs kube-scheduler's, and all its other plugins too
)

func (h hosting) String() string {
	return [...]string{"each its own", "Orrery's in kube-scheduler", "kube-scheduler's in Orrery", "all of kube-scheduler's in Orrery"}[h]
}

// moves reports whether a plugin is in the place of the other scheduler's.
func (h hosting) moves(plugin string) bool {
	return h == hostedWholly || slices.Contains(volumePlugins, plugin)
}

// bindsHere reports whether Orrery runs kube-scheduler's VolumeBinding.
func (h hosting) bindsHere() bool { return h == hostedHere || h == hostedWholly }

func (h hosting) compare(t *testing.T, c *clusterCase, seen difftest.Coverage) string {
	return compareHosting(t, c, h, seen)
}

func TestScheduler_HostsVolumePlugins(t *testing.T) {
	for _, h := range []hosting{hostedThere, hostedHere} {
		t.Run(h.String(), func(t *testing.T) {
			compareCases(t, comparisons.Hosting.Cases, func(t *testing.T, c *clusterCase, seen difftest.Coverage) string {
				if len(c.Storage.Claims) == 0 || len(c.Devices.Claims) > 0 {
					return ""
				}
				return compareHosting(t, c, h, seen)
			})
		})
	}
}

var volumePlugins = []string{nodevolumelimits.Name, volumebinding.Name, volumerestrictions.Name, volumezone.Name}

// hostedPrefix distinguishes a hosted plugin from the in-tree one, which cannot be replaced under its name.
const hostedPrefix = hosted.Prefix

// plain returns a text with the hosted plugins' own names, and without an order that is random or comes from the others.
func plain(text string) string {
	text = inOrder(strings.ReplaceAll(text, hostedPrefix, ""))
	return unsatisfied.ReplaceAllStringFunc(text, func(list string) string {
		begin, end := strings.IndexByte(list, '[')+1, len(list)-1
		names := strings.Fields(list[begin:end])
		slices.Sort(names)
		return list[:begin] + strings.Join(names, " ") + list[end:]
	})
}

// unsatisfied are the names of plugins, in their order, that leave no node for all of them.
var unsatisfied = regexp.MustCompile(`plugin\(s\) \[[^\]]*\]`)

// cutAlike cuts notes of events that are too long to the length of the shorter ones: names of hosted plugins, which plain shortens, took a
// part of their length.
func cutAlike(theirs, ours []string) {
	const cut = " ..."
	for i := range min(len(theirs), len(ours)) {
		if strings.HasSuffix(theirs[i], cut) && strings.HasSuffix(ours[i], cut) {
			length := min(len(theirs[i]), len(ours[i])) - len(cut)
			theirs[i], ours[i] = theirs[i][:length], ours[i][:length]
		}
	}
}

// dryRunErrors are the errors of several nodes in a dry run, at the end of a message or of a string with one: a plugin fails, or only an
// extender refused the node.
var dryRunErrors = regexp.MustCompile(`(?s)\[(?:running |expected at least one victim ).*\](?:"|$)`)

// inOrder orders the errors of a dry run: kube-scheduler begins it with a random node.
func inOrder(text string) string {
	return dryRunErrors.ReplaceAllStringFunc(text, func(list string) string {
		end := strings.LastIndexByte(list, ']')
		separated := strings.NewReplacer(", running ", "\x00running ", ", expected ", "\x00expected ").Replace(list[1:end])
		nodes := strings.Split(separated, "\x00")
		slices.Sort(nodes)
		return "[" + strings.Join(nodes, ", ") + list[end:]
	})
}

// host puts hosted plugins in the place of the volume plugins, with their arguments in the form that they need.
func (s *settings) host(h hosting) {
	for i := range s.upstreamConfig.Profiles {
		theirs, ours := &s.upstreamConfig.Profiles[i], &s.orreryConfig.Profiles[i]
		switch h {
		case hostedThere:
			rename(theirs.Plugins, h)
			for _, name := range volumePlugins {
				theirs.PluginConfig = append(theirs.PluginConfig, upconfig.PluginConfig{Name: hostedPrefix + name, Args: ours.Args[name]})
			}
		case hostedHere, hostedWholly:
			rename(ours.Plugins, h)
			ours.Args = maps.Clone(ours.Args)
			for _, config := range theirs.PluginConfig {
				if h.moves(config.Name) {
					ours.Args[hostedPrefix+config.Name] = config.Args
				}
			}
		}
	}
}

// rename renames hosted plugins in all plugin sets of a configuration.
func rename(plugins any, h hosting) {
	sets := reflect.ValueOf(plugins).Elem()
	for i := range sets.NumField() {
		for _, field := range []string{"Enabled", "Disabled"} {
			for list, j := sets.Field(i).FieldByName(field), 0; j < list.Len(); j++ {
				if name := list.Index(j).FieldByName("Name"); name.String() != "*" && h.moves(name.String()) {
					name.SetString(hostedPrefix + name.String())
				}
			}
		}
	}
}

// The plugins under their hosted names.
type (
	theirLimits       struct{ *uplimits.CSILimits }
	theirBinding      struct{ *upvolumebinding.VolumeBinding }
	theirRestrictions struct {
		*uprestrictions.VolumeRestrictions
	}
	theirZone struct{ *upzone.VolumeZone }
	ourLimits struct {
		*nodevolumelimits.NodeVolumeLimits
	}
	ourRestrictions struct {
		*volumerestrictions.VolumeRestrictions
	}
	ourZone struct{ *volumezone.VolumeZone }
)

func (theirLimits) Name() string       { return hostedPrefix + nodevolumelimits.Name }
func (theirBinding) Name() string      { return hostedPrefix + volumebinding.Name }
func (theirRestrictions) Name() string { return hostedPrefix + volumerestrictions.Name }
func (theirZone) Name() string         { return hostedPrefix + volumezone.Name }
func (ourLimits) Name() string         { return hostedPrefix + nodevolumelimits.Name }
func (ourRestrictions) Name() string   { return hostedPrefix + volumerestrictions.Name }
func (ourZone) Name() string           { return hostedPrefix + volumezone.Name }

// hosted returns a plugin under its hosted name.
func (p *decisionCase) hosted(plugin fwk.Plugin) fwk.Plugin {
	switch one := plugin.(type) {
	case *uplimits.CSILimits:
		return theirLimits{one}
	case *upvolumebinding.VolumeBinding:
		return theirBinding{one}
	case *uprestrictions.VolumeRestrictions:
		return theirRestrictions{one}
	case *upzone.VolumeZone:
		return theirZone{one}
	case *nodevolumelimits.NodeVolumeLimits:
		return ourLimits{one}
	case *volumebinding.VolumeBinding:
		return ourBinding{one, p}
	case *volumerestrictions.VolumeRestrictions:
		return ourRestrictions{one}
	case *volumezone.VolumeZone:
		return ourZone{one}
	}
	return hosted.Plugin(plugin)
}

// theirPlugins are the factories of kube-scheduler's plugins, for Orrery.
func (p *decisionCase) theirPlugins() framework.Registry {
	inTree, registry := upplugins.NewInTreeRegistry(), framework.Registry{}
	for name := range inTree {
		registry[hostedPrefix+name] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			plugin, err := inTree[name](ctx, args, h)
			if err != nil {
				return nil, err
			}
			if p.settings.features.Enabled(config.SchedulerAsyncPreemption) {
				holdEvictions(plugin, func() { <-p.orrery.over })
			}
			return p.hosted(plugin), nil
		}
	}
	return registry
}

// ourPlugins are the factories of Orrery's volume plugins, for kube-scheduler.
func (p *decisionCase) ourPlugins() upruntime.Registry {
	inTree, registry := plugins.Registry(p.settings.features), upruntime.Registry{}
	for _, name := range volumePlugins {
		registry[hostedPrefix+name] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			if name == volumebinding.Name {
				h = volumeHandle{h, p.abroad.state}
			}
			plugin, err := inTree[name](ctx, args, h)
			if err != nil {
				return nil, err
			}
			return p.hosted(plugin), nil
		}
	}
	return registry
}

// abroad is what Orrery's VolumeBinding needs of a kube-scheduler that hosts it: the state of volumes, kept up to date.
type abroad struct {
	mu    sync.Mutex // kube-scheduler binds in goroutines
	store *store.Store
	state *volumes.State
}

func newAbroad() *abroad {
	objects := store.New()
	return &abroad{store: objects, state: volumes.New(objects)}
}

func (a *abroad) apply(c world.Changed) {
	a.mu.Lock()
	defer a.mu.Unlock()
	deltas, err := a.store.Apply(c)
	must(err)
	for _, d := range deltas {
		a.state.Changed(d)
	}
}

// ourBinding is Orrery's VolumeBinding in kube-scheduler, whose goroutine takes the plugin's steps.
type ourBinding struct {
	*volumebinding.VolumeBinding
	c *decisionCase
}

func (ourBinding) Name() string { return hostedPrefix + volumebinding.Name }

// PreBind carries out writes with kube-scheduler's client, and looks once a second whether objects have changed.
func (b ourBinding) PreBind(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	for outcome := (*world.Outcome)(nil); ; {
		b.c.abroad.mu.Lock()
		step := b.PreBindStep(state, pod, node, time.Now(), outcome)
		b.c.abroad.mu.Unlock()
		switch {
		case step.Action != nil:
			outcome = b.write(ctx, step.Action)
		case step.Wait != nil:
			outcome = nil
			select {
			case <-ctx.Done():
				return fwk.AsStatus(ctx.Err())
			case <-time.After(time.Second):
			}
		default:
			return step.Status
		}
	}
}

func (b ourBinding) Unreserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	b.c.abroad.mu.Lock()
	defer b.c.abroad.mu.Unlock()
	b.VolumeBinding.Unreserve(ctx, state, pod, node)
}

func (b ourBinding) write(ctx context.Context, action world.Action) *world.Outcome {
	var err error
	switch object := b.c.after(action).(type) {
	case *v1.PersistentVolume:
		_, err = b.c.client.PersistentVolumes().Update(ctx, object, metav1.UpdateOptions{})
	case *v1.PersistentVolumeClaim:
		_, err = b.c.client.PersistentVolumeClaims(object.Namespace).Update(ctx, object, metav1.UpdateOptions{})
	}
	if err != nil {
		return &world.Outcome{Code: fwk.Error, Message: err.Error()}
	}
	return &world.Outcome{}
}

// theirAssumed is what is assumed of volumes and claims in kube-scheduler.
func (p *decisionCase) theirAssumed() assumed.Objects {
	if p.hosting == hostedThere {
		return assumed.InState(p.abroad.state, p.abroad.store)
	}
	return p.upstream.assumed()
}

// ourAssumed is what is assumed of volumes and claims in Orrery.
func (p *decisionCase) ourAssumed() assumed.Objects {
	e := p.orrery.engine
	if !p.hosting.bindsHere() {
		return assumed.InState(e.Volumes(), e.Store())
	}
	var all []assumed.Objects
	for _, name := range e.Profiles() {
		if plugin, made := e.Profile(name).Plugin(hostedPrefix + volumebinding.Name); made {
			all = append(all, assumed.InPlugin(plugin.(theirBinding).VolumeBinding))
		}
	}
	return assumed.Merge(all...)
}
