// Package fit answers whether objects that do not exist yet would run: a Job before it is submitted, a chart before it is installed.
//
//	files ──► Reader ──► Set ──┐
//	                           ├─► whatif: created in a simulated cluster, to rest ──► Answer: places, preempted pods, budgets, quotas
//	engine (untouched) ────────┘                                                         └─ the first pod without a node ──► diagnose, fix
//
// [Ask] creates the objects in a copy of the cluster, as an API server admits them, and lets the controllers, the scheduler and the
// kubelets carry on until nothing more happens. So the answer is the outcome of the same code that decides. Up to [fix.ManyPods] pods,
// it is asked with several ways in which ties between equally good nodes fall: objects fit if they fit with each.
//
// [HowMany] finds how many pods of a workload fit, and what the next one lacks. [FewestNodes] finds how few new nodes of a shape the
// objects need. Both search, and then try what they found and its neighbour.
//
// # What is created
//
// The pods that a workload creates at once: as many of a Job as run in parallel, and of a CronJob those of its next run. A deployment that
// exists is rolled out, or scaled if its template is the same. Pods run for ever, as in package whatif. What scheduling does not read,
// such as a ConfigMap, is named and skipped.
package fit
