package address_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"orrery/core/safe/address"
)

func TestMoveCredentials_TakesThemOutOfTheAddress(t *testing.T) {
	for _, tt := range []struct{ host, want, user, password, token string }{
		{"https://host:6443/api", "https://host:6443/api", "", "", "t"},
		{"host:6443", "host:6443", "", "", "t"},
		{"https://host/a@b", "https://host/a@b", "", "", "t"},
		{"https://me:s3cret@host:6443/path?q=1", "https://host:6443/path?q=1", "me", "s3cret", ""},
		{"https://me:s%40%2F@host", "https://host", "me", "s@/", ""},
		{"https://me@[::1]:6443", "https://[::1]:6443", "me", "", ""},
		{"me:s3cret@host:6443", "host:6443", "me", "s3cret", ""},
		{"me:s3cret@host:6443/path", "host:6443/path", "me", "s3cret", ""},
	} {
		k := &rest.Config{Host: tt.host, BearerToken: "t"}
		if err := address.MoveCredentials(k); err != nil || k.Host != tt.want || k.Username != tt.user || k.Password != tt.password || k.BearerToken != tt.token {
			t.Errorf("%q became %q of %q, password %q, token %q: %v", tt.host, k.Host, k.Username, k.Password, k.BearerToken, err)
		}
	}
	for _, host := range []string{"https://me:s3/cret@host", "https://me:s3 cret@host", "https://me:s3%zzcret@host", "me:s3\x7fcret@host", "https://me:s3cret@"} {
		err := address.MoveCredentials(&rest.Config{Host: host})
		if err == nil || strings.Contains(err.Error(), "s3") || !strings.Contains(err.Error(), "HOST:PORT") {
			t.Errorf("%q: %v", host, err)
		}
	}
}

func TestPublic_HidesCredentials(t *testing.T) {
	for text, want := range map[string]string{
		"https://host:6443/a@b?c": "https://host:6443/a@b?c", "https://me:pw@host/path": "https://host/path", "https://key@host": "https://host",
		"http://me:p%2Fw@host": "http://host", "https://me:p/w@host": "https://host", "": "", "no address": "no address",
	} {
		if got := address.Public(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestErrorText_HidesCredentialsOfEveryAddress(t *testing.T) {
	for text, want := range map[string]string{
		`Get "https://me:***@host/api": refused`:                    `Get "https://host/api": refused`,
		`"http://me:a/b@proxy" and "https://me@host", not me@there`: `"http://proxy" and "https://host", not me@there`,
		`open /etc/http:/me:pw@host: no such file`:                  `open /etc/http:/host: no such file`,
		`https://host: user me@there may not`:                       `https://host: user me@there may not`,
	} {
		if got := address.ErrorText(errors.New(text)); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestWithoutCredentials_OfAddressesGoodAndBad(t *testing.T) {
	for text, want := range map[string]string{
		"https://host:6443": "https://host:6443", "https://me:pw@host": "https://host", "me:pw@host:6443": "host:6443",
		"https://me:p/w@host": "https://host", "https://me:p@w ://@host": "https://host", "": "",
	} {
		if got := address.WithoutCredentials(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
