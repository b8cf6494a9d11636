// Command deploy writes the Helm chart and the kustomize bases from what "orrery manifests" prints, so that neither can grant a right or set
// a field that the program itself would not.
//
//	orrery manifests                        ──┐
//	  --replace-default                       ├─► merge: lines that only some print, in an if ──► values ──► chart/templates/orrery.yaml
//	  --monitoring                            │
//	  --replace-default --monitoring        ──┴─► kustomize: one folder for each
//
// What cannot be derived is written by hand: Chart.yaml, values.yaml, values.schema.json and NOTES.txt. A test fails when what is generated
// is not current; core/parity/deploy renders, builds and installs it.
//
//	main.go       writes the files
//	printed.go    runs "orrery manifests"
//	merge.go      one template of several texts
//	chart.go      the values of the chart
//	kustomize.go  the folders for kustomize
package main
