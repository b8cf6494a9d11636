package reach_test

import (
	"encoding/pem"
	"net/http/httptest"
	"testing"

	certutil "k8s.io/client-go/util/cert"
)

// keyPair returns a self-signed certificate with its key.
func keyPair(t *testing.T) (certificate, key []byte) {
	t.Helper()
	certificate, key, err := certutil.GenerateSelfSignedCertKey("jane", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return certificate, key
}

// authority returns the certificate of a server, which signed itself.
func authority(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}
