package live_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"orrery/core/config"
	"orrery/core/parity/apiserver"
	"orrery/core/replica"
)

// server is shared by all tests: starting it takes longer than most of them. Each test has a scheduler name, and so pods,
// of its own. All that is written to disk is under scratch.
var (
	server  *apiserver.Server
	scratch string
)

// Two users may do all that a scheduler has to, so that one can tell in the end who of two did what. The others may do
// nothing but what a test allows them.
const (
	scheduler = "system:kube-scheduler"
	rival     = "rival"
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
	if err := errors.Join(os.WriteFile(auditPolicy(), []byte(policy), 0o600), coordinate()); err != nil {
		return err
	}
	server, err = apiserver.New(apiserver.Options{
		Dir: scratch, Users: []string{scheduler, rival, "nobody-special", "prometheus", "limited", onlooker},
		Flags: append(coordinating(), "--audit-policy-file="+auditPolicy(), "--audit-log-path="+auditLog()),
	})
	if err != nil {
		return err
	}
	return grantRival()
}

// grantRival gives the rival what the other scheduler has from the start.
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

// scene is what a test has: an administrator's client, and a scheduler name that is its own.
type scene struct {
	t      *testing.T
	ctx    context.Context
	client kubernetes.Interface
	name   string
	lease  string // what its schedulers stand for
	began  time.Time
}

func newScene(t *testing.T, nodes ...*v1.Node) *scene {
	client, err := server.Client(apiserver.Admin)
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, ctx: t.Context(), client: client, name: "orrery-" + fmt.Sprint(time.Now().UnixNano()), began: time.Now()}
	s.lease = s.name
	for _, node := range nodes {
		created, err := client.CoreV1().Nodes().Create(s.ctx, node, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		created.Status = node.Status
		if _, err := client.CoreV1().Nodes().UpdateStatus(s.ctx, created, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(s.clear)
	return s
}

// clear leaves the cluster as it was found.
func (s *scene) clear() {
	ctx := context.Background()
	_ = s.client.CoreV1().Pods(metav1.NamespaceDefault).DeleteCollection(ctx, *metav1.NewDeleteOptions(0), metav1.ListOptions{})
	_ = s.client.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	_ = s.client.EventsV1().Events(metav1.NamespaceDefault).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}

// configuration is the default one, with the scene's name as its profile and as that of its lease.
func (s *scene) configuration() *config.Configuration {
	c := config.Default(config.DefaultFeatures())
	c.Profiles[0].SchedulerName = s.name
	c.LeaderElection.ResourceName = s.name
	c.LeaderElection.LeaseDuration = metav1.Duration{Duration: 4 * time.Second}
	c.LeaderElection.RenewDeadline = metav1.Duration{Duration: 3 * time.Second}
	c.LeaderElection.RetryPeriod = metav1.Duration{Duration: 500 * time.Millisecond}
	return c
}

// running is a replica at work.
type running struct {
	*replica.Replica
	stop  context.CancelFunc
	ended chan error
}

// start runs a replica with the rights of kube-scheduler until the test ends.
func (s *scene) start(change func(*replica.Options)) *running {
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
		case <-time.After(time.Minute):
			s.t.Error("a replica did not end")
		}
	})
	return x
}

// pods creates pods for the scene's scheduler.
func (s *scene) pods(n int, prefix, cpu string) {
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

// create creates a pod for the scene's scheduler, unless it is another's.
func (s *scene) create(pod *v1.Pod) (*v1.Pod, error) {
	if pod.Spec.SchedulerName == "" {
		pod.Spec.SchedulerName = s.name
	}
	return s.client.CoreV1().Pods(pod.Namespace).Create(s.ctx, pod, metav1.CreateOptions{})
}

func (s *scene) list() []v1.Pod {
	s.t.Helper()
	list, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).List(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return list.Items
}

// bound waits until so many pods have a node, and says how many each node has.
func (s *scene) bound(n int) map[string]int {
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

// eventually waits until nothing is wrong any more. It looks less often at what takes long to look at.
func (s *scene) eventually(wrong func() error) {
	s.t.Helper()
	s.within(time.Minute, wrong)
}

// within is for what takes longer than most.
func (s *scene) within(most time.Duration, wrong func() error) {
	s.t.Helper()
	var err error
	for until := time.Now().Add(most); time.Now().Before(until); {
		began := time.Now()
		if err = wrong(); err == nil {
			return
		}
		time.Sleep(min(time.Second, max(50*time.Millisecond, 3*time.Since(began))))
	}
	s.t.Fatal(err)
}
