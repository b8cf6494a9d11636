// Package plugins lists the plugins that a configuration can name without anybody registering them.
//
// Every plugin has a package of its own below this one and is written against k8s.io/kube-scheduler/framework, as any
// other scheduler's plugin is. One package, unsupported, holds the names whose work is not done here, with a plugin for
// each that refuses the pods it would be needed for.
//
// Conventions that the packages share:
//
//   - Answers that are always the same are made once and shared, with the plugin's name on them. Whoever is given a status
//     must not append to it; a host that writes the plugin's name on it again writes what is there.
//   - What depends on the pod alone is worked out in PreFilter or PreScore and kept in the cycle state; Filter and Score
//     do the rest without allocating.
//   - A plugin whose answer for a node follows from the pod's signature and that node says so (framework.NodeLocal). Where
//     kube-scheduler's signature leaves something out that the answer depends on, a fragment is added whose key
//     begins with "orrery/".
package plugins
