// Package trim removes the parts of objects that scheduling never reads: environments, commands, probes, the contents of
// volumes, managed fields, annotations of others. They never enter a recording, and are not held in memory.
//
//	watch ──► LiveObject ──► Pool ──► engine (keeps whole what plugins write back)
//	engine ──► Object ──► recording
//
// Pods, nodes and the objects of storage are built from the fields that are read, so that a field of a later Kubernetes
// stays out. A trimmed object shares its parts with the original, which is not changed; trimming it again gives an equal
// object.
//
// A plugin of another author that writes volumes or claims has to patch them, as Orrery does: an update of what it was
// given would remove what was trimmed.
package trim
