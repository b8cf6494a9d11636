package app

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"orrery/core/trace/stream"
)

// A refusal names what is missing: the certificate's authority, a token that was not sent, a scheduler that can check tokens, or a rule.
func TestWithRemedy_NamesWhatIsMissing(t *testing.T) {
	unverifiable := httptest.NewTLSServer(http.NotFoundHandler())
	unverifiable.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer unverifiable.Close()
	_, unverified := stream.Open(t.Context(), http.DefaultClient, unverifiable.URL, 0)
	for name, c := range map[string]struct {
		err      error
		withheld bool
		remedy   string
	}{
		"an unknown authority": {unverified, false, "; name its authority with --certificate-authority (with --cert-dir "},
		"a withheld token":     {&stream.Refusal{Status: 401}, true, "; the token is not sent without a check of the server's certificate: "},
		"an anonymous user":    {&stream.Refusal{Status: 403, Text: `forbidden: User "system:anonymous" cannot get`}, false, "; the scheduler has not authenticated the user: "},
		"a known user":         {&stream.Refusal{Status: 403, Text: `forbidden: User "ann" cannot get`}, false, `; the rule "get" of the nonResourceURL /debug/orrery/stream is missing`},
		"no stream":            {&stream.Refusal{Status: 500}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			said, found := strings.CutPrefix(withRemedy(c.err, c.withheld).Error(), c.err.Error())
			if !found || !strings.HasPrefix(said, c.remedy) || (said == "") != (c.remedy == "") {
				t.Errorf("the remedy is %q, want %q", said, c.remedy)
			}
		})
	}
}
