// Package apiobjects shows what a started API server refuses of the objects that schedulers read: Orrery leaves that to it. The few
// refusals that the simulated API server repeats are compared.
package apiobjects
