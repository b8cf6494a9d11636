// Package pressure is about pods that a kubelet evicts because its node runs out of memory, disk or process IDs.
//
//	configuration.go  what a KubeletConfiguration says of it, and the defaults
//	threshold.go      how little is too little, for how long
//	signal.go         what is watched, and what can be thrown away first, on the three layouts of filesystems
//	summary.go        what is measured: the part of the kubelet's summary API that counts here
//	layout.go         how the filesystems lie, as far as that tells   LayoutOf
//	usage.go rank.go  who goes first                                  Rank
//	message.go        what the pod's status says                      Message
//	limits.go         pods beyond limits of their own                 OverLimit
//	admit.go          who gets in while it lasts                      Admit
//	oom.go            whom the kernel takes, if it is faster          OOMScoreAdj, OOMOrder
//	kubelet.go …      one node's kubelet in time                      Kubelet
//	fleet.go …        all kubelets of a simulated cluster             Fleet
//
// The functions on the right need nothing but objects and a Summary, so a console on a real cluster can ask them about a
// node whose kubelet decides for itself. [Kubelet] is the machine: it is told of pods and of what is measured, and says
// what it does, at the second at which it does it.
//
//	Observe ──► sync, every 10 s ──► Pressed ──► Reported, at the next status update
//	               │
//	               ├─ beyond their own limits ──► Evicting, one after the other
//	               └─ a threshold met for its grace period
//	                     ├─► Starving ─► Reclaiming ──Reclaimed──► enough? rest
//	                     └─► Rank ─► Evicting ──Stopped──► poll each second ──Gone, or 30 s──► sync
//
// Whoever drives it carries out what it says: writes the statuses ([Conditions], [Evicting.Status]), throws things away,
// stops pods, and tells how it went. In a simulated cluster a [Fleet] does that, and measures what a scenario says is used.
// All of it is plain data and can be forked. On the [evict.Board] a kubelet writes who is leaving, and who is next if the
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
//   - A burstable container's OOM score adjustment is at least 3. (In the documentation: 2.)
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
// In a simulated cluster what a pod uses is its first container's, a filesystem has an inode for every 16Ki, and nobody is
// taken by the kernel: when there is nothing left, there is nothing left.
package pressure
