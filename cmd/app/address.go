package app

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
)

// moveCredentials moves the user name and the password in the server's address to where the client keeps its others.
// Nothing has them then that shows the address or quotes it in an error. As in a request, they override a token.
func moveCredentials(k *rest.Config) error {
	if !strings.Contains(k.Host, "@") {
		return nil
	}
	address, assumed := k.Host, ""
	if !strings.Contains(address, "://") { // client-go accepts a host and a port alone
		assumed = "https://"
	}
	u, err := url.Parse(assumed + address)
	if err != nil || u.Host == "" {
		return fmt.Errorf("the server's address %q is not one like https://HOST:PORT: if it has a password, escape special characters in it",
			withoutCredentials(address))
	}
	if u.User == nil {
		return nil
	}
	k.Username = u.User.Username()
	k.Password, _ = u.User.Password()
	k.BearerToken, k.BearerTokenFile = "", ""
	u.User = nil
	k.Host = strings.TrimPrefix(u.String(), assumed)
	return nil
}

// withoutCredentials returns an address without what may be a user name and a password. The address may be malformed.
func withoutCredentials(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	scheme := ""
	if end := strings.Index(address[:at], "://"); end >= 0 {
		scheme = address[:end+len("://")]
	}
	return scheme + address[at+1:]
}

var credentials = regexp.MustCompile(`://[^\s"]*@`)

// hideCredentials removes the credentials from all addresses in the text of an error.
func hideCredentials(err error) string { return credentials.ReplaceAllString(err.Error(), "://") }

// addressValue is a flag with an address. It is listed, logged and repeated without the credentials.
type addressValue struct{ pflag.Value }

func (a addressValue) String() string { return withoutCredentials(a.Value.String()) }

// hideAddress makes a flag of a set an addressValue.
func hideAddress(set *pflag.FlagSet, name string) {
	flag := set.Lookup(name)
	flag.Value = addressValue{flag.Value}
}
