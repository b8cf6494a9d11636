// Package serving answers over HTTPS what people, probes and dashboards ask a running scheduler.
//
//	request ─► TLS ─► panic recovery, log ─► who is it? ─► may they? ─► path
//	                                          401           403
//
//	/healthz /livez /readyz           for anybody
//	/metrics /metrics/resources       Prometheus; DELETE resets
//	/metrics/slis
//	/configz                          the configuration, with every default spelled out
//	/debug/pprof/... /debug/flags/v   if profiling is on
//	/flagz /statusz                   if their feature gates are on
//
// Who somebody is, and whether they may, is asked of the API server (TokenReview, SubjectAccessReview), as kube-scheduler
// does, with k8s.io/apiserver's own options and filters. [Options] are the flags, [Endpoints] what is behind the paths,
// and [Options.Open] makes a [Server] of both.
//
// # Differences from kube-scheduler
//
//   - /configz shows the configuration as one would write it, in the v1 form, and not by the names of Go fields.
//   - The leader election check of the health endpoints is linked to the elector. In kube-scheduler it is not, so that
//     a leader that cannot renew calls itself healthy.
//   - Nothing is registered in the process at large, so that one process can serve several schedulers.
package serving
