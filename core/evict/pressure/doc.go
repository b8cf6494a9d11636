// Package pressure holds the evictions of a kubelet whose node runs out of memory, disk or process IDs.
//
//	configuration.go  the eviction part of a KubeletConfiguration, and the defaults
//	threshold.go      minimum amounts, and for how long they must be missed
//	signal.go         the measured signals and what can be reclaimed, on the three layouts of filesystems
//	summary.go        the measurements: the part of the kubelet's summary API that eviction reads
//	layout.go         the layout of the filesystems, as far as a summary shows it   LayoutOf
//	usage.go rank.go  the order of eviction                                         Rank
//	message.go        the message in the pod's status                               Message
//	limits.go         pods that exceed their own limits                             OverLimit
//	admit.go          admission under pressure                                      Admit
//	kubelet.go …      one node's kubelet over time                                  Kubelet
//	kubelets.go …     all kubelets of a simulated cluster                           Kubelets
//
// The functions on the right need only objects and a Summary, so a console on a real cluster can call them for a node with a
// real kubelet. [Kubelet] is the state machine: its inputs are pods and measurements, its output timed actions.
//
//	Observe ──► sync, every 10 s ──► ConditionsChanged ──► StatusWritten, at the next status update
//	               │
//	               ├─ beyond their own limits ──► EvictPod, one after the other
//	               └─ a threshold met for its grace period
//	                     ├─► ThresholdMet ─► ReclaimResources ──Reclaimed──► enough? idle
//	                     └─► Rank ─► EvictPod ──Stopped──► poll each second ──Gone, or 30 s──► sync
//
// Its caller carries the actions out: it writes the statuses ([Conditions], [EvictPod.Status]), reclaims resources, stops pods,
// and reports the outcomes. In a simulated cluster [Kubelets] does that, and measures the usage that a scenario sets. All of it
// is plain data and can be forked. A kubelet writes to the [evict.Record] which pods it evicts, and which one is next if the
// pressure lasts.
//
// # Choices
//
// Kubernetes' documentation and its kubelet do not always say the same. Here the kubelet, 1.35, is right:
//
//   - A pod evicted in a soft eviction has the lesser of evictionMaxPodGracePeriod, zero by default, and its own
//     terminationGracePeriodSeconds. (In the documentation: the lesser of the threshold's grace period and the maximum.)
//   - A pod evicted in a hard eviction has one second. (In the documentation: none.)
//   - What is thrown away counts only if every threshold is satisfied afterwards, its minimum reclaim included; otherwise
//     a pod goes, too. (In the documentation: if less than the minimum could be freed, nothing is. The kubelet cannot know
//     beforehand, and tries.)
//   - Static and mirror pods are never evicted, nor are pods of system-critical priority. (In the documentation: static pods
//     may be.)
//   - A percentage is kept in single precision: 10% of 10Gi is sixteen bytes more than 1Gi.
//   - An amount is what it is: 1Gi with a minimum reclaim of 500Mi is 1524Mi, and a system-reserved of 1.5Gi is 1536Mi,
//     where the documentation rounds both to 1.5GiB, and once to 1GiB.
//
// # Differences from the kubelet
//
//   - Of several thresholds that are met it acts on memory first and then on whichever comes first in a map. Here the hard
//     ones come before the soft ones, and then they go in the order of the signals.
//   - Pods that rank alike go by namespace and name, not in the order of an unstable sort.
//   - Thresholds for containerfs are ignored wherever they are given, and each is warned of. The kubelet overrides one hard
//     and one soft of them, and warns of the last.
//   - When the kernel tells of memory running out, the round of evictions waits for its pods like any other.
//
// In a simulated cluster what a pod uses is its first container's, a filesystem has an inode for every 16Ki, and no process is
// taken by the kernel: when there is nothing left, there is nothing left.
package pressure
