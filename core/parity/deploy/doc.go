// Package deploy tests what orrery/cmd/deploy has written from "orrery manifests", the Helm chart and the kustomize bases, with the code that
// users run: Helm's and kustomize's own.
//
//	chart ──► lint; render ──┬─► the objects that "orrery manifests" prints, for the same choices
//	                         ├─► the policy of restricted Pod Security
//	                         └─► a real API server: installed, upgraded, uninstalled
//	kustomize ──► build ───────► the objects that "orrery manifests" prints
package deploy
