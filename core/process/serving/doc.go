// Package serving is a scheduler's HTTPS server: probes, metrics, configuration, profiles.
//
//	connection ─► TLS ─► request ─► admission ─► panic recovery, log ─► authentication ─► authorization ─► path
//	  an idle one  in turns             429                                  401                403
//	  makes room
//
//	/healthz /livez /readyz           without authorization
//	/metrics /metrics/resources       Prometheus; DELETE resets
//	/metrics/slis
//	/configz                          the configuration with every default
//	/debug/orrery/stream              the scheduler's records as they come, see package stream
//	/debug/pprof/... /debug/flags/v   if profiling is on
//	/flagz /statusz                   if their feature gates are on
//
// The API server authenticates and authorizes (TokenReview, SubjectAccessReview), as for kube-scheduler, through the
// factories and filters of k8s.io/apiserver, whose dynamiccertificates reload what TLS serves. Its own server is left out: it
// brings 131 packages of an API server with it. [Options] are the flags, [Endpoints] the handlers, and [Options.Open] makes a
// [Server] of both.
//
//	options.go         all flags; the client for reviews
//	listen.go          address and certificates
//	connections.go     bounds connections, by address and in all
//	handshakes.go      lets addresses take turns at TLS handshakes
//	admission.go       bounds requests that wait for authentication
//	tls.go             TLS, which follows changes of the certificates
//	sockets_*.go       options of sockets, by platform
//	authentication.go  client certificates, front proxies, tokens
//	authorization.go   allowed paths, system:masters, access reviews
//	endpoints.go       paths
//	verbosity.go       the level of the log
//	server.go          start and stop
//
// # Differences from kube-scheduler
//
//   - /configz shows the configuration in its v1 form, and not by the names of Go fields.
//   - The leader election health check is linked to the elector. In kube-scheduler it is not, so a leader that cannot renew
//     reports itself healthy.
//   - Nothing is registered globally, so one process can serve several schedulers.
//   - Connections, TLS handshakes at once and requests that wait for authentication are bounded, by address and in all. A new connection
//     is taken at the cost of an older one without a user, so that no flood keeps probes out, also not from their own address.
//   - Headers of requests are bounded by 64 KiB, and requests of one HTTP/2 connection by 8 at once.
//   - Bodies of requests are bounded, and so is the level of the log: above 7 it would have what pods keep secret.
package serving
