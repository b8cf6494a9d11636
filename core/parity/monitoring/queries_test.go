package monitoring

import (
	"testing"

	"github.com/prometheus/prometheus/model/rulefmt"
)

// goldenFile is what "orrery manifests --monitoring" prints.
const goldenFile = "../../../cmd/app/testdata/manifests/monitored.yaml"

func printed(t testing.TB) Printed {
	t.Helper()
	p, err := ReadPrinted(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRules_ArePrometheus(t *testing.T) {
	p := printed(t)
	groups, errs := rulefmt.Parse(p.RulesFile, false)
	for _, err := range errs {
		t.Error(err)
	}
	if len(p.Rules) != 8 || groups == nil || len(groups.Groups) != 1 || len(groups.Groups[0].Rules) != len(p.Rules) {
		t.Errorf("read %d rules, and Prometheus %+v", len(p.Rules), groups)
	}
}

func TestQueries_Parse(t *testing.T) {
	p := printed(t)
	queries := 0
	for where, list := range p.Queries() {
		for _, query := range list {
			queries++
			uses, err := Uses(query)
			if err != nil {
				t.Errorf("%s: %v in\n%s", where, err, query)
			}
			if len(uses) == 0 {
				t.Errorf("%s reads no metric: %s", where, query)
			}
		}
	}
	if queries < 40 {
		t.Errorf("only %d queries were found", queries)
	}
}
