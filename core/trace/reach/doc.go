// Package reach finds the scheduler that leads in a cluster, and opens connections to it.
//
//	Lease ──► Leader: its identity is HOSTNAME_UUID ──┐
//	pod/NAME, deploy/NAME ────────────────────────────┴──► Pod ──► Forward ──► Client: HTTPS to the pod's port
//	URL ──────────────────────────────────────────────────────────────────► Client: HTTPS to the address
//
// A hostname is the name of its pod, and with host networking that of the pod's node.
//
// # Credentials
//
// Both clients authenticate as the user of a rest.Config, by a client certificate or a bearer token. A certificate says who the user is
// and proves it without giving away its key, so that every server may see it. A token can be used by every server that sees it, so it
// goes only where the way there says who that is:
//
//   - Through a port-forward the API server, whose certificate was verified, chooses the pod by its name. The scheduler's own certificate
//     is usually self-signed and is not verified: it would add nothing. Who can create pods of that name in that namespace can read the token.
//   - To an address the server's certificate has to be valid for the config's certificate authority. Without that check, or without TLS,
//     the token stays here.
package reach
