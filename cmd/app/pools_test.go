package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"orrery/core/answers/pool"
	"orrery/core/scheduler/engine"
	"orrery/core/world/live"
)

// poolServer serves a NodePool and a NodeClaim, or answers with a status and nothing.
func poolServer(t *testing.T, status int) *httptest.Server {
	const pools = `{"apiVersion": "karpenter.sh/v1", "kind": "NodePoolList", "metadata": {"resourceVersion": "1"}, "items": [{
		"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "general"}, "spec": {"weight": 3, "template": {"spec": {}}}}]}`
	const claims = `{"apiVersion": "karpenter.sh/v1", "kind": "NodeClaimList", "metadata": {"resourceVersion": "1"}, "items": [{
		"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": "general-1", "labels": {"karpenter.sh/nodepool": "general", "node.kubernetes.io/instance-type": "m5.large"}},
		"status": {"allocatable": {"cpu": "2", "memory": "7Gi", "pods": "29"}}}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method != http.MethodGet:
			t.Errorf("%s %s: nothing is to be changed", r.Method, r.URL.Path)
		case status != http.StatusOK:
			w.WriteHeader(status)
			reason := map[int]string{http.StatusForbidden: "Forbidden", http.StatusNotFound: "NotFound"}[status]
			fmt.Fprintf(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": %q, "code": %d}`, reason, status)
		case r.URL.Path == "/apis/karpenter.sh/v1/nodepools":
			fmt.Fprint(w, pools)
		case r.URL.Path == "/apis/karpenter.sh/v1/nodeclaims":
			fmt.Fprint(w, claims)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// Karpenter's objects are read where they are served. Where they are not, the cluster has none, and where they may not be read, that is said.
func TestReadPools_OfACluster(t *testing.T) {
	for _, test := range []struct {
		status int
		want   string
	}{
		{http.StatusOK, "general of Karpenter NodePool, weight 3, m5.large; NodeClaims of Karpenter that are no nodes yet are not counted: 1"},
		{http.StatusNotFound, ""},
		{http.StatusForbidden, "; nodeclaims.v1.karpenter.sh may not be read; nodepools.v1.karpenter.sh may not be read"},
	} {
		client, err := live.NewClient(&rest.Config{Host: poolServer(t, test.status).URL})
		if err != nil {
			t.Fatal(err)
		}
		c := &cobra.Command{}
		c.SetContext(t.Context())
		objects, notes := readPools(c, &openedAt{cluster: &cluster{client: client}})
		e, err := engine.New(engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		pools, more := pool.Known(e, nil, objects)
		var got []string
		for _, p := range pools {
			got = append(got, fmt.Sprintf("%s of %s, weight %d, %s", p.Name, p.Origin, p.Weight, p.Shapes[0].Name))
		}
		said := strings.Join(got, " ")
		for _, note := range append(notes, more...) {
			said += "; " + note
		}
		if said != test.want {
			t.Errorf("with status %d: %q, want %q", test.status, said, test.want)
		}
	}
}
