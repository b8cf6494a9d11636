package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/objects/workloads"
	"orrery/core/safe/footprint"
	"orrery/core/safe/printable"
	"orrery/core/safe/yamlnode"
	"orrery/core/scheduler/store"
	"orrery/core/world"
	"orrery/core/world/trim"
)

// ObjectImporter collects objects from YAML or JSON files as "kubectl get -o yaml" prints them: single objects,
// multiple documents, or lists. Read reads a file; Result makes a cluster of all objects read.
type ObjectImporter struct {
	// Progress, if not nil, is called after every 1000 objects with their count.
	Progress func(objects int)
	// Undated is the creation time of all objects if none has one.
	Undated time.Time
	// Namespace is that of objects without one; "default" if it is empty.
	Namespace string
	// Beyond makes an empty object of a kind that scheduling does not read, for a reader who does; nil for what is skipped. It may be nil.
	Beyond func(apiVersion, kind string) world.Object
	// Keep, if not nil, gets each object with its text as JSON, which has more than scheduling reads.
	Keep func(o world.Object, text []byte)

	objects  []world.Object
	skipped  map[string]int
	memory   memory // of the objects, for the bytes of all files
	followed follower
}

// maxLocated bounds the objects of which a wrong field is looked for, by decoding parts of them: in bytes of JSON.
//
//orrery:limit files; an object whose wrong field is looked for, in bytes; the error names the object alone
const maxLocated = 1 << 20

// spendFollowed counts what was made of an object. Of all together that may be as much as of one, and for each byte of the files twice
// its text and a quarter of a value: without aliases it is less.
func (o *ObjectImporter) spendFollowed(more follower) error {
	o.followed.text += more.text
	o.followed.values += more.values
	if bytes := int(o.memory.fileBytes); o.followed.text > maxObjectText+2*bytes || o.followed.values > maxObjectValues+bytes/4 {
		return fmt.Errorf("%w: with the aliases followed, the objects up to here are far larger than the file", errObjectTooLarge)
	}
	return nil
}

// maxDocumentBytes bounds one document; parsing takes up to 40 times its size in memory.
//
//orrery:limit files; a document of objects to import, in bytes; refused, with the advice to split it
const maxDocumentBytes = 256 << 20

// Read reads the objects of a file. It skips kinds that scheduling does not read and counts them for the notes. A
// [FileError] names the wrong field and its line; the objects before it are kept.
func (o *ObjectImporter) Read(file string, from io.Reader) error {
	o.memory.perByte = importPerByte
	lines := bufio.NewReaderSize(from, 1<<16)
	var document bytes.Buffer
	first, line := 1, 0
	for {
		text, err := readLine(lines, maxDocumentBytes-document.Len())
		line++
		switch {
		case errors.Is(err, errLineTooLong):
			return &FileError{file, first, "", fmt.Errorf("a document has more than %d MiB: split it, for example by namespace", maxDocumentBytes>>20)}
		case errors.Is(err, errZeroByte):
			return &FileError{file, line, "", fmt.Errorf("this is neither YAML nor JSON: %w", err)}
		case err != nil && !errors.Is(err, io.EOF):
			return fmt.Errorf("reading %s: %w", file, err)
		}
		o.memory.fileBytes += int64(len(text))
		next := isDocumentSeparator(text)
		if !next {
			document.Write(text)
		}
		if next || err != nil {
			if failed := o.readDocument(file, first, document.Bytes()); failed != nil {
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

var (
	errLineTooLong = errors.New("the line is too long")
	errZeroByte    = errors.New("it has a zero byte")
)

// readLine reads a line with its end, valid until the next call. What has neither an end nor a text, such as a device, is
// read no further than necessary.
func readLine(from *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		switch {
		case len(line)+len(part) > most:
			return nil, errLineTooLong
		case bytes.IndexByte(part, 0) >= 0:
			return nil, errZeroByte
		case line == nil && !errors.Is(err, bufio.ErrBufferFull):
			return part, err
		}
		if line = append(line, part...); !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// isDocumentSeparator reports whether a line separates two documents. Text after the dashes belongs to the second one.
func isDocumentSeparator(line []byte) bool {
	rest, dashes := bytes.CutPrefix(line, []byte("---"))
	return dashes && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
}

func (o *ObjectImporter) readDocument(file string, first int, text []byte) error {
	if !yamlnode.FewSeparators(text, valuesAnyway+len(text)/bytesPerValue) {
		return &FileError{file, first, "", fmt.Errorf("a document of %d bytes has more than %d values, which takes too much memory to read: split it, for example by namespace",
			len(text), valuesAnyway+len(text)/bytesPerValue)}
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return notYAML(file, first, text, err)
	}
	if len(root.Content) == 0 || root.Content[0].Tag == "!!null" {
		return nil
	}
	return o.readNode(source{file, first - 1}, root.Content[0])
}

// notYAML says on which line of the file a document cannot be parsed.
func notYAML(file string, first int, text []byte, err error) error {
	line, problem := yamlnode.Stopped(text, err)
	return &FileError{file, first + max(line-1, 0), "", fmt.Errorf("this is neither YAML nor JSON: %s", problem)}
}

// source is the document that nodes come from; their lines count from the start of the document.
type source struct {
	file   string
	before int
}

func (s source) fail(n *yaml.Node, field string, cause error) error {
	return &FileError{s.file, s.before + n.Line, field, cause}
}

// readNode reads an object or a list of objects.
func (o *ObjectImporter) readNode(s source, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return s.fail(n, "", errors.New("this is no Kubernetes object: it has no fields"))
	}
	apiVersion, kind := scalar(n, "apiVersion"), scalar(n, "kind")
	if items := child(n, "items"); items != nil && strings.HasSuffix(kind, "List") {
		return o.readItems(s, items, apiVersion, strings.TrimSuffix(kind, "List"))
	}
	if apiVersion == "" || kind == "" {
		return s.fail(n, "", errors.New("this is no Kubernetes object: apiVersion or kind is missing"))
	}
	return o.readItem(s, n, apiVersion, kind)
}

// readItems reads the items of a list, which may be null.
func (o *ObjectImporter) readItems(s source, items *yaml.Node, apiVersion, kind string) error {
	if items.Kind != yaml.SequenceNode && items.Tag != "!!null" {
		return s.fail(items, "items", fmt.Errorf("a list of objects is expected here, as in [{kind: Pod, ...}], and not %s", shortNode(items)))
	}
	for i, item := range items.Content {
		at := fmt.Sprintf("items[%d]", i)
		if item.Kind != yaml.MappingNode {
			return s.fail(item, at, fmt.Errorf("an object is expected here, as in {kind: Pod, ...}, and not %s", shortNode(item)))
		}
		if kind == "" && scalar(item, "kind") == "" {
			return s.fail(item, at, errors.New("this is no Kubernetes object: its kind is missing, and the list has none for it"))
		}
		if err := o.readItem(s, item, apiVersion, kind); err != nil {
			return err
		}
	}
	return nil
}

// shortNode describes a node in an error.
func shortNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "fields"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "*" + n.Value
	}
	return strconv.Quote(printable.Line(n.Value, 60))
}

// readItem reads an object. An item without a kind of its own has the list's.
func (o *ObjectImporter) readItem(s source, n *yaml.Node, apiVersion, kind string) error {
	if own := scalar(n, "kind"); own != "" {
		apiVersion, kind = scalar(n, "apiVersion"), own
	}
	object := o.empty(apiVersion, kind)
	if object == nil {
		if o.skipped == nil {
			o.skipped = map[string]int{}
		}
		o.skipped[printable.Line(apiVersion+" "+kind, 120)]++
		return nil
	}
	text, made, err := follow(n)
	if err == nil {
		err = o.spendFollowed(made)
	}
	if errors.Is(err, errObjectTooLarge) {
		return s.fail(n, "", err)
	}
	if err != nil {
		return s.locate(n, world.Kind(kind), err)
	}
	shape := builtInShapes()[kind].shape
	if shape == nil {
		shape = footprint.Of(object)
	}
	if err := o.memory.spendObject(world.Kind(kind), shape.JSON(text)); err != nil {
		return s.fail(n, "", err)
	}
	err = json.Unmarshal(text, object)
	if err == nil {
		err = workloads.FromJSON(object, text)
	}
	switch {
	case err != nil && len(text) > maxLocated:
		return s.fail(n, "", err)
	case err != nil:
		return s.locate(n, world.Kind(kind), err)
	}
	o.setDefaults(object)
	if err := store.Validate(object); err != nil {
		return s.fail(n, "", err)
	}
	object = trim.Object(object)
	if err := s.checkTimes(object, n); err != nil {
		return err
	}
	if o.Keep != nil {
		o.Keep(object, text)
	}
	o.objects = append(o.objects, object)
	if o.Progress != nil && len(o.objects)%1000 == 0 {
		o.Progress(len(o.objects))
	}
	return nil
}

// empty returns an empty object of a kind that is read; nil if it is skipped.
func (o *ObjectImporter) empty(apiVersion, kind string) world.Object {
	if world.Kind(kind).IsReadIn(apiVersion) {
		if object, err := world.New(world.Kind(kind)); err == nil {
			return object
		}
	}
	if o.Beyond != nil {
		return o.Beyond(apiVersion, kind)
	}
	return nil
}

func child(n *yaml.Node, key string) *yaml.Node {
	c, _ := yamlnode.Child(n, key, yamlnode.Exactly)
	return yamlnode.Target(c)
}

func scalar(n *yaml.Node, key string) string {
	if c := child(n, key); c != nil && c.Kind == yaml.ScalarNode {
		return c.Value
	}
	return ""
}

// setDefaults sets the fields that an API server would set, in handwritten objects.
func (i *ObjectImporter) setDefaults(o world.Object) {
	kind := world.KindOf(o)
	if o.GetNamespace() == "" && kind.Namespaced() {
		o.SetNamespace(cmp.Or(i.Namespace, v1.NamespaceDefault))
	}
	if o.GetUID() == "" {
		o.SetUID(importedUID(kind, o))
	}
	switch o := o.(type) {
	case *v1.Pod:
		if o.Spec.SchedulerName == "" {
			o.Spec.SchedulerName = v1.DefaultSchedulerName
		}
	case *storagev1.StorageClass:
		if o.VolumeBindingMode == nil {
			immediate := storagev1.VolumeBindingImmediate
			o.VolumeBindingMode = &immediate
		}
	}
}

// importedUID makes a UID of what else identifies an object, which may be longer than a UID can be.
func importedUID(kind world.Kind, o world.Object) types.UID {
	uid := "imported-" + strings.ToLower(string(kind)) + "-" + o.GetNamespace() + "-" + o.GetName()
	if len(uid) > store.MaxNameLength {
		uid = fmt.Sprintf("imported-%x", sha256.Sum256([]byte(uid)))
	}
	return types.UID(uid)
}
