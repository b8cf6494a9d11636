package app

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/answers/answer"
	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
	"orrery/core/trace"
)

// documents are the types of the documents, by the section of docs/scripts.md and the schema that describe them.
var documents = map[string]any{
	"Explanation": answerDocument{}, "WhatIf": whatIfDocument{}, "Comparison": comparisonDocument{},
	"TraceDirectory": traceDirectoryDocument{}, "TraceVerification": traceVerificationDocument{},
	"Replay": replayDocument{}, "TraceInfo": traceInfoDocument{}, "TraceList": traceListDocument{},
	"Recording": recordDocument{}, "TraceImport": traceImportDocument{}, "TraceCut": traceCopyDocument{}, "Version": versionDocument{},
	"ConfigCheck": configCheckDocument{}, "Attachment": attachmentDocument{}, "Decision": madeDecision{}, "Journey": journeyDocument{}, "Tests": testsDocument{},
	"Fit": fitDocument{}, "FitContexts": fitContexts{}, "Consolidation": consolidationDocument{}, "Capacity": capacityDocument{}, "Report": reportDocument{},
}

// TestDocuments_EveryFieldIsDocumented compares the documents with docs/scripts.md: the section of each kind has
// exactly its fields.
func TestDocuments_EveryFieldIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/scripts.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind, doc := range documents {
		_, section, found := strings.Cut(string(page), "\n### "+kind+"\n")
		if !found {
			t.Errorf("docs/scripts.md says nothing of %s", kind)
			continue
		}
		section, _, _ = strings.Cut(section, "\n### ")
		written := fieldsIn(section)
		seen := map[reflect.Type]bool{}
		if strings.HasPrefix(kind, "Fit") || kind == "Consolidation" || kind == "Capacity" { // their pages name the section that describes these parts
			for _, part := range []any{answer.Answer{}, answer.Reason{}, podChange{}, sourceDocument{}} {
				seen[reflect.TypeOf(part)] = true
			}
			seen[reflect.TypeFor[fitDocument]()] = kind == "FitContexts"
		}
		had := fieldsOf(reflect.TypeOf(doc), "", seen)
		for _, field := range had {
			if !slices.Contains(written, field) && !slices.ContainsFunc(written, func(w string) bool { return strings.HasPrefix(w, field+".") || strings.HasPrefix(w, field+"[].") }) {
				t.Errorf("%s has a field %q, and docs/scripts.md does not say what it is", kind, field)
			}
		}
		for _, field := range written {
			if !slices.Contains(had, field) {
				t.Errorf("docs/scripts.md says that %s has a field %q", kind, field)
			}
		}
	}
}

// TestReleases_PageSaysWhatProgramSays compares the numbers of docs/releases.md with the program's.
func TestReleases_PageSaysWhatProgramSays(t *testing.T) {
	for file, numbers := range map[string][]string{
		"../../docs/releases.md": {
			"`" + apiVersion + "`",
			fmt.Sprintf("| %d if it has what nodes use, else %d if it begins with a scheduler's state, else %d; all are read |", trace.Version, trace.Version-1, trace.Version-2),
		},
		"../../README.md": {"kube-scheduler **" + modelled.Oldest.String() + "**", "v" + modelled.Oldest.Patch()},
	} {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, number := range numbers {
			if !strings.Contains(string(page), number) {
				t.Errorf("%s does not say %q", file, number)
			}
		}
	}
}

// TestDocuments_FieldNames keeps the names of the fields of explain and what-if: one that changes needs another apiVersion.
func TestDocuments_FieldNames(t *testing.T) {
	const golden = "testdata/fields.txt"
	var lines []string
	for kind, doc := range map[string]any{"Explanation": answerDocument{}, "WhatIf": whatIfDocument{}} {
		for _, field := range fieldsOf(reflect.TypeOf(doc), "", map[reflect.Type]bool{}) {
			lines = append(lines, apiVersion+" "+kind+" "+field)
		}
	}
	for _, field := range fieldsOf(reflect.TypeFor[framework.Evidence](), "", map[reflect.Type]bool{}) {
		lines = append(lines, apiVersion+" Explanation reasons[].evidence[]."+field)
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s changed; -update writes it (-want +got):\n%s", golden, diff)
	}
}

// fieldsIn returns the fields in the first column of a section's table.
func fieldsIn(section string) []string {
	var fields []string
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for i, part := range strings.Split(cells[1], "`") {
			if i%2 == 1 {
				fields = append(fields, part)
			}
		}
	}
	return fields
}

// heldBy has what the interfaces in an answer hold.
var heldBy = map[string]reflect.Type{
	"storage": reflect.TypeFor[diagnose.Storage](), "devices": reflect.TypeFor[diagnose.Devices](), "nodeVerdict.devices": reflect.TypeFor[[]diagnose.DeviceOn](),
	"gang": reflect.TypeFor[diagnose.ToldGang](), "gangs[]": reflect.TypeFor[diagnose.ToldGang](), "podGroups[]": reflect.TypeFor[diagnose.ToldPodGroup](),
}

// fieldsOf returns the paths of a document's fields. It omits parts that are described once: pods, damage, the answer in another document, and repeated
// parts of a document.
func fieldsOf(t reflect.Type, path string, seen map[reflect.Type]bool) []string {
	if part, is := heldBy[path]; is && t.Kind() == reflect.Interface {
		return fieldsOf(part, path, seen)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return fieldsOf(t.Elem(), path, seen)
	case reflect.Slice:
		return fieldsOf(t.Elem(), path+"[]", seen)
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[podRef]() || path != "" && t == reflect.TypeFor[answer.Answer]() || t == reflect.TypeFor[damageDocument]() || seen[t] {
		return nil
	}
	seen[t] = true
	var fields []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && f.Type != reflect.TypeFor[envelope]() {
			fields = append(fields, fieldsOf(f.Type, path, seen)...)
			continue
		}
		if !f.IsExported() || name == "" || name == "-" {
			continue
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		fields = append(fields, at)
		fields = append(fields, fieldsOf(f.Type, at, seen)...)
	}
	return fields
}
