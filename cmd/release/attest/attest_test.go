package attest

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// private is the same key in each run.
func private(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func inPEM(t *testing.T, kind string, der []byte, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func TestReadKey_AsOpenSSLWritesIt(t *testing.T) {
	sec1, err := x509.MarshalECPrivateKey(private(t))
	older := inPEM(t, "EC PRIVATE KEY", sec1, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private(t))
	newer := inPEM(t, "PRIVATE KEY", pkcs8, err)
	curve := pem.EncodeToMemory(&pem.Block{Type: "EC PARAMETERS", Bytes: []byte{6, 8, 42, 134, 72, 206, 61, 3, 1, 7}})
	for name, text := range map[string][]byte{"genpkey": newer, "ecparam -noout": older, "ecparam": append(curve, older...)} {
		k, err := ReadKey(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		signature, err := k.Sign([]byte("content"))
		sum := sha256.Sum256([]byte("content"))
		if err != nil || !ecdsa.VerifyASN1(&private(t).PublicKey, sum[:], signature) {
			t.Errorf("%s: the signature is not one of the key, %v", name, err)
		}
		if again, _ := k.Sign([]byte("content")); !bytes.Equal(again, signature) {
			t.Errorf("%s: another signature of the same content differs", name)
		}
	}
}

func TestReadKey_RefusesOthers(t *testing.T) {
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	inRSA, err := x509.MarshalPKCS8PrivateKey(other)
	for text, want := range map[string]string{
		"": "it is no key in PEM",
		string(inPEM(t, "PRIVATE KEY", inRSA, err)):         "it is no ECDSA key on the curve P-256",
		string(inPEM(t, "ENCRYPTED PRIVATE KEY", nil, nil)): "without a password",
	} {
		if _, err := ReadKey([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// reader verifies envelopes with what is published, by the library of the format's authors.
type reader struct{ public *ecdsa.PublicKey }

func (r reader) Verify(_ context.Context, data, signature []byte) error {
	sum := sha256.Sum256(data)
	if !ecdsa.VerifyASN1(r.public, sum[:], signature) {
		return errors.New("the signature is not of this")
	}
	return nil
}

// KeyID is the sum of the key, by which envelopes name it.
func (r reader) KeyID() (string, error) {
	der, err := x509.MarshalPKIXPublicKey(r.public)
	return fmt.Sprintf("%x", sha256.Sum256(der)), err
}

func (r reader) Public() crypto.PublicKey { return r.public }

func TestEnvelope_IsVerifiedByOthers(t *testing.T) {
	sec1, err := x509.MarshalECPrivateKey(private(t))
	k, err := ReadKey(inPEM(t, "EC PRIVATE KEY", sec1, err))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(k.Public())
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := dsse.NewEnvelopeVerifier(reader{public.(*ecdsa.PublicKey)})
	if err != nil {
		t.Fatal(err)
	}
	archive := SHA256("orrery.tar.gz", "abc")
	for _, s := range []Statement{
		SBOM(archive, []byte(`{"bomFormat":"CycloneDX"}`)),
		Provenance([]Subject{archive}, Build{Source: "https://example.com/orrery", Commit: "0a1b", Target: "archives", Given: map[string]string{"version": "v1.2.3"}, Go: "go1.26.0", Date: "0"}),
	} {
		line, err := k.Envelope(s)
		if err != nil || bytes.Count(line, []byte("\n")) != 1 {
			t.Fatalf("it is %q, %v", line, err)
		}
		var envelope dsse.Envelope
		if err := json.Unmarshal(line, &envelope); err != nil {
			t.Fatal(err)
		}
		if _, err := verifier.Verify(t.Context(), &envelope); err != nil {
			t.Errorf("%s: %v", s.PredicateType, err)
		}
		payload, _ := envelope.DecodeB64Payload()
		for _, want := range []string{`"_type":"https://in-toto.io/Statement/v1"`, `"subject":[{"name":"orrery.tar.gz","digest":{"sha256":"abc"}}]`, `"predicateType":"` + s.PredicateType} {
			if !strings.Contains(string(payload), want) {
				t.Errorf("the statement lacks %s: %s", want, payload)
			}
		}
		envelope.PayloadType = "text/plain"
		if _, err := verifier.Verify(t.Context(), &envelope); err == nil {
			t.Error("it is taken for something else")
		}
	}
}

func TestProvenance_NamesTheSource(t *testing.T) {
	text, err := json.Marshal(Provenance([]Subject{SHA256("a", "b")}, Build{Source: "https://example.com/orrery", Commit: "0a1b", Target: "image", Go: "go1.26.0", Date: "7"}).Predicate)
	want := `{"buildDefinition":{"buildType":"https://example.com/orrery/docs/release.md#signatures","externalParameters":{"target":"image"},"internalParameters":{"SOURCE_DATE_EPOCH":"7"},` +
		`"resolvedDependencies":[{"uri":"git+https://example.com/orrery","digest":{"gitCommit":"0a1b"}},{"uri":"pkg:golang/stdlib@go1.26.0"}]},"runDetails":{"builder":{"id":"https://example.com/orrery/cmd/release"}}}`
	if err != nil || string(text) != want {
		t.Errorf("it is %s, %v", text, err)
	}
}
