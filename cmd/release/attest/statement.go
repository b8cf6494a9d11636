package attest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// PayloadType is that of a statement in an envelope.
const PayloadType = "application/vnd.in-toto+json"

// Types of what is stated.
const (
	provenanceType = "https://slsa.dev/provenance/v1"
	sbomType       = "https://cyclonedx.org/bom"
)

// Subject is a file or an image of which something is stated.
type Subject struct {
	Name   string `json:"name"`
	Digest Digest `json:"digest"`
}

// Digest is a digest in hexadecimal by its algorithm, such as sha256 and gitCommit.
type Digest map[string]string

// SHA256 is a file's subject.
func SHA256(name, sum string) Subject { return Subject{name, Digest{"sha256": sum}} }

// Statement is what is stated of subjects.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     any       `json:"predicate"`
}

func statement(of []Subject, predicateType string, predicate any) Statement {
	return Statement{"https://in-toto.io/Statement/v1", of, predicateType, predicate}
}

// SBOM states that a document in CycloneDX is of a subject.
func SBOM(of Subject, document []byte) Statement {
	return statement([]Subject{of}, sbomType, json.RawMessage(document))
}

// Envelope returns a statement with its signature: a line of JSON.
func (k *Key) Envelope(s Statement) ([]byte, error) {
	payload, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("writing the statement about %s: %w", s.Subject[0].Name, err)
	}
	// What is signed has the type in it, so that a signed statement cannot be taken for anything else.
	signature, err := k.Sign(fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(PayloadType), PayloadType, len(payload), payload))
	if err != nil {
		return nil, fmt.Errorf("signing the statement about %s: %w", s.Subject[0].Name, err)
	}
	type signed struct {
		KeyID string `json:"keyid"`
		Sig   string `json:"sig"`
	}
	line, err := json.Marshal(struct {
		PayloadType string   `json:"payloadType"`
		Payload     string   `json:"payload"`
		Signatures  []signed `json:"signatures"`
	}{PayloadType, base64.StdEncoding.EncodeToString(payload), []signed{{k.id(), base64.StdEncoding.EncodeToString(signature)}}})
	return append(line, '\n'), err
}
