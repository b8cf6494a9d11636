package nodevolumelimits

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	storagelisters "k8s.io/client-go/listers/storage/v1"
)

// attachments are the VolumeAttachments by node.
type attachments struct {
	onNode map[string][]string // by node, the names of its attachments, in no order
	nodeOf map[string]string   // by attachment
}

// listAttachments reads all VolumeAttachments.
func listAttachments(from storagelisters.VolumeAttachmentLister) attachments {
	a := attachments{onNode: map[string][]string{}, nodeOf: map[string]string{}}
	all, err := from.List(labels.Everything())
	if err != nil {
		return a
	}
	for _, attachment := range all {
		a.set(attachment.Name, attachment.Spec.NodeName)
	}
	return a
}

// update reads one attachment, which may be new, changed or gone, and returns the nodes that it was and is on.
func (a attachments) update(from storagelisters.VolumeAttachmentLister, name string) (nodes []string) {
	if node, known := a.nodeOf[name]; known {
		nodes = append(nodes, node)
		a.remove(name, node)
	}
	if attachment, err := from.Get(name); err == nil {
		nodes = append(nodes, attachment.Spec.NodeName)
		a.set(name, attachment.Spec.NodeName)
	}
	return nodes
}

func (a attachments) set(name, node string) {
	a.nodeOf[name] = node
	a.onNode[node] = append(a.onNode[node], name)
}

func (a attachments) remove(name, node string) {
	delete(a.nodeOf, name)
	left := slices.DeleteFunc(a.onNode[node], func(other string) bool { return other == name })
	if len(left) == 0 {
		delete(a.onNode, node)
		return
	}
	a.onNode[node] = left
}
