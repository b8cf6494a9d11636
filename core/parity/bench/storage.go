package main

import (
	"fmt"
	"strconv"
	"sync"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes/outcome"
	"orrery/core/world"
)

// storageServer is the API server, the volume controller and every provisioner for volumes and claims, and has the claims for
// devices. It is safe for
// concurrent use, as kube-scheduler's binding goroutines need it.
type storageServer struct {
	mutex   sync.Mutex
	objects *store.Store // all objects but pods
	version int
}

func newStorageServer(objects []world.Object) (*storageServer, error) {
	s := &storageServer{objects: store.New(), version: 3_000_000}
	return s, s.create(objects)
}

func (s *storageServer) create(objects []world.Object) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, object := range objects {
		if _, is := object.(*v1.Pod); is {
			continue
		}
		if _, err := s.objects.Apply(world.Changed{Op: world.Added, Object: object}); err != nil {
			return fmt.Errorf("creating %s: %w", object.GetName(), err)
		}
	}
	return nil
}

// carryOut carries out a write, and what the volume controller and the provisioner make of it. It hands over the changes,
// the written object's first, before those of any later write.
func (s *storageServer) carryOut(action world.Action, told func([]change)) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var changes []change
	for _, event := range outcome.Of(action, s.objects) {
		changed := event.(world.Changed)
		s.version++
		changed.Object.SetResourceVersion(strconv.Itoa(s.version))
		if err := s.store(changed, func(made []change) { changes = append(changes, made...) }); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		return fmt.Errorf("a %T is about an object that is gone: %+v", action, action)
	}
	told(changes)
	return nil
}

// store applies a change, and hands over what it changed.
func (s *storageServer) store(changed world.Changed, told func([]change)) error {
	deltas, err := s.objects.Apply(changed)
	if err != nil {
		return err
	}
	var changes []change
	for _, d := range deltas {
		changes = append(changes, change{old: d.Old, new: d.New})
	}
	told(changes)
	return nil
}
