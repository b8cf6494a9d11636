package live_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"orrery/core/parity/apiserver"
	"orrery/core/process/replica"
	"orrery/core/scheduler/config"
)

// server is shared by all tests, since starting it takes longer than most of them. Each test has its own scheduler name, and
// so its own pods. All files are in scratch.
var (
	server  *apiserver.Server
	scratch string
)

// Two users have all rights of a scheduler, so that the audit log distinguishes two schedulers. The others have only the
// rights that a test grants.
const (
	scheduler = "system:kube-scheduler"
	rival     = "rival"
	noRights  = "no-rights"
	attacher  = "attacher"
)

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	if err := startServer(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = server.Close()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

func startServer() (err error) {
	if scratch, err = os.MkdirTemp("", "orrery-live"); err != nil {
		return err
	}
	if err := os.WriteFile(auditPolicy(), []byte(policy), 0o600); err != nil {
		return err
	}
	o := apiserver.Options{
		Dir: scratch, Users: []string{scheduler, rival, noRights, "prometheus", "limited", viewer, attacher},
		Flags: []string{"--audit-policy-file=" + auditPolicy(), "--audit-log-path=" + auditLog(), "--audit-log-maxsize=4096"}, // megabytes: the log stays one file
	}
	if err := choosePlane(&o); err != nil {
		return err
	}
	if server, err = apiserver.New(o); err != nil {
		return err
	}
	return grantRival()
}

// grantRival grants the rival the rights that the user of kube-scheduler has by default.
func grantRival() error {
	client, err := server.Client(apiserver.Admin)
	if err != nil {
		return err
	}
	for _, role := range []string{"system:kube-scheduler", "system:volume-scheduler", "system:auth-delegator"} {
		if err := server.Grant(context.Background(), rival, role); err != nil {
			return err
		}
	}
	for _, role := range []string{"system::leader-locking-kube-scheduler", "extension-apiserver-authentication-reader"} {
		_, err := client.RbacV1().RoleBindings(metav1.NamespaceSystem).Create(context.Background(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: rival + "-" + role},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: rival, APIGroup: rbacv1.GroupName}},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role},
		}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}

// fixture has an administrator's client and the test's own scheduler name.
type fixture struct {
	t      *testing.T
	ctx    context.Context
	client kubernetes.Interface
	name   string
	lease  string // the lease of its schedulers
	began  time.Time
	// leaseDuration is that of its schedulers. Their renew deadline is three quarters of it.
	leaseDuration time.Duration
	// hostname, unless it is empty, is that of the processes to be started.
	hostname string
}

// longLease is that of tests that do not wait for a lease to expire.
const longLease = time.Minute

// shortLease returns the duration of a lease that is to expire: what the slowest of some calls takes now, forty times, as a leader on a
// loaded machine may renew seconds late.
func (s *fixture) shortLease() time.Duration {
	s.t.Helper()
	slowest := time.Duration(0)
	for range 20 {
		began := time.Now()
		s.list()
		slowest = max(slowest, time.Since(began))
	}
	return min(longLease, max(4*time.Second, (40*slowest).Round(time.Second)))
}

func newFixture(t *testing.T, nodes ...*v1.Node) *fixture {
	client, err := server.Client(apiserver.Admin)
	if err != nil {
		t.Fatal(err)
	}
	s := &fixture{t: t, ctx: t.Context(), client: client, name: "orrery-" + fmt.Sprint(time.Now().UnixNano()), began: time.Now()}
	s.lease, s.leaseDuration = s.name, longLease
	s.addNodes(nodes...)
	t.Cleanup(s.clear)
	return s
}

func (s *fixture) addNodes(nodes ...*v1.Node) {
	s.t.Helper()
	for _, node := range nodes {
		created, err := s.client.CoreV1().Nodes().Create(s.ctx, node, metav1.CreateOptions{})
		if err != nil {
			s.t.Fatal(err)
		}
		created.Status = node.Status
		if _, err := s.client.CoreV1().Nodes().UpdateStatus(s.ctx, created, metav1.UpdateOptions{}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// clear deletes the test's objects.
func (s *fixture) clear() {
	ctx := context.Background()
	_ = s.client.CoreV1().Pods(metav1.NamespaceDefault).DeleteCollection(ctx, *metav1.NewDeleteOptions(0), metav1.ListOptions{})
	_ = s.client.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	_ = s.client.EventsV1().Events(metav1.NamespaceDefault).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}

// configuration returns the default one, with the fixture's name as scheduler name and as lease name.
func (s *fixture) configuration() *config.Configuration {
	c := config.Default(config.FeaturesOf(served))
	c.Profiles[0].SchedulerName = s.name
	c.LeaderElection.ResourceName = s.name
	c.LeaderElection.LeaseDuration = metav1.Duration{Duration: s.leaseDuration}
	c.LeaderElection.RenewDeadline = metav1.Duration{Duration: s.renewDeadline()}
	c.LeaderElection.RetryPeriod = metav1.Duration{Duration: 500 * time.Millisecond}
	return c
}

func (s *fixture) renewDeadline() time.Duration { return s.leaseDuration * 3 / 4 }

// running is a running replica.
type running struct {
	*replica.Replica
	stop  context.CancelFunc
	ended chan error
}

// start runs a replica with the rights of kube-scheduler until the test ends.
func (s *fixture) start(change func(*replica.Options)) *running {
	s.t.Helper()
	o := replica.Options{Config: s.configuration(), KubeConfig: server.Config(scheduler), Seed: 1, Logger: klog.Background()}
	if change != nil {
		change(&o)
	}
	r, err := replica.New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	x := &running{Replica: r, stop: cancel, ended: make(chan error, 1)}
	go func() { x.ended <- r.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		select {
		case <-x.ended:
		case <-time.After(patience):
			s.t.Error("a replica did not stop")
		}
	})
	return x
}

// pods creates pods for the fixture's scheduler.
func (s *fixture) pods(n int, prefix, cpu string) {
	s.t.Helper()
	several := errgroup.Group{}
	several.SetLimit(16)
	for i := range n {
		several.Go(func() error {
			_, err := s.create(apiserver.Pod(fmt.Sprintf("%s-%d", prefix, i), cpu, "16Mi"))
			return err
		})
	}
	if err := several.Wait(); err != nil {
		s.t.Fatal(err)
	}
}

// dynamicClient is an administrator's client of objects in versions, or with fields, that this program has no types of.
func (s *fixture) dynamicClient() dynamic.Interface {
	s.t.Helper()
	client, err := dynamic.NewForConfig(server.Config(apiserver.Admin))
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

// create creates a pod for the fixture's scheduler, unless it is another's.
func (s *fixture) create(pod *v1.Pod) (*v1.Pod, error) {
	if pod.Spec.SchedulerName == "" {
		pod.Spec.SchedulerName = s.name
	}
	return s.client.CoreV1().Pods(pod.Namespace).Create(s.ctx, pod, metav1.CreateOptions{})
}

// add creates pods.
func (s *fixture) add(pods ...*v1.Pod) {
	s.t.Helper()
	for _, pod := range pods {
		if _, err := s.create(pod); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *fixture) list() []v1.Pod {
	s.t.Helper()
	list, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).List(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return list.Items
}

// bound waits until n pods have a node, and returns the number of pods by node.
func (s *fixture) bound(n int) map[string]int {
	s.t.Helper()
	var byNode map[string]int
	s.eventually(func() error {
		byNode = map[string]int{}
		sum := 0
		for _, pod := range s.list() {
			if pod.Spec.NodeName != "" {
				byNode[pod.Spec.NodeName]++
				sum++
			}
		}
		if sum != n {
			return fmt.Errorf("%d pods are bound, want %d", sum, n)
		}
		return nil
	})
	return byNode
}

// patience is how long a test waits for what never happens: long enough for the busiest machine, as only a failing test waits so long.
const patience = 5 * time.Minute

// eventually waits until check returns nil. It calls it less often if it takes long.
func (s *fixture) eventually(check func() error) {
	s.t.Helper()
	var err error
	for until := time.Now().Add(patience); time.Now().Before(until); {
		began := time.Now()
		if err = check(); err == nil {
			return
		}
		time.Sleep(min(time.Second, max(50*time.Millisecond, 3*time.Since(began))))
	}
	s.t.Fatal(err)
}
