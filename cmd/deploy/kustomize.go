package main

import (
	"slices"
	"strings"
)

// kustomizations returns the folders for kustomize: what is printed for each choice, and with monitoring what is printed besides.
func kustomizations() (map[string]string, error) {
	files := map[string]string{}
	for _, of := range []struct {
		name, monitored string
		replaceDefault  bool
	}{{"base", "monitoring", false}, {"replace-default", "replace-default-monitoring", true}} {
		alone, err := choice{replaceDefault: of.replaceDefault}.print()
		if err != nil {
			return nil, err
		}
		monitored, err := choice{of.replaceDefault, true}.print()
		if err != nil {
			return nil, err
		}
		files["kustomize/"+of.name+"/orrery.yaml"] = strings.Join(alone, "\n---\n") + "\n"
		files["kustomize/"+of.name+"/kustomization.yaml"] = kustomization("orrery.yaml")
		files["kustomize/"+of.monitored+"/monitoring.yaml"] = strings.Join(besides(alone, monitored), "\n---\n") + "\n"
		files["kustomize/"+of.monitored+"/kustomization.yaml"] = kustomization("../"+of.name, "monitoring.yaml")
	}
	return files, nil
}

func kustomization(resources ...string) string {
	return "# Written by make docs from what \"orrery manifests\" prints.\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- " +
		strings.Join(resources, "\n- ") + "\n"
}

// besides returns the documents of objects that others do not have.
func besides(others, documents []string) []string {
	known := map[string]bool{}
	for _, document := range others {
		known[objectOf(document)] = true
	}
	return slices.DeleteFunc(documents, func(document string) bool { return known[objectOf(document)] })
}

// objectOf returns the lines of a document that say which object it is.
func objectOf(document string) string {
	_, from, _ := strings.Cut(document, "\nkind: ")
	id, _, _ := strings.Cut(from, "\n  labels:")
	return id
}
