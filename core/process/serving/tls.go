package serving

import (
	"context"
	"crypto/tls"
	"net"
	"slices"

	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/klog/v2"

	"orrery/core/safe/panics"
)

// secureListener is the open port, with all that TLS takes there.
type secureListener struct {
	net.Listener
	certificate     dynamiccertificates.CertKeyContentProvider
	sniCertificates []dynamiccertificates.SNICertKeyContentProvider
	clientCAs       []dynamiccertificates.CAContentProvider // of the clients that are asked for a certificate
	minVersion      uint16
	cipherSuites    []uint16 // nil for Go's
	withoutHTTP2    bool
	streams         int // of one HTTP/2 connection
}

// config returns the configuration of TLS. Until the context ends, it follows the files and ConfigMaps that certificates and client CAs are
// in. A certificate that cannot be read yet fails handshakes, and nothing else.
func (l *secureListener) config(ctx context.Context) *tls.Config {
	config := &tls.Config{MinVersion: l.minVersion, CipherSuites: l.cipherSuites, NextProtos: []string{"h2", "http/1.1"}}
	if l.withoutHTTP2 {
		config.NextProtos = config.NextProtos[1:]
	}
	for name, suite := range cliflag.InsecureTLSCiphers() {
		if slices.Contains(l.cipherSuites, suite) {
			klog.InfoS("--tls-cipher-suites has an insecure cipher suite", "suite", name)
		}
	}
	var cas dynamiccertificates.CAContentProvider
	if len(l.clientCAs) > 0 {
		cas = dynamiccertificates.NewUnionCAContentProvider(l.clientCAs...)
		config.ClientAuth = tls.RequestClientCert // the authenticators verify it; a token will do as well
	}
	current := dynamiccertificates.NewDynamicServingCertificateController(config, cas, l.certificate, l.sniCertificates, nil)
	runs := []func(){func() { current.Run(1, ctx.Done()) }}
	for _, source := range l.sources(cas) {
		source.AddListener(current)
		if follower, follows := source.(dynamiccertificates.ControllerRunner); follows {
			if err := follower.RunOnce(ctx); err != nil {
				klog.ErrorS(err, "Reading certificates failed, and is tried again")
			}
			runs = append(runs, func() { follower.Run(ctx, 1) })
		}
	}
	if err := current.RunOnce(); err != nil {
		klog.ErrorS(err, "Taking certificates failed, and is tried again")
	}
	for _, run := range runs {
		go func() {
			if err := panics.Call("following certificates", run); err != nil {
				klog.ErrorS(err, "Changes of certificates count only after a restart")
			}
		}()
	}
	config.GetConfigForClient = current.GetConfigForClient
	return config
}

// sources are all that certificates come from.
func (l *secureListener) sources(cas dynamiccertificates.CAContentProvider) (all []dynamiccertificates.Notifier) {
	if cas != nil {
		all = append(all, cas)
	}
	all = append(all, l.certificate)
	for _, c := range l.sniCertificates {
		all = append(all, c)
	}
	return all
}
