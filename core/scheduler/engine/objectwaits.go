package engine

import (
	"maps"
	"slices"
	"sort"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/store"
)

// objectWaits are the bindings that wait for objects to change, each until a time. A wait ends once; the binding then
// takes its next step, and may wait again.
type objectWaits struct {
	waits     map[types.UID]framework.ObjectWait
	byObject  map[framework.ObjectKey][]types.UID // in the order in which they began
	deadlines []waitDeadline                      // earliest first; those that have ended are removed when they come first
	ended     []types.UID                         // in the order in which they ended
}

type waitDeadline struct {
	at  time.Time
	uid types.UID
}

func newObjectWaits() objectWaits {
	return objectWaits{waits: map[types.UID]framework.ObjectWait{}, byObject: map[framework.ObjectKey][]types.UID{}}
}

func (w *objectWaits) fork() objectWaits {
	twin := objectWaits{
		waits: maps.Clone(w.waits), byObject: make(map[framework.ObjectKey][]types.UID, len(w.byObject)),
		deadlines: slices.Clone(w.deadlines), ended: slices.Clone(w.ended),
	}
	for key, waiting := range w.byObject {
		twin.byObject[key] = slices.Clone(waiting)
	}
	return twin
}

// add makes a binding wait.
func (w *objectWaits) add(uid types.UID, wait framework.ObjectWait) {
	w.waits[uid] = wait
	for _, key := range wait.Objects {
		w.byObject[key] = append(w.byObject[key], uid)
	}
	behind := sort.Search(len(w.deadlines), func(i int) bool { return w.deadlines[i].at.After(wait.Until) })
	w.deadlines = slices.Insert(w.deadlines, behind, waitDeadline{wait.Until, uid})
}

// changed ends the waits for an object that has changed.
func (w *objectWaits) changed(d store.Delta) {
	if len(w.waits) == 0 {
		return
	}
	object := d.New
	if object == nil {
		object = d.Old
	}
	key := framework.ObjectKey{Kind: d.Kind, Namespace: object.GetNamespace(), Name: object.GetName()}
	for _, uid := range slices.Clone(w.byObject[key]) {
		w.end(uid)
	}
}

// expire ends the waits whose time has come.
func (w *objectWaits) expire(now time.Time) {
	for at, ok := w.nextDeadline(); ok && !at.After(now); at, ok = w.nextDeadline() {
		w.end(w.deadlines[0].uid)
	}
}

// nextDeadline is when the next wait ends by itself.
func (w *objectWaits) nextDeadline() (time.Time, bool) {
	for len(w.deadlines) > 0 {
		first := w.deadlines[0]
		if wait, waits := w.waits[first.uid]; waits && wait.Until.Equal(first.at) {
			return first.at, true
		}
		w.deadlines = w.deadlines[1:]
	}
	return time.Time{}, false
}

// end ends a binding's wait.
func (w *objectWaits) end(uid types.UID) {
	if w.remove(uid) {
		w.ended = append(w.ended, uid)
	}
}

// cancel makes a binding, which has ended, wait no longer.
func (w *objectWaits) cancel(uid types.UID) {
	w.remove(uid)
	w.ended = slices.DeleteFunc(w.ended, func(other types.UID) bool { return other == uid })
}

// remove removes a binding's wait, and reports whether there was one.
func (w *objectWaits) remove(uid types.UID) bool {
	wait, waits := w.waits[uid]
	if !waits {
		return false
	}
	delete(w.waits, uid)
	for _, key := range wait.Objects {
		others := slices.DeleteFunc(w.byObject[key], func(other types.UID) bool { return other == uid })
		if len(others) == 0 {
			delete(w.byObject, key)
		} else {
			w.byObject[key] = others
		}
	}
	return true
}

// takeEnded returns the bindings whose waits have ended since the last call.
func (w *objectWaits) takeEnded() []types.UID {
	ended := w.ended
	w.ended = nil
	return ended
}
