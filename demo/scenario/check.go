package scenario

import (
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"

	"orrery/core/scheduler/config"
	"orrery/core/world"
	"orrery/demo/scenario/strict"
)

// check finds values that contradict each other, each valid by itself.
func (f *file) check() error {
	switch {
	case strings.TrimSpace(f.Title) == "":
		return f.Fail("title", "a scenario needs a title: write one, as in title: A busy morning")
	case utf8.RuneCountInString(f.Title) > maxTitle:
		return f.Fail("title", "it has more than %d characters: say the rest in the description", maxTitle)
	case utf8.RuneCountInString(f.Description) > maxDescription:
		return f.Fail("description", "it has more than %d characters", maxDescription)
	case f.Length.of() < time.Second:
		return f.Fail("length", "a scenario lasts for a second at least: write for how long, as in length: 2m")
	case f.Length.of() > maxLength:
		return f.Fail("length", "a scenario lasts for %v at most", maxLength)
	}
	return firstError(f.checkCluster, f.checkScheduler, f.checkWorkloads, f.checkObjects, f.checkStory, f.checkRecorded)
}

// firstError is the first error of several checks.
func firstError(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) checkCluster() error {
	f.made.nodes = map[string]bool{}
	for i := range f.Cluster.Nodes {
		if err := f.checkGroup(&f.Cluster.Nodes[i]); err != nil {
			return err
		}
	}
	if len(f.made.nodes) == 0 {
		return f.Cluster.Fail("nodes", "a cluster needs nodes: write one group at least, as in - {name: web, count: 3, cpu: 4, memory: 16Gi}")
	}
	if err := f.Cluster.Controllers.check(); err != nil {
		return err
	}
	if err := f.Cluster.Admission.options().Check(); err != nil {
		return f.Cluster.Fail("admission", "%v", err)
	}
	for _, name := range sortedKeys(f.Cluster.PriorityClasses) {
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
			return f.Cluster.Fail("priorityClasses."+name, "this is no name of a priority class: %s", problems[0])
		}
		switch p := f.Cluster.PriorityClasses[name]; p.PreemptionPolicy {
		case "", v1.PreemptNever, v1.PreemptLowerPriority:
		default:
			return p.Fail("preemptionPolicy", "write Never or PreemptLowerPriority")
		}
	}
	return nil
}

func (c *controllers) check() error {
	rates := map[string]*float64{"nodeEvictionRate": c.NodeEvictionRate, "secondaryNodeEvictionRate": c.SecondaryNodeEvictionRate}
	for _, field := range sortedKeys(rates) {
		if rate := rates[field]; rate != nil && (*rate <= 0 || *rate > maxRate) {
			return c.Fail(field, "write how many nodes are tainted each second: above 0, and %d at most", maxRate)
		}
	}
	if share := c.UnhealthyZoneThreshold; share != nil && (*share < 0 || *share > 1) {
		return c.Fail("unhealthyZoneThreshold", "write which share of nodes, between 0 and 1")
	}
	return nil
}

func (f *file) checkGroup(g *nodeGroup) error {
	switch {
	case g.Name == "":
		return g.Fail("name", "a group of nodes needs a name: its nodes are called after it")
	case g.Has("zones") && (g.Has("count") || g.Has("zone")):
		return g.Fail("zones", "write either zones, with how many nodes are in each, or count and zone")
	case !g.Has("zones") && g.Count == 0:
		g.Count = 1
	}
	n := g.Count
	for _, zone := range sortedKeys(g.Zones) {
		if g.Zones[zone] < 1 || g.Zones[zone] > maxNodes {
			return g.Fail("zones."+zone, "a zone has between 1 and %d nodes", maxNodes)
		}
		n += g.Zones[zone]
	}
	if err := f.made.addNodes(g, n); err != nil {
		return err
	}
	switch {
	case g.CPU.IsZero() || g.Memory.IsZero():
		return g.Fail("cpu", "a node needs cpu and memory, as in cpu: 4 and memory: 16Gi")
	case g.CPU.CmpInt64(maxCPU) > 0:
		return g.Fail("cpu", "a node has %d cpus at most", maxCPU)
	case g.Pods < 0:
		return g.Fail("pods", "a node has room for 0 pods at least")
	}
	if err := g.checkFilesystems(); err != nil {
		return err
	}
	for _, node := range g.nodes() {
		switch problems := validation.IsDNS1123Label(node.Name); {
		case len(problems) > 0:
			return g.Fail("name", "its nodes cannot be called %q: %s", node.Name, problems[0])
		case f.made.nodes[node.Name]:
			return g.Fail("name", "there is another node of the name %s", node.Name)
		}
		f.made.nodes[node.Name] = true
	}
	labels := g.nodes()[0].Labels // the others differ in their names, which were checked
	for _, key := range sortedKeys(labels) {
		if err := checkLabel(&g.Position, "labels", key, labels[key]); err != nil {
			return err
		}
	}
	return nil
}

// layersOnNodeFs says that a node's images alone are on a filesystem of their own.
const layersOnNodeFs = "nodefs"

func (g *nodeGroup) checkFilesystems() error {
	switch {
	case g.NodeFs.Inodes < 0 || g.ImageFs.Inodes < 0 || g.PIDs < 0:
		return g.Fail("", "a node cannot have fewer than 0 inodes or processes")
	case g.NodeFs.Size.IsZero() && (g.NodeFs.Inodes > 0 || !g.ImageFs.Size.IsZero()):
		return g.Fail("nodefs", "say how large the node's filesystem is, as in nodefs: 100Gi")
	case g.ImageFs.Size.IsZero() && (g.ImageFs.Inodes > 0 || g.Layers != ""):
		return g.Fail("imagefs", "say how large the filesystem for images is, as in imagefs: 50Gi")
	case g.Layers != "" && g.Layers != layersOnNodeFs && g.Layers != "imagefs":
		return g.Fail("containerfs", "writable layers of containers are on nodefs or on imagefs")
	}
	return nil
}

func checkLabel(p *strict.Position, field, key, value string) error {
	if problems := validation.IsQualifiedName(key); len(problems) > 0 {
		return p.Fail(field, "%q is no name of a label: %s", key, problems[0])
	}
	if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
		return p.Fail(field, "%q is no value of a label: %s", value, problems[0])
	}
	return nil
}

func (f *file) checkScheduler() error {
	s := &f.Scheduler
	if !s.Has("replicas") {
		s.Replicas = 1
	}
	if s.Replicas < 1 || s.Replicas > maxReplicas {
		return s.Fail("replicas", "there are between 1 and %d replicas of the scheduler", maxReplicas)
	}
	if err := f.leaderSettings(0).Validate(); err != nil {
		return s.Fail("lease", "%v", err)
	}
	return s.checkExtenders()
}

func (f *file) checkWorkloads() error {
	total := 0
	f.made.workloads = map[string]*workload{}
	for i := range f.Workloads {
		w := &f.Workloads[i]
		if err := w.identify(); err != nil {
			return err
		}
		if f.workload(w.name) != nil {
			return w.Fail("", "there is another workload of the name %s", w.name)
		}
		f.made.workloads[w.name] = w
		if err := firstError(w.checkSize, w.checkTemplate, w.checkBudget, w.checkUsage, func() error { return f.checkPriority(w) }); err != nil {
			return err
		}
		if total += *w.Replicas; total > maxPods {
			return w.Fail("replicas", "all workloads together have more than %d pods", maxPods)
		}
		if err := f.made.addPods(w, "replicas", *w.Replicas); err != nil {
			return err
		}
	}
	return nil
}

// identify sets the workload's kind and name.
func (w *workload) identify() error {
	given := map[world.Kind]string{
		world.Deployment: w.Deployment, world.StatefulSet: w.StatefulSet, world.DaemonSet: w.DaemonSet, world.Job: w.Job, world.Pod: w.Pod,
	}
	for _, kind := range []world.Kind{world.Deployment, world.StatefulSet, world.DaemonSet, world.Job, world.Pod} {
		name := given[kind]
		if name == "" {
			continue
		}
		if w.name != "" {
			return w.Fail("", "it is a %s and a %s: write one of them", w.kind, kind)
		}
		w.kind, w.name = kind, name
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 || len(name) > 52 {
			return w.Fail(strings.ToLower(string(kind)), "%q is no name of a workload: it has at most 52 small letters, digits and dashes", name)
		}
	}
	if w.name == "" {
		return w.Fail("", "say what it is: deployment, statefulset, daemonset, job or pod, and its name, as in - deployment: checkout")
	}
	if w.Namespace == "" {
		w.Namespace = v1.NamespaceDefault
	}
	if problems := validation.IsDNS1123Label(w.Namespace); len(problems) > 0 {
		return w.Fail("namespace", "%q is no name of a namespace: %s", w.Namespace, problems[0])
	}
	return nil
}

func (w *workload) checkSize() error {
	if w.kind == world.DaemonSet && w.Replicas != nil {
		return w.Fail("replicas", "a daemon set has a pod on every node: leave it out")
	}
	if w.Replicas == nil {
		one := 1
		w.Replicas = &one
	}
	switch {
	case *w.Replicas < 0 || *w.Replicas > maxPods:
		return w.Fail("replicas", "there are between 0 and %d", maxPods)
	case w.Has("parallelism") && (w.kind != world.Job || w.Parallelism < 1 || w.Parallelism > maxPods):
		return w.Fail("parallelism", "it says how many pods of a job run side by side, 1 at least")
	case (w.Has("maxSurge") || w.Has("maxUnavailable")) && w.kind != world.Deployment:
		return w.Fail("maxSurge", "maxSurge and maxUnavailable say how a deployment is rolled over; this is a %s", strings.ToLower(string(w.kind)))
	}
	counts := map[string]string{"maxSurge": w.MaxSurge, "maxUnavailable": w.MaxUnavailable}
	for _, field := range sortedKeys(counts) {
		if text := counts[field]; text != "" && !isCountOrPercent(text) {
			return w.Fail(field, "write a number of pods or a share of them, as in 2 or 25%%")
		}
	}
	return nil
}

func (f *file) checkObjects() error {
	for i := range f.Objects {
		if _, err := objectOf(&f.Objects[i]); err != nil {
			return err
		}
	}
	return nil
}

// isCountOrPercent reports whether a text is a number of pods or a percentage.
func isCountOrPercent(text string) bool {
	n := intstr.Parse(text)
	if n.Type == intstr.Int {
		return n.IntVal >= 0
	}
	_, err := intstr.GetScaledValueFromIntOrPercent(&n, 100, true)
	return err == nil && !strings.HasPrefix(text, "-")
}

// shortFields are the fields that cannot stand beside spec.
var shortFields = []string{
	"cpu", "memory", "resources", "priorityClass", "schedulerName", "nodeSelector", "topologySpread", "podAntiAffinity", "podAffinity", "affinity", "tolerations",
	"evictAfter", "schedulingGates", "terminationGracePeriod", "volumes", "devices", "gang",
}

func (w *workload) checkTemplate() error {
	if w.CPU.CmpInt64(maxCPU) > 0 {
		return w.Fail("cpu", "a pod has %d cpus at most", maxCPU)
	}
	if w.Has("gang") && (w.Gang < 1 || w.Gang > maxPods) {
		return w.Fail("gang", "write how many pods are bound together: between 1 and %d", maxPods)
	}
	if w.Spec != nil {
		for _, field := range shortFields {
			if w.Has(field) {
				return w.Fail(field, "spec says everything about the pods: say this there, or leave spec out")
			}
		}
		if len(w.Spec.Containers) == 0 {
			return w.Fail("spec", "a pod needs a container: write containers")
		}
	}
	for _, key := range sortedKeys(w.Labels) {
		if err := checkLabel(&w.Position, "labels", key, w.Labels[key]); err != nil {
			return err
		}
	}
	for i := range w.TopologySpread {
		if s := &w.TopologySpread[i]; s.TopologyKey == "" {
			return s.Fail("topologyKey", "write zone, node, region or a label")
		} else if s.MaxSkew < 0 {
			return s.Fail("maxSkew", "maxSkew is at least 1")
		}
	}
	for _, all := range []podTerms{w.PodAntiAffinity, w.PodAffinity} {
		for i := range all {
			if b := &all[i]; b.TopologyKey == "" {
				return b.Fail("topologyKey", "write zone, node, region or a label")
			}
		}
	}
	return nil
}

func (w *workload) checkBudget() error {
	b := w.DisruptionBudget
	switch {
	case b == nil:
		return nil
	case (b.MinAvailable == "") == (b.MaxUnavailable == ""):
		return b.Fail("", "a budget says either minAvailable or maxUnavailable")
	case !isCountOrPercent(b.MinAvailable + b.MaxUnavailable):
		return b.Fail("", "write a number of pods or a share of them, as in minAvailable: 2 or maxUnavailable: 25%%")
	}
	return nil
}

func (f *file) checkPriority(w *workload) error {
	name := w.PriorityClass
	if w.Spec != nil {
		name = w.Spec.PriorityClassName
	}
	if _, known := f.Cluster.PriorityClasses[name]; name == "" || known || strings.HasPrefix(name, "system-") {
		return nil
	}
	if slices.ContainsFunc(f.Objects, func(o strict.Raw) bool { return o.Scalar("kind") == string(world.PriorityClass) }) {
		return nil // found out when the objects are created
	}
	return w.Fail("priorityClass", "there is no priority class %q: %s", name, strict.Suggest(name, sortedKeys(f.Cluster.PriorityClasses)))
}

// checkProfiles checks that every pod has a profile.
func (f *file) checkProfiles(c *config.Configuration) error {
	var profiles []string
	for i := range c.Profiles {
		profiles = append(profiles, c.Profiles[i].SchedulerName)
	}
	for i := range f.Workloads {
		w := &f.Workloads[i]
		if w.SchedulerName != "" && !slices.Contains(profiles, w.SchedulerName) {
			return w.Fail("schedulerName", "the configuration has no profile %q: %s", w.SchedulerName, strict.Suggest(w.SchedulerName, profiles))
		}
	}
	return nil
}

// workload returns a workload by its name.
func (f *file) workload(name string) *workload { return f.made.workloads[name] }

func (f *file) workloadNames() []string {
	var all []string
	for i := range f.Workloads {
		all = append(all, f.Workloads[i].name)
	}
	return all
}

// matchesNode reports whether a word selects a node: its name, a pattern with stars, or a label and its value as in
// zone=east.
func matchesNode(word string, node *v1.Node) bool {
	if key, value, isLabel := strings.Cut(word, "="); isLabel {
		return node.Labels[topologyKey(key)] == value
	}
	ok, err := path.Match(word, node.Name)
	return ok && err == nil
}
