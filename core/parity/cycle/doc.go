// Package cycle puts kube-scheduler and Orrery before the same generated clusters, and demands the same answers. The
// cases are those of package cases; whatever differs on purpose is in differences_test.go, and nowhere else.
//
// Two tests look from two distances.
//
// TestPlugins_SameAnswers looks closely. Four schedulers stand side by side, two runtimes by two sets of plugins:
//
//	                     kube-scheduler's plugins     Orrery's plugins
//	upstream's runtime   the reference                hosted there
//	Orrery's runtime     hosted here                  Orrery
//
// For every waiting pod they are asked for PreFilter, for the verdict of every Filter plugin on every node, for raw and
// normalised scores, and then, as a whole, for the search, the weighted totals and preemption.
//
// TestScheduler_SameDecisions looks from afar. kube-scheduler itself, with one worker and a client that writes down what it is
// asked for, and Orrery's engine are told of the same events in the same virtual time. They decide in turn; both calls
// to the API are compared and then carried out, once, and both are told of the result:
//
//	case ─► events ─┬─► informers ─► kube-scheduler ─► API calls ─┐
//	          ▲     │                                             ├─► compare ─► carry out ─┐
//	          │     └─► inputs ────► engine ─────────► effects ───┘                         │
//	          └─────────────────────────────────────────────────────────────────────────────┘
//
// Compared are each decision with its node, its message, its reasons node by node, how far the search went and where the
// next one begins; conditions, nominations, victims in order, events; and, after every event, in which queue each pod is.
//
//	go test ./cycle                                     as many cases as take a quarter of a minute
//	ORRERY_CASES=50000 ORRERY_SEED=2 go test -v -timeout 0 ./cycle
//	go test ./cycle -run Replay -case FILE              one case, as printed by a test that failed
package cycle
