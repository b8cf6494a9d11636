package reach_test

import (
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"

	"orrery/core/testing/fuzz"
	"orrery/core/trace/reach"
)

// FuzzAt reads addresses of schedulers, of a user with a secret.
//
//orrery:reads core/trace/reach core/safe/address
func FuzzAt(f *testing.F) {
	for _, to := range []string{"https://10.0.0.7:10259", "http://[::1]:1/", "https://me:pw@host", "https://host/path?q", "https://\x1b[2J", "ftp://x", "%zz://", "https://host:99999999", ""} {
		f.Add(to, true)
		f.Add(to, false)
	}
	f.Fuzz(func(t *testing.T, to string, verified bool) {
		config := &rest.Config{BearerToken: "S3CRETtoken", TLSClientConfig: rest.TLSClientConfig{Insecure: !verified}}
		fuzz.Cost(t, len(to), func() {
			c, err := reach.At(config, to)
			if err != nil {
				fuzz.Error(t, err)
				return
			}
			defer c.Close()
			if withheld := strings.HasPrefix(strings.ToLower(to), "http:") || !verified; c.Withheld != withheld || c.URL.Host == "" {
				t.Errorf("%q: secrets withheld %v, want %v; the host is %q", to, c.Withheld, withheld, c.URL.Host)
			}
		})
	})
}

// FuzzLeader reads the lease of a scheduler and the pods that may hold it.
//
//orrery:reads core/trace/reach
func FuzzLeader(f *testing.F) {
	f.Add("orrery-7d_3f0a", "orrery-7d", "Running", int32(15), int64(0))
	f.Add("\x1b[2J", "", "\u202e", int32(-1), int64(1<<40))
	f.Add("", "a", "", int32(1<<31-1), int64(-1<<40))
	f.Fuzz(func(t *testing.T, holder, name, phase string, seconds int32, renewed int64) {
		at := time.UnixMicro(renewed % (1 << 50))
		lease := &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-scheduler"},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &metav1.MicroTime{Time: at}},
		}
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: name}, Status: v1.PodStatus{Phase: v1.PodPhase(phase)}}
		client := fake.NewClientset(lease, pod)
		fuzz.Cost(t, len(holder)+len(name)+len(phase), func() {
			leader, err := reach.Lease{Namespace: "kube-system", Name: "kube-scheduler"}.Leader(t.Context(), client, at, elapsed)
			if err != nil {
				fuzz.Error(t, err)
				return
			}
			if _, err := reach.OfLeader(t.Context(), client, "kube-system", leader); err != nil {
				fuzz.Error(t, err)
			}
		})
	})
}
