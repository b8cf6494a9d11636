package main

// preamble explains the table.
const preamble = `# Benchmarks

kube-scheduler 1.37.2's scheduler and Orrery's engine, in one process, on the same objects, with the default profile and
the default feature gates, without an API server. This file is written by the command below; do not edit it.

What one run is: a cluster is built and warmed up with a tenth of the pods; then all pods of the run are handed over as
events, and the clock runs from the first of them until the last pod has been bound and the update that says so has been
taken in. Both sides are measured from the pod's event to that update. A run whose pods are not all placed, or in which
one is placed that cannot be, is an error and no figure.

- kube-scheduler runs as scheduler.New makes it: 16 workers, binding goroutines, metrics, its own queue and cache. Its
  event handlers are called by one goroutine beside the scheduling loop; its client answers at once; events are dropped.
- Orrery runs on one goroutine, which also plays the API server for it.
- Decision times run from the pop to the end of the scheduling cycle; Orrery's include the pop. CPU, bytes and
  allocations are those of the whole process between start and end of the clock, divided by the decisions.
- Upstream's workers use all cores and Orrery one. On a busy machine upstream's pods/s suffer more, as its workers wait
  for each other; the ratio of CPU time per decision hardly depends on who else is there.
- The rows with volumes are those of upstream's scheduler_perf, and two whose claims are bound with their pods. A claim
  and its volume come as events before their pod. Both sides write to the same volume controller and provisioner, a store
  in this process that answers at once; its time, a few microseconds for a volume, counts for both.
- kube-scheduler looks once a second whether a pod's volumes are bound. The pods of "delayed binding" and "provisioning"
  therefore need at least a second, in which it schedules others: CPU time tells more than pods/s there.
- The rows with devices are those of upstream's scheduler_perf, and admin access: each node has a slice of ten devices, half
  of them taken from the start, and a pod's claim, made of a template, comes as an event before the pod. A claim is written
  by two calls of kube-scheduler and by one effect of Orrery, and both read back both versions. kube-scheduler looks once a second whether the claim of
  extended resources can be read: CPU time tells more than pods/s there.
- In the rows with an extender it is a web server in this process, on a socket, that is asked to filter the nodes, by name. After a
  millisecond it leaves all of them. Both sides wait for it in each scheduling cycle.
- A row's name is kind of pods / nodes / percentageOfNodesToScore. Nodes are in three zones and hold two pods from the
  start. Pods of one run: 1000; 300 where all of 5,000 nodes are scored, and in "volume limits"; 200 in the rows with
  devices, but 20 where all of 5,000 nodes are scored, and 24 in "partitionable devices"; 500 in "an extender"; 100 in "preemption" and "preemption
  with volumes"; a fifth of each on 100 nodes.

| kind of pods | what they are |
|---|---|
| one template | the same small requests, no constraints |
| all different | labels and requests differ from pod to pod |
| hard spread | ten applications, DoNotSchedule over zones and over nodes, skew 1 |
| default spread | a Service selects them, so the built-in soft spreading applies |
| anti-affinity | ten applications, no two pods of one on a node |
| required affinity | ten applications, each to stay in the zones it is in |
| preferred affinity | ten applications, pods drawn to nodes that have one of their own |
| preemption | four pods of low priority fill each node; every pod has to evict one |
| unschedulable churn | one pod in ten is too big for what is free, and a running pod ends with every 20th binding |
| secret volume | a volume made of a Secret |
| in-tree volumes | a bound claim with an in-tree EBS volume, one on every node from the start |
| migrated volumes | the same on nodes whose CSI driver serves in-tree volumes and attaches 39 of them |
| CSI volumes | the same with CSI volumes |
| volume limits | the same, but a driver attaches 5 volumes, and three of four nodes have 5 from the start |
| preemption with volumes | the pods of "preemption", with in-tree volumes |
| delayed binding | ten classes that wait for the first consumer, and as many volumes as claims, each in one zone |
| provisioning | ten classes that wait for the first consumer, a driver that makes volumes and tells each zone's capacity |
| device claims | one device of a class each; with every second binding a running pod ends, and its claim with it |
| device selectors | one device each that a CEL expression selects by model and memory |
| partitionable devices | two parts of one of 30 GPUs that all nodes reach; the parts share counters |
| admin access | all devices of a node, also those that others have |
| fallback lists | a device of a class without any, or else one of a class with some |
| extended resources | one of two extended resources, which classes have devices for |
| an extender | the pods of "one template"; an extender, which takes 1 ms, filters their nodes |

`
