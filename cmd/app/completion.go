package app

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/objects/workloads"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/gangs"
	modelled "orrery/core/scheduler/release"
	"orrery/core/world"
	"orrery/core/world/live"
)

const (
	// maxOffered bounds the names that a shell is offered.
	//
	//orrery:limit answers; names that a shell is offered; the others are left out
	maxOffered = 200
	// completionTimeout is how long a shell waits for a cluster's names.
	//
	//orrery:limit answers; the wait for names that a shell is offered; none are
	completionTimeout = 3 * time.Second
)

// placeholders are the kinds whose names a change takes, by what its usage calls them.
var placeholders = map[string]world.Kind{
	"NODE": world.Node, "POD": world.Pod, "OWNER|POD": world.Pod, "CLAIM": world.PersistentVolumeClaim, "CLASS": world.StorageClass,
	"NUMBER|CLASS": world.PriorityClass, "RESOURCECLAIM": world.ResourceClaim, "DEVICECLASS": world.DeviceClass,
}

// What the usage of changes calls the name of a profile, a gang, and a group whatever its replicas.
const (
	profileName = "NAME"
	gangName    = "GANG"
	groupName   = "GROUP"
)

// workloadPrefix is before the workload that explain is asked about.
const workloadPrefix = "workload/"

// groupKinds are the kinds of groups of 1.37 by what is before their names.
var groupKinds = map[string]world.Kind{"podgroup/": world.PodGroup, "compositepodgroup/": world.CompositePodGroup}

// completer offers names where the flags of a command line point: in a trace at the moment asked, or in the cluster. It says
// nothing of errors, which the command itself reports.
type completer struct {
	of      *target
	plugins framework.Registry
}

// explained offers what explain takes, once: pods, or workloads and their groups after "workload/".
func (p completer) explained(c *cobra.Command, args []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch {
	case len(args) > 0:
		return nil, cobra.ShellCompDirectiveNoFileComp
	case strings.HasPrefix(text, workloadPrefix):
		return p.workloads(c, text), cobra.ShellCompDirectiveNoFileComp
	case text != "" && strings.HasPrefix(workloadPrefix, text):
		return append(p.names(c, world.Pod, text), p.workloads(c, text)...), cobra.ShellCompDirectiveNoFileComp
	}
	if before, _, is := strings.Cut(text, "/"); is && groupKinds[before+"/"] != "" {
		return p.groups(c, before+"/", text), cobra.ShellCompDirectiveNoFileComp
	}
	return p.names(c, world.Pod, text), cobra.ShellCompDirectiveNoFileComp
}

// groups offers the groups of a kind.
func (p completer) groups(c *cobra.Command, before, text string) []cobra.Completion {
	namespace := p.of.flags.overrides.Context.Namespace
	names := map[string]bool{}
	for _, o := range p.objects(c, groupKinds[before]) {
		if namespace == "" || namespace == o.GetNamespace() {
			names[before+o.GetName()] = true
		}
	}
	return offer(slices.Collect(maps.Keys(names)), text)
}

// workloads offers the workloads of pods, and their groups.
func (p completer) workloads(c *cobra.Command, text string) []cobra.Completion {
	namespace := p.of.flags.overrides.Context.Namespace
	names := map[string]bool{}
	for _, key := range p.gangs(c) {
		if namespace == "" || namespace == key.Namespace {
			names[workloadPrefix+key.Workload] = true
			names[workloadPrefix+key.String()] = true
		}
	}
	return offer(slices.Collect(maps.Keys(names)), text)
}

// gangs returns the gangs of the pods.
func (p completer) gangs(c *cobra.Command) []gangs.Key {
	var keys []gangs.Key
	for _, o := range p.objects(c, world.Pod) {
		if pod := o.(*v1.Pod); workloads.IsMember(pod) {
			keys = append(keys, gangs.KeyOf(pod))
		}
	}
	return keys
}

// gangNames offers gangs, or with replicas left out groups, as changes name them.
func (p completer) gangNames(c *cobra.Command, text string, replicas bool) []cobra.Completion {
	names := map[string]bool{}
	for _, key := range p.gangs(c) {
		if !replicas {
			key.Replica = ""
		}
		names[key.FullName()] = true
	}
	return offer(slices.Collect(maps.Keys(names)), text)
}

// nodes offers nodes.
func (p completer) nodes(c *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return p.names(c, world.Node, text), cobra.ShellCompDirectiveNoFileComp
}

// changes offers the next word of a change, or a name for it.
func (p completer) changes(c *cobra.Command, args []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if last := slices.IndexFunc(args, func(word string) bool { return strings.HasSuffix(word, ",") }); last >= 0 {
		return p.changes(c, args[last+1:], text)
	}
	var offered []cobra.Completion
	for _, next := range change.Next(args) {
		kind, isKind := placeholders[next]
		word, _, _ := strings.Cut(next, "=")
		switch {
		case next == profileName:
			offered = append(offered, p.profiles(c, text)...)
		case next == gangName || next == groupName:
			offered = append(offered, p.gangNames(c, text, next == gangName)...)
		case next == "RELEASE":
			for _, r := range modelled.All() {
				offered = append(offered, offer([]string{r.String()}, text)...)
			}
		case next == "KEY=VALUE":
			offered = append(offered, p.labels(c, text)...)
		case next == "FIELD=VALUE":
			offered = append(offered, offer(change.SpreadFields, text)...)
		case isKind:
			offered = append(offered, p.names(c, kind, text)...)
		case !strings.ContainsFunc(word, unicode.IsUpper) && strings.HasPrefix(next, text):
			offered = append(offered, next)
		}
	}
	return offered, cobra.ShellCompDirectiveNoFileComp
}

// namespaces offers namespaces: all, or those of the pods where namespaces may not be read or were not recorded.
func (p completer) namespaces(c *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all := map[string]bool{}
	for _, o := range p.objects(c, world.Namespace) {
		all[o.GetName()] = true
	}
	if len(all) == 0 {
		for _, o := range p.objects(c, world.Pod) {
			all[o.GetNamespace()] = true
		}
	}
	return offer(slices.Collect(maps.Keys(all)), text), cobra.ShellCompDirectiveNoFileComp
}

// labels offers the labels of nodes.
func (p completer) labels(c *cobra.Command, text string) []cobra.Completion {
	all := map[string]bool{}
	for _, o := range p.objects(c, world.Node) {
		for key, value := range o.GetLabels() {
			all[key+"="+value] = true
		}
	}
	return offer(slices.Collect(maps.Keys(all)), text)
}

// profiles returns the names of the scheduler's profiles.
func (p completer) profiles(c *cobra.Command, text string) []cobra.Completion {
	if p.of.trace != "" || !p.of.configured(c) {
		if s, err := p.of.openAt(c, p.plugins); err == nil {
			return offer(s.Engine().Profiles(), text)
		}
		return nil
	}
	configuration, err := p.of.schedulerIn(modelled.Newest)
	if err != nil {
		return nil
	}
	var names []string
	for i := range configuration.Profiles {
		names = append(names, configuration.Profiles[i].SchedulerName)
	}
	return offer(names, text)
}

// offer returns the printable ones of some names that begin with a text, sorted.
func offer(names []string, text string) []cobra.Completion {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !strings.HasPrefix(name, text) || strings.ContainsFunc(name, printable.Unprintable)
	})
	slices.Sort(names)
	return names[:min(len(names), maxOffered)]
}

// names returns the printable names of a kind that begin with a text.
func (p completer) names(c *cobra.Command, kind world.Kind, text string) []cobra.Completion {
	namespace := p.of.flags.overrides.Context.Namespace
	var offered []cobra.Completion
	for _, o := range p.objects(c, kind) {
		name := o.GetName()
		if o.GetNamespace() != "" && namespace == "" {
			name = o.GetNamespace() + "/" + name
		} else if kind.Namespaced() && o.GetNamespace() != namespace {
			continue
		}
		if begins := strings.HasPrefix(name, text) || strings.HasPrefix(o.GetName(), text); begins && !strings.ContainsFunc(name, printable.Unprintable) {
			offered = append(offered, name)
		}
	}
	slices.Sort(offered)
	return offered[:min(len(offered), maxOffered)]
}

func (p completer) objects(c *cobra.Command, kind world.Kind) []world.Object {
	if p.of.trace != "" || !p.of.configured(c) {
		s, err := p.of.openAt(c, p.plugins)
		if err != nil {
			return nil
		}
		return slices.Collect(s.Engine().Store().Objects(kind))
	}
	from, err := p.of.open(c, completionTimeout)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	lists, _, err := live.ReadOnce(ctx, from.client, []world.Kind{kind})
	if err != nil || len(lists) == 0 {
		return nil
	}
	return lists[0].Objects
}
