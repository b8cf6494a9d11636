package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/printable"
	"orrery/core/store"
	"orrery/core/world"
)

// Objects collects objects from files of YAML or JSON, as kubectl get -o yaml prints them: single objects, documents one
// after the other, or lists. Read takes a file, Import makes a cluster of all that was read.
type Objects struct {
	// Progress, if not nil, is called now and then with how many objects were read.
	Progress func(objects int)

	objects []world.Object
	skipped map[string]int
}

// mostDocument bounds one document, in bytes; taken apart it needs many times its size in memory.
const mostDocument = 256 << 20

// Read takes the objects of a file. Kinds that scheduling does not read are skipped, and noted. A [FileError] says which
// field of which line is wrong; the objects before it were taken.
func (o *Objects) Read(file string, from io.Reader) error {
	lines := bufio.NewReaderSize(from, 1<<16)
	var document bytes.Buffer
	first, line := 1, 0
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading %s: %w", file, err)
		}
		line++
		next := opensDocument(text)
		if !next {
			document.Write(text)
		}
		if document.Len() > mostDocument {
			return &FileError{file, first, "", fmt.Errorf("a document has more than %d bytes: split it, for example by namespace", mostDocument)}
		}
		if next || err != nil {
			if failed := o.document(file, first, document.Bytes()); failed != nil {
				return failed
			}
			document.Reset()
			first = line
			if next {
				document.Write(text[len("---"):])
			}
		}
		if err != nil {
			return nil
		}
	}
}

// opensDocument tells whether a line parts two documents. What follows the dashes is of the second one.
func opensDocument(line []byte) bool {
	rest, dashes := bytes.CutPrefix(line, []byte("---"))
	return dashes && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
}

func (o *Objects) document(file string, first int, text []byte) error {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return &FileError{file, first, "", fmt.Errorf("this is neither YAML nor JSON: %w", err)}
	}
	if len(root.Content) == 0 || root.Content[0].Tag == "!!null" {
		return nil
	}
	return o.node(source{file, first - 1}, root.Content[0])
}

// source is where nodes come from; their lines count from the beginning of the document.
type source struct {
	file   string
	before int
}

func (s source) fail(n *yaml.Node, field string, cause error) error {
	return &FileError{s.file, s.before + n.Line, field, cause}
}

// node takes an object or a list of objects.
func (o *Objects) node(s source, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return s.fail(n, "", errors.New("this is no Kubernetes object: it has no fields"))
	}
	apiVersion, kind := scalar(n, "apiVersion"), scalar(n, "kind")
	if items := child(n, "items"); items != nil && strings.HasSuffix(kind, "List") {
		for _, item := range items.Content {
			if err := o.item(s, item, apiVersion, strings.TrimSuffix(kind, "List")); err != nil {
				return err
			}
		}
		return nil
	}
	if apiVersion == "" || kind == "" {
		return s.fail(n, "", errors.New("this is no Kubernetes object: apiVersion or kind is missing"))
	}
	return o.item(s, n, apiVersion, kind)
}

// item takes an object. In a list of one kind, items need not say what they are.
func (o *Objects) item(s source, n *yaml.Node, apiVersion, kind string) error {
	if said := scalar(n, "kind"); said != "" {
		apiVersion, kind = scalar(n, "apiVersion"), said
	}
	if apiVersions[world.Kind(kind)] != apiVersion {
		if o.skipped == nil {
			o.skipped = map[string]int{}
		}
		o.skipped[printable.Line(apiVersion+" "+kind, 120)]++
		return nil
	}
	object, err := world.New(world.Kind(kind))
	if err != nil {
		return s.fail(n, "kind", err)
	}
	if err := decodeNode(n, object); err != nil {
		field, at := blame(n, world.Kind(kind))
		return s.fail(at, field, err)
	}
	complete(object)
	if err := store.Check(object); err != nil {
		return s.fail(n, "", err)
	}
	o.objects = append(o.objects, store.Trim(object))
	if o.Progress != nil && len(o.objects)%1000 == 0 {
		o.Progress(len(o.objects))
	}
	return nil
}

func decodeNode(n *yaml.Node, into world.Object) error {
	var fields any
	if err := n.Decode(&fields); err != nil {
		return err
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// blame finds the field that an object cannot be read for: the innermost one that is wrong when it stands alone.
func blame(n *yaml.Node, kind world.Kind) (string, *yaml.Node) {
	path, at := "", n
	alone := func(inner *yaml.Node) *yaml.Node { return inner }
	for {
		field, inner, wrap := wrong(at, kind, alone)
		if inner == nil {
			return strings.TrimPrefix(path, "."), at
		}
		path, at, alone = path+field, inner, wrap
	}
}

// wrong finds the child of a node that is wrong when everything else is left out.
func wrong(n *yaml.Node, kind world.Kind, alone func(*yaml.Node) *yaml.Node) (string, *yaml.Node, func(*yaml.Node) *yaml.Node) {
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	} else if n.Kind != yaml.SequenceNode {
		return "", nil, nil
	}
	empty := *n
	empty.Content = nil
	if !fits(alone(&empty), kind) {
		return "", nil, nil // nothing inside is to blame
	}
	for i := step - 1; i < len(n.Content); i += step {
		siblings := n.Content[i-step+1 : i]
		wrap := func(inner *yaml.Node) *yaml.Node {
			copied := *n
			copied.Content = append(slices.Clone(siblings), inner)
			return alone(&copied)
		}
		if !fits(wrap(n.Content[i]), kind) {
			if step == 2 {
				return "." + n.Content[i-1].Value, n.Content[i], wrap
			}
			return fmt.Sprintf("[%d]", i), n.Content[i], wrap
		}
	}
	return "", nil, nil
}

func fits(n *yaml.Node, kind world.Kind) bool {
	object, err := world.New(kind)
	return err == nil && decodeNode(n, object) == nil
}

func child(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func scalar(n *yaml.Node, key string) string {
	if c := child(n, key); c != nil && c.Kind == yaml.ScalarNode {
		return c.Value
	}
	return ""
}

// complete fills in what an API server would have, in objects that people wrote and that were never sent to one.
func complete(o world.Object) {
	kind := world.KindOf(o)
	if o.GetNamespace() == "" && !clusterWide[kind] {
		o.SetNamespace(v1.NamespaceDefault)
	}
	if o.GetUID() == "" {
		o.SetUID(types.UID("imported-" + strings.ToLower(string(kind)) + "-" + o.GetNamespace() + "-" + o.GetName()))
	}
	if pod, ok := o.(*v1.Pod); ok && pod.Spec.SchedulerName == "" {
		pod.Spec.SchedulerName = v1.DefaultSchedulerName
	}
}

// Import makes a cluster of the objects: everything that is there when the first pending pod was created is listed at
// that time, pods with their nodes, and pending pods come when they were created, in that order. Pods that have run to
// their end are left out. What was read stays.
func (o *Objects) Import() *Import {
	lists := map[world.Kind][]world.Object{}
	var pending []*v1.Pod
	var latest time.Time
	ended := 0
	for _, object := range o.objects {
		if created := object.GetCreationTimestamp().Time; created.After(latest) {
			latest = created
		}
		pod, isPod := object.(*v1.Pod)
		switch {
		case isPod && (pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed):
			ended++
		case isPod && pod.Spec.NodeName == "":
			pending = append(pending, pod)
		default:
			kind := world.KindOf(object)
			lists[kind] = append(lists[kind], object)
		}
	}
	slices.SortStableFunc(pending, func(a, b *v1.Pod) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	im := &Import{Start: latest.UTC(), Notes: o.notes(ended)}
	if len(pending) > 0 {
		im.Start = pending[0].CreationTimestamp.UTC()
	}
	for _, kind := range world.Kinds() {
		if len(lists[kind]) > 0 {
			im.Inputs = append(im.Inputs, world.Input{At: im.Start, Event: world.Listed{Kind: kind, Objects: lists[kind]}})
		}
	}
	for _, pod := range pending {
		im.Inputs = append(im.Inputs, world.Input{At: pod.CreationTimestamp.UTC(), Event: world.Changed{Op: world.Added, Object: pod}})
	}
	return im
}

func (o *Objects) notes(ended int) []string {
	var notes []string
	for _, what := range slices.Sorted(maps.Keys(o.skipped)) {
		notes = append(notes, fmt.Sprintf("skipped %d of %s: scheduling does not read this kind", o.skipped[what], what))
	}
	if ended > 0 {
		notes = append(notes, fmt.Sprintf("left out %d pods that have run to their end", ended))
	}
	return notes
}

// apiVersions says under which version of the API a kind is read.
var apiVersions = map[world.Kind]string{
	world.Pod: "v1", world.Node: "v1", world.Namespace: "v1", world.Service: "v1", world.ReplicationController: "v1",
	world.LimitRange: "v1", world.PersistentVolume: "v1", world.PersistentVolumeClaim: "v1",
	world.ReplicaSet: "apps/v1", world.StatefulSet: "apps/v1", world.Deployment: "apps/v1", world.DaemonSet: "apps/v1",
	world.Job: "batch/v1", world.PodDisruptionBudget: "policy/v1", world.Lease: "coordination.k8s.io/v1", world.LeaseCandidate: "coordination.k8s.io/v1beta1",
	world.PriorityClass: "scheduling.k8s.io/v1", world.Workload: "scheduling.k8s.io/v1alpha1", world.RuntimeClass: "node.k8s.io/v1",
	world.StorageClass: "storage.k8s.io/v1", world.CSINode: "storage.k8s.io/v1", world.CSIDriver: "storage.k8s.io/v1",
	world.CSIStorageCapacity: "storage.k8s.io/v1", world.VolumeAttachment: "storage.k8s.io/v1",
	world.ResourceClaim: "resource.k8s.io/v1", world.ResourceSlice: "resource.k8s.io/v1", world.DeviceClass: "resource.k8s.io/v1",
	world.DeviceTaintRule: "resource.k8s.io/v1alpha3",
}

// clusterWide kinds have no namespaces.
var clusterWide = map[world.Kind]bool{
	world.Node: true, world.Namespace: true, world.PersistentVolume: true, world.PriorityClass: true,
	world.RuntimeClass: true, world.StorageClass: true, world.CSINode: true, world.CSIDriver: true,
	world.VolumeAttachment: true, world.ResourceSlice: true, world.DeviceClass: true, world.DeviceTaintRule: true,
}
