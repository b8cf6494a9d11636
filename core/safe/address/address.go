package address

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"k8s.io/client-go/rest"

	"orrery/core/safe/printable"
)

// MoveCredentials moves the user name and the password in the server's address to where the client keeps its others.
// Nothing has them then that shows the address or quotes it in an error. As in a request, they override a token.
func MoveCredentials(k *rest.Config) error {
	if !strings.Contains(k.Host, "@") {
		return nil
	}
	host, assumed := k.Host, ""
	if !strings.Contains(host, "://") { // client-go accepts a host and a port alone
		assumed = "https://"
	}
	u, err := url.Parse(assumed + host)
	if err != nil || u.Host == "" {
		return fmt.Errorf("the server's address %q is not one like https://HOST:PORT: if it has a password, escape special characters in it",
			printable.Line(WithoutCredentials(host), 200))
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

// scheme is how an address may begin. What else stands before :// may be a part of a password.
var scheme = regexp.MustCompile(`^(?i:https?|socks5h?)://`)

// WithoutCredentials returns an address without what may be a user name and a password. The address may be malformed.
func WithoutCredentials(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	return scheme.FindString(address[:at]) + address[at+1:]
}

// Public returns an address as it may be shown: without the user name and the password that it has. Text that is no address is cut as
// WithoutCredentials does.
func Public(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return WithoutCredentials(address)
	case u.User == nil:
		return address
	}
	u.User = nil
	return u.String()
}

// credentials are in an address, or in one that was taken for the name of a file and cleaned as such.
var credentials = regexp.MustCompile(`(://|https?:/{1,2})[^\s"]*@`)

// ErrorText returns the text of an error, with the addresses in it without credentials.
func ErrorText(err error) string { return credentials.ReplaceAllString(err.Error(), "$1") }
