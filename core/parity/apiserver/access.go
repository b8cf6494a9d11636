package apiserver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/pem"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// Admin is the user with all rights.
const Admin = "admin"

// Kubeconfig writes a kubeconfig file for a user and returns its name.
func (s *Server) Kubeconfig(user string) (string, error) {
	file := s.path(user + ".kubeconfig")
	return file, WriteKubeconfig(file, user, s.Config(user))
}

// WriteKubeconfig writes a user's client configuration as a kubeconfig file.
func WriteKubeconfig(file, user string, c *rest.Config) error {
	kubeconfig := clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"orrery": {Server: c.Host, CertificateAuthority: c.CAFile, CertificateAuthorityData: c.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{user: {Token: c.BearerToken}},
		Contexts:       map[string]*clientcmdapi.Context{"orrery": {Cluster: "orrery", AuthInfo: user}},
		CurrentContext: "orrery",
	}
	if err := clientcmd.WriteToFile(kubeconfig, file); err != nil {
		return fmt.Errorf("writing a kubeconfig for %s: %w", user, err)
	}
	return nil
}

// Grant gives a user a cluster role, such as system:kube-scheduler or view.
func (s *Server) Grant(ctx context.Context, user, role string) error {
	client, err := s.Client(Admin)
	if err != nil {
		return err
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user + "-" + role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: user, APIGroup: rbacv1.GroupName}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("granting %s the role %s: %w", user, role, err)
	}
	return nil
}

// newKeys creates the key that signs service account tokens, and a CA for client certificates. No client has a certificate,
// but the server publishes a CA, as a real one does.
func newKeys() (key, authority []byte, err error) {
	signing, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("generating a key: %w", err)
	}
	if key, err = keyutil.MarshalPrivateKeyToPEM(signing); err != nil {
		return nil, nil, fmt.Errorf("writing a key: %w", err)
	}
	ca, err := cert.NewSelfSignedCACert(cert.Config{CommonName: "orrery"}, signing)
	if err != nil {
		return nil, nil, fmt.Errorf("creating a certificate: %w", err)
	}
	return key, pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: ca.Raw}), nil
}
