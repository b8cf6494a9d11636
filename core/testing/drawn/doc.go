// Package drawn draws clusters and manifests for tests of what is not there yet, and carries out in the simulated cluster what an answer told:
// it creates the objects, and drains the nodes.
package drawn
