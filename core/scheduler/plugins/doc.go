// Package plugins lists the in-tree plugins, which need no registration.
//
// Every plugin has its own package below this one and is written against k8s.io/kube-scheduler/framework, like any other
// scheduler's plugin. A plugin of several files has plugin.go (type, New, signing), filtering.go, scoring.go and events.go.
//
// Conventions that the packages share:
//
//   - Statuses without variable parts are made once and shared, with the plugin's name set. Their receivers must not append
//     to them.
//   - PreFilter or PreScore computes what depends on the pod alone and writes it to the cycle state; Filter and Score
//     compute the rest without allocating.
//   - A plugin whose verdict on a node follows from some fields of the pod and that node is framework.NodeLocal, and appends
//     those fields to the signature by which verdicts are reused. That is not the signature of fwk.SignPlugin, by which pods
//     are batched as in kube-scheduler; if that leaves out something that the verdict depends on, a fragment is added whose key
//     begins with "orrery/".
package plugins
