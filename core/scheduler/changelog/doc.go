// Package changelog keeps the latest changes of something in order, so that readers that come now and then look only at what
// changed since they came last.
//
//	Add ──► older half forgotten │ oldest … newest
//	                                  ▲        ▲
//	                      a reader's mark     the mark for its next call
//
// A reader that was away for longer than the log remembers is told so and reads everything anew. The nodes of a snapshot
// (core/scheduler/cache), the objects of a kind (core/scheduler/store) and the nodes of a pod index (core/scheduler/plugins/topology) have such logs.
package changelog
