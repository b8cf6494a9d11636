// Package attest signs what is released, and says how it was made and what is in it, in a form that others' tools check.
//
//	Key        ECDSA on P-256, which openssl and cosign verify
//	Statement  in-toto: what is stated of files by their sums: SLSA provenance, CycloneDX
//	Envelope   DSSE: a statement with its signature, as one line of JSON
//
// A signature depends on nothing but the key and the content, so that a release of the same source has the same bytes with it.
package attest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
)

// Key is a private key to sign with.
type Key struct {
	private *ecdsa.PrivateKey
	public  []byte // PKIX
}

// ReadKey reads a key as "openssl genpkey" or "openssl ecparam -genkey" writes it.
func ReadKey(text []byte) (*Key, error) {
	block, rest := pem.Decode(text)
	if block != nil && block.Type == "EC PARAMETERS" { // which openssl writes above the key
		block, _ = pem.Decode(rest)
	}
	if block == nil {
		return nil, errors.New("it is no key in PEM")
	}
	var parsed any
	var err error
	switch block.Type {
	case "EC PRIVATE KEY":
		parsed, err = x509.ParseECPrivateKey(block.Bytes)
	case "PRIVATE KEY":
		parsed, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	default:
		return nil, fmt.Errorf("it is a %q: a private key without a password is needed", block.Type)
	}
	if err != nil {
		return nil, err
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, errors.New("it is no ECDSA key on the curve P-256")
	}
	public, err := x509.MarshalPKIXPublicKey(private.Public())
	return &Key{private, public}, err
}

// Public returns the key that verifies, as PEM.
func (k *Key) Public() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: k.public})
}

// id names the key in envelopes.
func (k *Key) id() string {
	sum := sha256.Sum256(k.public)
	return hex.EncodeToString(sum[:])
}

// Sign returns the signature of a content in ASN.1, as "openssl dgst -sha256 -verify" reads it.
func (k *Key) Sign(content []byte) ([]byte, error) {
	sum := sha256.Sum256(content)
	return k.private.Sign(nil, sum[:], crypto.SHA256) // without a source of random numbers it is derived from key and content: RFC 6979
}
