package address_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"orrery/core/safe/address"
	"orrery/core/testing/fuzz"
)

// FuzzAddress reads addresses of servers that have a password.
//
//orrery:reads core/safe/address
func FuzzAddress(f *testing.F) {
	for _, c := range [][2]string{{"https://me:", "@host:6443"}, {"me:", "@host"}, {"https://", ":pw@[::1]:6443/path?q=1"}, {"https://a/b@c:", "@d"}, {"://", "@"}, {"%zz@", "\x1b@\n"}} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		const secret = "S3CRETpassword"
		if !strings.Contains(after, "@") {
			return // it is no password
		}
		text := before + secret + after
		fuzz.Cost(t, len(text), func() {
			k := &rest.Config{Host: text}
			if err := address.MoveCredentials(k); err != nil {
				fuzz.Error(t, err)
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error has the password: %v", err)
				}
			}
			if got := address.WithoutCredentials(text); strings.Contains(got, secret) {
				t.Errorf("the address has the password: %q", got)
			}
		})
	})
}

// FuzzErrorText reads errors that quote addresses.
//
//orrery:reads core/safe/address
func FuzzErrorText(f *testing.F) {
	f.Add(`Get "https://`, `@host/api": refused`)
	f.Add(`Get "https://me@host": proxyconnect http://x`, `y@proxy" and "https://me@host"`)
	f.Fuzz(func(t *testing.T, before, after string) {
		const secret = "S3CRETpassword"
		if strings.Contains(before+after, secret) {
			return
		}
		text := before + `://me:` + secret + `@host` + after
		var got string
		fuzz.Cost(t, len(text), func() { got = address.ErrorText(errors.New(text)) })
		if strings.Contains(got, secret) {
			t.Errorf("%q has the password", got)
		}
	})
}
