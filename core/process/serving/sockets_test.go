package serving

import (
	"net"
	"strings"
	"testing"
)

func TestSecureOptions_RefusesSharingWithoutSocketOption(t *testing.T) {
	for _, o := range []SecureOptions{{}, {sharePort: true}, {shareAddress: true}, {sharePort: true, shareAddress: true}} {
		if errs := o.validateSharing(true); errs != nil {
			t.Errorf("%+v: %v", o, errs)
		}
		var flags []string
		for _, err := range o.validateSharing(false) {
			name, _, _ := strings.Cut(err.Error(), ":")
			flags = append(flags, name)
		}
		var want []string
		if o.sharePort {
			want = append(want, "--permit-port-sharing")
		}
		if o.shareAddress {
			want = append(want, "--permit-address-sharing")
		}
		if strings.Join(flags, " ") != strings.Join(want, " ") {
			t.Errorf("%+v: refused are %q, want %q", o, flags, want)
		}
	}
}

func TestListen_SharesPort(t *testing.T) {
	if !canShareSockets {
		t.Skip("the platform has no such option of sockets")
	}
	sharing := SecureOptions{BindAddress: net.IPv4(127, 0, 0, 1), sharePort: true}
	config := net.ListenConfig{Control: sharing.setSocketOptions}
	first, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	for _, share := range []bool{true, true, false} {
		o := sharing
		o.BindPort, o.sharePort = first.Addr().(*net.TCPAddr).Port, share
		info, err := o.listen()
		if err == nil {
			defer info.Listener.Close()
		}
		if (err == nil) != share {
			t.Errorf("shared %v: listening on a port that is shared: %v", share, err)
		}
	}
}
