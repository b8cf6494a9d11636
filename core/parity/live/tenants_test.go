package live_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/apiserver"
)

// tenants are hostile ones, each in a loop of its own, and one that creates a small pod twice a second.
type tenants struct {
	*fixture
	scheduler *process
	nodes     int
	failed    int // most probes that failed one after the other

	unanswered atomic.Int64 // requests that the API server had no answer for
}

// probesOfAKubelet are as many as fit into the half minute after which a kubelet ends a container by default: three failures, ten seconds
// apart. Here there is one a second.
const probesOfAKubelet = 30

// Hostile tenants pin pods with huge amounts to nodes, have claims with the most expensive expressions that an API server admits, open
// connections to the scheduler from the address of its probes, and create pods with huge annotations. All the other pods get a node,
// none a full one; the scheduler's probes succeed, and it does not end. How long pods wait is logged, under kube-scheduler as well.
func TestTenants_HostileDoNotCrowdOut(t *testing.T) {
	for _, what := range []schedulerProgram{kubeScheduler, orrery} {
		t.Run(what.name(), func(t *testing.T) {
			x := &tenants{nodes: 20}
			nodes := make([]*v1.Node, x.nodes)
			for i := range nodes {
				nodes[i] = apiserver.Node(i, "8", "16Gi", "500")
			}
			x.fixture = newFixture(t, nodes...)
			x.createGPUs(128)
			x.scheduler = x.scheduleAs(scheduler, what)
			x.eventually(x.scheduler.ready)
			seen := newPlacements(x.nodes)
			go x.watch(seen)

			stop := x.beHostile()
			pods := count(t, 60)
			err := repeat(x.ctx, 500*time.Millisecond, pods, func(i int) error {
				pod := apiserver.Pod(fmt.Sprintf("small-%d", i), "50m", "8Mi")
				seen.begin(pod.Name)
				return x.ask(x.ctx, func() error { _, err := x.create(pod); return err })
			})
			if err != nil {
				t.Fatal(err)
			}
			x.eventually(func() error { return seen.placed(pods) })
			if err := stop(); err != nil {
				t.Error(err)
			}
			select {
			case <-x.scheduler.end:
				t.Error("the scheduler has ended")
			default:
			}
			if x.failed >= probesOfAKubelet {
				t.Errorf("%d probes failed one after the other", x.failed)
			}
			waits, full := seen.result()
			for _, text := range full {
				t.Error(text)
			}
			t.Logf("%d pods were bound after %s at the median, %s in 99 of 100, %s at most; at most %d probes failed one after the other; the API server did not answer %d requests",
				len(waits), waits[len(waits)/2], waits[len(waits)*99/100], waits[len(waits)-1], x.failed, x.unanswered.Load())
		})
	}
}

// watch follows the pods. An API server may end a watch, and does so where the machine is busy: the next one begins with all pods.
func (x *tenants) watch(seen *placements) {
	_ = repeat(x.ctx, 100*time.Millisecond, -1, func(int) error {
		changes, err := x.client.CoreV1().Pods(metav1.NamespaceDefault).Watch(x.ctx, metav1.ListOptions{})
		if err != nil {
			return nil
		}
		defer changes.Stop()
		seen.restart()
		seen.follow(changes.ResultChan())
		return nil
	})
}

// repeat calls act so often, once an interval, until it fails or the context ends; a negative number is for good.
func repeat(ctx context.Context, interval time.Duration, times int, act func(i int) error) error {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for i := 0; i != times; i++ {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return nil
		}
		if err := act(i); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// beHostile runs the hostile tenants, and the scheduler's probes, until stop is called.
func (x *tenants) beHostile() (stop func() error) {
	ctx, cancel := context.WithCancel(x.ctx)
	pods := x.client.CoreV1().Pods(metav1.NamespaceDefault)
	create := func(pod *v1.Pod) error {
		return x.ask(ctx, func() error { _, err := x.create(pod); return err })
	}
	remove := func(name string) error {
		return x.ask(ctx, func() error { return pods.Delete(ctx, name, *metav1.NewDeleteOptions(0)) })
	}
	loops := []func() error{
		func() error { // two of four cores on six nodes, on other nodes every half minute
			return repeat(ctx, 250*time.Millisecond, -1, func(i int) error {
				pod := apiserver.Pod(fmt.Sprintf("pinned-%d", i), "4", "16Mi")
				huge := resource.MustParse("9100T")
				pod.Spec.Containers[0].Resources.Requests["example.com/none"] = huge
				pod.Spec.Containers[0].Resources.Limits = v1.ResourceList{"example.com/none": huge}
				pod.Spec.NodeName = fmt.Sprintf("node-%d", i/2%x.nodes)
				if err := create(pod); err != nil {
					return err
				}
				if i < 12 {
					return nil
				}
				return remove(fmt.Sprintf("pinned-%d", i-12))
			})
		},
		func() error {
			return repeat(ctx, time.Second, -1, func(i int) error { return x.expensiveClaim(ctx, i) })
		},
		func() error {
			return repeat(ctx, 200*time.Millisecond, -1, func(i int) error {
				pod := apiserver.Pod(fmt.Sprintf("large-%d", i), "50m", "8Mi")
				pod.Annotations = map[string]string{"note": strings.Repeat("x", 200<<10)}
				pod.Spec.NodeSelector = map[string]string{"no": "node"}
				if err := create(pod); err != nil {
					return err
				}
				if i < 20 {
					return nil
				}
				return remove(fmt.Sprintf("large-%d", i-20))
			})
		},
		func() error { return x.flood(ctx) },
		func() error { return x.probe(ctx) },
	}
	ended := make(chan error, len(loops))
	for _, loop := range loops {
		go func() { ended <- loop() }()
	}
	return func() error {
		cancel()
		var errs []error
		for range loops {
			errs = append(errs, <-ended)
		}
		return errors.Join(errs...)
	}
}

// expensiveClaim creates a pod whose claim has the most expensive expressions; eight of them exist at a time.
func (x *tenants) expensiveClaim(ctx context.Context, i int) error {
	numbers := "[" + strings.Repeat("1,", 39) + "1]"
	expensive := resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{
		Expression: "!" + numbers + ".all(a, " + numbers + ".all(b, " + numbers + ".all(c, a + b + c < 4)))",
	}}
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("expensive-%d", i)}}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: gpuClass, Selectors: []resourcev1.DeviceSelector{expensive, expensive},
	}}}
	claims := x.client.ResourceV1().ResourceClaims(v1.NamespaceDefault)
	if err := x.ask(ctx, func() error { _, err := claims.Create(ctx, claim, metav1.CreateOptions{}); return err }); err != nil {
		return err
	}
	pod := apiserver.Pod(claim.Name, "10m", "8Mi")
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &claim.Name}}
	if err := x.ask(ctx, func() error { _, err := x.create(pod); return err }); err != nil || i < 8 {
		return err
	}
	old := fmt.Sprintf("expensive-%d", i-8)
	return errors.Join(
		x.ask(ctx, func() error {
			return x.client.CoreV1().Pods(v1.NamespaceDefault).Delete(ctx, old, *metav1.NewDeleteOptions(0))
		}),
		x.ask(ctx, func() error { return claims.Delete(ctx, old, metav1.DeleteOptions{}) }))
}

// ask asks the API server again where it had no answer of etcd in time, as on a machine that is too busy for it. That is none of the
// scheduler's doing. What was asked for may have been done.
func (x *tenants) ask(ctx context.Context, what func() error) error {
	for again := false; ; again = true {
		err := what()
		var status apierrors.APIStatus
		switch {
		case again && (apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)):
			return nil
		case !errors.As(err, &status) || status.Status().Code < http.StatusInternalServerError || ctx.Err() != nil:
			return err
		}
		x.unanswered.Add(1)
	}
}

// flood opens sixty connections a second to the scheduler, and closes the oldest.
func (x *tenants) flood(ctx context.Context) error {
	var open []*tls.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	return repeat(ctx, time.Second/60, -1, func(int) error {
		d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
		brief, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		c, err := d.DialContext(brief, "tcp", fmt.Sprint("127.0.0.1:", x.scheduler.port))
		if err != nil {
			return nil // refused, as it should be
		}
		open = append(open, c.(*tls.Conn))
		if len(open) > 200 {
			_ = open[0].Close()
			open = open[1:]
		}
		return nil
	})
}

// probe asks for the scheduler's health every second, each time on a new connection, as a kubelet does.
func (x *tenants) probe(ctx context.Context) error {
	client := http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	failed := 0
	return repeat(ctx, time.Second, -1, func(int) error {
		response, err := client.Get(fmt.Sprintf("https://127.0.0.1:%d/livez", x.scheduler.port))
		if err == nil {
			_ = response.Body.Close()
		}
		if failed++; err == nil && response.StatusCode == http.StatusOK {
			failed = 0
		}
		x.failed = max(x.failed, failed)
		return nil
	})
}
