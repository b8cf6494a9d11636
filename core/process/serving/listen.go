package serving

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/klog/v2"
)

// Port is kube-scheduler's.
const Port = 10259

const sharePortFlag, shareAddressFlag = "permit-port-sharing", "permit-address-sharing"

// SecureOptions are the flags for the listener and its TLS.
type SecureOptions struct {
	BindAddress net.IP
	BindPort    int

	certDir, certFile, keyFile string
	sniCerts                   []cliflag.NamedCertKey
	cipherSuites               []string
	minVersion                 string

	disableHTTP2            bool
	http2Streams            int
	sharePort, shareAddress bool
}

func defaultSecure() SecureOptions {
	return SecureOptions{BindAddress: net.IPv4zero, BindPort: Port}
}

func (o *SecureOptions) addFlags(fs *pflag.FlagSet) {
	fs.IPVar(&o.BindAddress, "bind-address", o.BindAddress,
		"The IP address to serve HTTPS on. 0.0.0.0 and :: stand for all interfaces and both IP families.")
	fs.IntVar(&o.BindPort, "secure-port", o.BindPort, "The port to serve HTTPS on, with authentication and authorization. 0 serves nothing.")
	fs.BoolVar(&o.disableHTTP2, "disable-http2-serving", false, "Serve HTTP/1.1 only.")
	fs.StringVar(&o.certDir, "cert-dir", "",
		"The directory of the generated TLS certificate. Ignored if --tls-cert-file and --tls-private-key-file are set. If empty, the certificate is kept in memory.")
	fs.StringVar(&o.certFile, "tls-cert-file", "",
		"The file with the x509 certificate for HTTPS, followed by those of its CAs. Without it and --tls-private-key-file a self-signed certificate is generated.")
	fs.StringVar(&o.keyFile, "tls-private-key-file", "", "The file with the x509 private key of --tls-cert-file.")
	fs.StringSliceVar(&o.cipherSuites, "tls-cipher-suites", nil,
		"The server's cipher suites, comma-separated. If empty, Go's defaults.\nPreferred values: "+strings.Join(cliflag.PreferredTLSCipherNames(), ", ")+
			".\nInsecure values: "+strings.Join(cliflag.InsecureTLSCipherNames(), ", ")+".")
	fs.StringVar(&o.minVersion, "tls-min-version", "", "The lowest TLS version: "+strings.Join(cliflag.TLSPossibleVersions(), ", "))
	fs.Var(cliflag.NewNamedCertKeyArray(&o.sniCerts), "tls-sni-cert-key",
		"A certificate file and a key file, and optionally the domain patterns they are for; without patterns the names in the certificate count. "+
			"Can be repeated. Examples: \"example.crt,example.key\" or \"foo.crt,foo.key:*.foo.com,foo.com\".")
	fs.IntVar(&o.http2Streams, "http2-max-streams-per-connection", 0, "The most streams that a client may have in one HTTP/2 connection. 0 is "+strconv.Itoa(http2Streams)+".")
	fs.BoolVar(&o.sharePort, sharePortFlag, false, "Bind the port with SO_REUSEPORT, so that several processes can.")
	fs.BoolVar(&o.shareAddress, shareAddressFlag, false, "Bind the port with SO_REUSEADDR, so that sockets in TIME_WAIT do not keep it.")
}

func (o *SecureOptions) validate() []error {
	errs := o.validateSharing(canShareSockets)
	if o.BindPort < 0 || o.BindPort > 65535 {
		errs = append(errs, fmt.Errorf("--secure-port %d must be between 0 and 65535; 0 serves nothing", o.BindPort))
	}
	return errs
}

// validateSharing rejects the flags for socket options that the platform does not have.
func (o *SecureOptions) validateSharing(can bool) []error {
	var errs []error
	for _, f := range []struct {
		name  string
		given bool
	}{{sharePortFlag, o.sharePort}, {shareAddressFlag, o.shareAddress}} {
		if f.given && !can {
			errs = append(errs, fmt.Errorf("--%s: this platform has no such option of sockets: leave the flag out", f.name))
		}
	}
	return errs
}

// listen opens the port and reads or generates the certificate. It returns nil for port 0.
func (o *SecureOptions) listen() (*secureListener, error) {
	if o.BindPort == 0 {
		return nil, nil
	}
	l, err := o.secureListener()
	if err != nil {
		return nil, err
	}
	config := net.ListenConfig{Control: o.setSocketOptions}
	if l.Listener, err = config.Listen(context.Background(), "tcp", net.JoinHostPort(o.BindAddress.String(), strconv.Itoa(o.BindPort))); err != nil {
		return nil, fmt.Errorf("opening --secure-port: %w", err)
	}
	return l, nil
}

func (o *SecureOptions) setSocketOptions(_, _ string, conn syscall.RawConn) error {
	var set error
	err := conn.Control(func(fd uintptr) { set = shareSocket(fd, o.sharePort, o.shareAddress) })
	if set != nil {
		klog.ErrorS(set, "Setting a socket option failed")
	}
	return err
}

// secureListener returns what the flags say of TLS, without a port.
func (o *SecureOptions) secureListener() (l *secureListener, err error) {
	l = &secureListener{withoutHTTP2: o.disableHTTP2, streams: http2Streams}
	if o.http2Streams > 0 {
		l.streams = o.http2Streams
	}
	if l.certificate, err = o.certificate(); err != nil {
		return nil, err
	}
	if len(o.cipherSuites) > 0 {
		if l.cipherSuites, err = cliflag.TLSCipherSuites(o.cipherSuites); err != nil {
			return nil, fmt.Errorf("--tls-cipher-suites: %w", err)
		}
	}
	if l.minVersion, err = cliflag.TLSVersion(o.minVersion); err != nil {
		return nil, fmt.Errorf("--tls-min-version: %w", err)
	}
	if !o.disableHTTP2 && len(l.cipherSuites) > 0 && l.minVersion < tls.VersionTLS13 && !slices.ContainsFunc(l.cipherSuites, ofHTTP2) {
		return nil, errors.New("--tls-cipher-suites: HTTP/2 needs TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 or TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: " +
			"add one, or set --disable-http2-serving")
	}
	for _, sni := range o.sniCerts {
		cert, err := dynamiccertificates.NewDynamicSNIContentFromFiles("sni-serving-cert", sni.CertFile, sni.KeyFile, sni.Names...)
		if err != nil {
			return nil, fmt.Errorf("--tls-sni-cert-key: %w", err)
		}
		l.sniCertificates = append(l.sniCertificates, cert)
	}
	return l, nil
}

// ofHTTP2 reports whether a cipher suite is one of those that HTTP/2 over TLS 1.2 requires.
func ofHTTP2(suite uint16) bool {
	return suite == tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 || suite == tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
}

// certificate is the one of the files, or a self-signed one, which --cert-dir keeps for the next start.
func (o *SecureOptions) certificate() (dynamiccertificates.CertKeyContentProvider, error) {
	certFile, keyFile := o.certFile, o.keyFile
	if certFile == "" && keyFile == "" {
		if o.certDir == "" {
			cert, key, err := o.selfSigned()
			if err != nil {
				return nil, err
			}
			return dynamiccertificates.NewStaticCertKeyContent("self-signed serving-cert", cert, key)
		}
		certFile, keyFile = filepath.Join(o.certDir, component+".crt"), filepath.Join(o.certDir, component+".key")
		if err := o.generateFiles(certFile, keyFile); err != nil {
			return nil, fmt.Errorf("--cert-dir: %w", err)
		}
	}
	return dynamiccertificates.NewDynamicServingContentFromFiles("serving-cert", certFile, keyFile)
}

func (o *SecureOptions) generateFiles(certFile, keyFile string) error {
	if there, err := certutil.CanReadCertAndKey(certFile, keyFile); there || err != nil {
		return err
	}
	cert, key, err := o.selfSigned()
	if err != nil {
		return err
	}
	if err := certutil.WriteCert(certFile, cert); err != nil {
		return err
	}
	klog.InfoS("Generated a self-signed certificate", "certificate", certFile, "key", keyFile)
	return keyutil.WriteKey(keyFile, key)
}

func (o *SecureOptions) selfSigned() (cert, key []byte, err error) {
	addresses, names := []net.IP{net.IPv4(127, 0, 0, 1)}, []string(nil)
	if o.BindAddress.IsUnspecified() {
		names = []string{"localhost"}
	} else {
		addresses = append(addresses, o.BindAddress)
	}
	cert, key, err = certutil.GenerateSelfSignedCertKey("localhost", addresses, names)
	if err != nil {
		return nil, nil, fmt.Errorf("generating a self-signed certificate: %w", err)
	}
	return cert, key, nil
}
