package app

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/rest"

	"orrery/core/process/serving"
	"orrery/core/safe/printable"
	"orrery/core/trace/attach"
	"orrery/core/trace/reach"
	"orrery/core/trace/stream"
)

// attachTargetHelp explains TARGET in help texts.
const attachTargetHelp = `TARGET is deploy/NAME, whose pod that leads is attached to, or of "orrery observe" one that is ready; pod/NAME; or the address of a scheduler such as
https://10.0.0.7:10259. Without one it is the pod that holds the lease, kube-system/kube-scheduler if the flags name no other. Pods
are looked for in the namespace of -n, else in that of the lease. They are reached through the API server, as by "kubectl port-forward".`

// schedulerTarget has the flags that find a running scheduler.
type schedulerTarget struct {
	lease reach.Lease
	port  int
}

// The flags that name the lease.
const (
	leaseNameFlag      = "leader-elect-resource-name"
	leaseNamespaceFlag = "leader-elect-resource-namespace"
)

func (a *schedulerTarget) addFlags(set *pflag.FlagSet) {
	set.StringVar(&a.lease.Name, leaseNameFlag, "kube-scheduler", "the name of the scheduler's lease, as \"orrery run\" takes it")
	set.StringVar(&a.lease.Namespace, leaseNamespaceFlag, metav1.NamespaceSystem, "the namespace of the lease")
	set.IntVar(&a.port, "secure-port", serving.Port, "the port of the scheduler's pod, as \"orrery run\" takes it")
}

// schedulerTargetFlagNames are the flags of a schedulerTarget.
var schedulerTargetFlagNames = []string{leaseNameFlag, leaseNamespaceFlag, "secure-port"}

// connector opens streams of the scheduler that leads.
type connector struct {
	schedulerTarget
	cluster         *cluster
	kind, name, url string
	namespace       string
}

// connector reads TARGET, whose pods are in a namespace, by default that of the lease. It opens the cluster, which an address needs for the
// user only.
func (a *schedulerTarget) connector(c *cobra.Command, n *connection, target, namespace string) (*connector, error) {
	o := &connector{schedulerTarget: *a, namespace: cmp.Or(namespace, a.lease.Namespace)}
	kind, name, known := cutKind(target)
	switch {
	case target == "":
	case strings.Contains(target, "://"):
		o.url = target
	case known && (kind == "pod" || kind == "deployment") && name != "":
		o.kind, o.name = kind, name
	default:
		return nil, fmt.Errorf("%q is no scheduler to attach to: say deploy/NAME, pod/NAME or https://HOST:PORT", printable.Line(target, 120))
	}
	if o.url != "" && !n.configured(c) {
		o.cluster = &cluster{config: &rest.Config{UserAgent: "orrery/" + version()}}
		return o, nil
	}
	from, err := n.open(c, answerTimeout)
	o.cluster = from
	return o, err
}

// connect finds the scheduler and opens its stream, which begins so much earlier than now.
func (o *connector) connect(ctx context.Context, since time.Duration) (*attach.Connection, error) {
	client, err := o.client(ctx)
	if err != nil {
		return nil, orNoAnswer(err)
	}
	s, err := stream.Open(ctx, client.Client, client.URL.String(), since)
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("attaching to %s: %w", client.Text, withRemedy(err, client.Withheld))
	}
	return &attach.Connection{ReadCloser: streamOf{s, client}, Speaker: s.Speaker, Where: client.Text, EndReason: s.EndReason}, nil
}

// withRemedy says what a refused reader lacks: a certificate authority, a secret that was not sent, or a rule.
func withRemedy(err error, withheld bool) error {
	var unverified *tls.CertificateVerificationError
	refused := errors.Is(err, stream.ErrForbidden) || errors.Is(err, stream.ErrUnauthenticated)
	switch {
	case refused && withheld:
		return fmt.Errorf("%w; the token is not sent without a check of the server's certificate: name its authority with --certificate-authority", err)
	case errors.As(err, &unverified):
		return fmt.Errorf("%w; name its authority with --certificate-authority (with --cert-dir a scheduler that signs its own certificate leaves it there)", err)
	case errors.Is(err, stream.ErrForbidden) && strings.Contains(err.Error(), `"`+user.Anonymous+`"`):
		return fmt.Errorf("%w; the scheduler has not authenticated the user: outside of the cluster it needs --authentication-kubeconfig to check tokens, and --client-ca-file to check certificates", err)
	case errors.Is(err, stream.ErrForbidden):
		return fmt.Errorf(`%w; the rule "get" of the nonResourceURL %s is missing`, err, stream.Path)
	}
	return err
}

// streamOf closes its client with it.
type streamOf struct {
	io.ReadCloser
	client *reach.Client
}

func (s streamOf) Close() error {
	defer s.client.Close()
	return s.ReadCloser.Close()
}

func (o *connector) client(ctx context.Context) (*reach.Client, error) {
	if o.url != "" {
		return reach.At(o.cluster.config, o.url)
	}
	pod, err := o.pod(ctx)
	if err != nil {
		return nil, err
	}
	return reach.ThroughPod(o.cluster.config, o.cluster.client, pod, o.port)
}

// pod returns the pod to attach to: the one that was named, or that of the leader as it is now.
func (o *connector) pod(ctx context.Context) (reach.Pod, error) {
	if o.kind == "pod" {
		return reach.Named(ctx, o.cluster.client, o.namespace, o.name)
	}
	findLeader := func(ctx context.Context) (string, error) {
		leader, err := o.lease.Leader(ctx, o.cluster.client, time.Now(), time.After)
		if err != nil {
			return "", fmt.Errorf("finding the leader: %w", err)
		}
		return leader, nil
	}
	if o.kind == "deployment" {
		return reach.OfDeployment(ctx, o.cluster.client, o.namespace, o.name, findLeader)
	}
	leader, err := findLeader(ctx)
	if err != nil {
		return reach.Pod{}, err
	}
	return reach.OfLeader(ctx, o.cluster.client, o.namespace, leader)
}
