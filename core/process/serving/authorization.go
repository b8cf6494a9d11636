package serving

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/path"
	"k8s.io/apiserver/pkg/authorization/union"
	"k8s.io/klog/v2"
)

// AuthorizationOptions are the flags that say who may ask for what.
type AuthorizationOptions struct {
	kubeconfig        string
	allowTTL, denyTTL time.Duration
	allowedPaths      []string
}

func defaultAuthorization() AuthorizationOptions {
	return AuthorizationOptions{allowTTL: 10 * time.Second, denyTTL: 10 * time.Second, allowedPaths: []string{"/healthz", "/readyz", "/livez"}}
}

func (o *AuthorizationOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.kubeconfig, "authorization-kubeconfig", "",
		"The kubeconfig for subjectaccessreviews.authorization.k8s.io. If empty and outside of a pod, only --authorization-always-allow-paths are served.")
	fs.DurationVar(&o.allowTTL, "authorization-webhook-cache-authorized-ttl", o.allowTTL, "How long the result of an access review that allows is cached.")
	fs.DurationVar(&o.denyTTL, "authorization-webhook-cache-unauthorized-ttl", o.denyTTL, "How long the result of an access review that denies is cached.")
	fs.StringSliceVar(&o.allowedPaths, "authorization-always-allow-paths", o.allowedPaths, "HTTP paths that are served without an access review.")
}

// authorizer lets the paths through, members of system:masters, and whom the API server's access review allows.
func (o *AuthorizationOptions) authorizer() (authorizer.Authorizer, error) {
	paths, err := path.NewAuthorizer(o.allowedPaths)
	if err != nil {
		return nil, fmt.Errorf("--authorization-always-allow-paths: %w", err)
	}
	all := []union.NamedAuthorizer{
		{AuthorizerName: "PrivilegedGroups", Authorizer: authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup)},
		{AuthorizerName: "AlwaysAllowPaths", Authorizer: paths},
	}
	client, err := reviewClient(o.kubeconfig, "authorization", reviewTimeout)
	if err != nil {
		return nil, err
	}
	if client == nil {
		klog.InfoS("There is no --authorization-kubeconfig for access reviews", "allowed", o.allowedPaths)
		return union.New(all...)
	}
	review, err := authorizerfactory.DelegatingAuthorizerConfig{
		SubjectAccessReviewClient: client.AuthorizationV1(), AllowCacheTTL: o.allowTTL, DenyCacheTTL: o.denyTTL, WebhookRetryBackoff: &reviewRetry,
	}.New()
	if err != nil {
		return nil, fmt.Errorf("making the access review's client: %w", err)
	}
	return union.New(append(all, union.NamedAuthorizer{AuthorizerName: "AccessReview", Authorizer: review})...)
}
