package assist

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The bounds of the HTTP transport.
const (
	//orrery:limit assistants; a request over HTTP, in bytes; refused with 413
	maxRequest = 1 << 20
	//orrery:limit assistants; how long a session over HTTP may say nothing; it is closed
	idleSession = 30 * time.Minute
)

// Handler serves a server by streamable HTTP to those who have the token. Requests of web pages of other origins are refused, and those that
// came by another name than this machine's own, since a page may have that resolved to the loopback address.
func Handler(s *mcp.Server, token string) http.Handler {
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
		SessionTimeout: idleSession, MaxRequestBodyBytes: maxRequest,
	})
	want := sha256.Sum256([]byte(token))
	authorized := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(given))
		if !is || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a bearer token is required: it is in the file of --token-file", http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})
	return http.NewCrossOriginProtection().Handler(authorized)
}
