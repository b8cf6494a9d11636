package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type passed struct{ requests []string }

func (p *passed) RoundTrip(r *http.Request) (*http.Response, error) {
	p.requests = append(p.requests, r.Method+" "+r.URL.Path)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func TestOnlyReads_RefusesWrites(t *testing.T) {
	below := &passed{}
	for _, row := range []struct {
		method, path string
		passes       bool
	}{
		{http.MethodGet, "/api/v1/pods", true},
		{http.MethodPost, "/api/v1/namespaces/a/pods/p/portforward", true},
		{http.MethodPost, "/api/v1/namespaces/a/pods/p/eviction", false},
		{http.MethodPost, "/api/v1/namespaces/a/pods/p/binding", false},
		{http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", true},
		{http.MethodPost, "/apis/batch/v1/namespaces/a/jobs?dryRun=All&fieldManager=orrery", true},
		{http.MethodPost, "/apis/batch/v1/namespaces/a/jobs?dryRun=", false},
		{http.MethodPost, "/apis/batch/v1/namespaces/a/jobs?dryRun=All&dryRun=", false},
		{http.MethodPost, "/apis/batch/v1/namespaces/a/jobs", false},
		{http.MethodDelete, "/apis/batch/v1/namespaces/a/jobs/j?dryRun=All", false},
		{http.MethodPut, "/api/v1/namespaces/a/pods/portforward", false},
		{http.MethodPatch, "/api/v1/nodes/n", false},
		{http.MethodDelete, "/api/v1/nodes/n", false},
	} {
		r, err := http.NewRequest(row.method, "https://cluster"+row.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		_, err = onlyReads{below}.RoundTrip(r)
		if (err == nil) != row.passes {
			t.Errorf("%s %s: %v", row.method, row.path, err)
		}
	}
	if len(below.requests) != 4 {
		t.Errorf("what was sent: %v", below.requests)
	}
}

// TestOnlyReads_IsTheConnectionOfQuestions opens the cluster as explain, journey and whatif do, and tries to write.
func TestOnlyReads_IsTheConnectionOfQuestions(t *testing.T) {
	c := &cobra.Command{}
	var a target
	a.flag(c, true)
	if err := c.ParseFlags([]string{"--server", "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	from, err := a.open(c, answerTimeout)
	if err != nil {
		t.Fatal(err)
	}
	_, err = from.client.CoreV1().Nodes().Update(t.Context(), &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.UpdateOptions{})
	if err == nil || !strings.Contains(err.Error(), "only reads") {
		t.Errorf("a write is sent: %v", err)
	}
}
