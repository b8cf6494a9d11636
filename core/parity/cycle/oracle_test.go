package cycle

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"orrery/core/parity/assumed"
	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
	"orrery/core/world"
)

// oracleScheduler is a kube-scheduler of another release, in a process of its own.
type oracleScheduler struct {
	process *oracle.Process
	compare *decisionCase
	client  *recordingClient
	state   *oracle.Reply // the last one
}

// compareRelease runs a case on the oracle of a release, and on Orrery as that release decides. It returns kube-scheduler's log, too.
func compareRelease(t *testing.T, c *clusterCase, r release.Release, process *oracle.Process, seen difftest.Coverage) (log []string, mismatch string) {
	gates := gatesOf(r, c.Gates)
	s, ourErr := readAs(c, r, gates)
	synctest.Test(t, func(*testing.T) {
		p := s.newCase(c, seen)
		their, refused := p.startOracle(process, c, gates)
		if refused != nil || ourErr != nil {
			if refused == nil {
				their.stop()
			}
			seen.Count("configurations not run")
			mismatch = rejected(refused, ourErr)
			return
		}
		p.upstream, p.client = their, their.client
		mismatch = p.runBoth(c)
		log = p.log
	})
	return log, mismatch
}

// gatesOf are a case's gates as far as a release takes them: it may have locked one, or no longer have it.
func gatesOf(r release.Release, gates map[string]bool) map[string]bool {
	if _, err := config.ParseFeaturesOf(r, gates); err == nil {
		return gates
	}
	taken := map[string]bool{}
	for name, on := range gates {
		if _, err := config.ParseFeaturesOf(r, map[string]bool{name: on}); err == nil {
			taken[name] = on
		}
	}
	return taken
}

// readAs loads a configuration on Orrery's side, as a release does.
func readAs(c *clusterCase, r release.Release, gates map[string]bool) (*settings, error) {
	features, err := config.ParseFeaturesOf(r, gates)
	if err != nil {
		return &settings{}, err
	}
	ours, err := config.Load(c.ConfigYAML(), features)
	if err == nil {
		ours.Parallelism = oneWorker
	}
	return &settings{orreryConfig: ours, features: features, popFromBackoff: features.Enabled(config.SchedulerPopFromBackoffQ)}, err
}

// startOracle starts a scheduler in the oracle, or returns why that refuses the case.
func (p *decisionCase) startOracle(process *oracle.Process, c *clusterCase, gates map[string]bool) (*oracleScheduler, error) {
	o := &oracleScheduler{process: process, compare: p, client: &recordingClient{claims: p.newClaimServer(nil)}}
	o.ask(oracle.Request{Begin: &oracle.Case{
		Gates: gates, Config: string(c.ConfigYAML()), Extenders: c.Extenders, Refused: c.Refused, Uncleared: c.Uncleared,
	}})
	if o.state.Refused != "" {
		return nil, fmt.Errorf("kube-scheduler: %s", o.state.Refused)
	}
	return o, nil
}

// ask sends a request, and takes what the scheduler did.
func (o *oracleScheduler) ask(r oracle.Request) {
	r.At, r.Version = time.Now().UnixNano(), o.compare.version
	reply, err := o.process.Ask(r)
	must(err)
	if later := time.Until(time.Unix(0, reply.At)); later > 0 { // the scheduler slept
		time.Sleep(later)
		synctest.Wait()
	}
	o.compare.version = max(o.compare.version, reply.Version)
	o.state = reply
	for _, call := range reply.Calls {
		o.client.calls = append(o.client.calls, apiCallOf(call))
	}
	for _, object := range reply.Written {
		o.client.written = append(o.client.written, decodeObject(object))
	}
	for _, e := range reply.Events {
		o.client.events = append(o.client.events, fmt.Sprint(e.Pod, " ", e.Type, " ", e.Reason, " ", e.Action, ": ", plain(e.Note)))
	}
	claims := o.client.claims
	for _, object := range reply.Claims {
		claim := decodeObject(object).(*resourcev1.ResourceClaim)
		claims.Versions = append(claims.Versions, claim)
		claims.Written[claim.Name] = claim
	}
	for _, name := range reply.Freed {
		claims.Written[name] = nil
	}
}

func apiCallOf(c oracle.Call) apiCall {
	call := apiCall{pod: types.NamespacedName{Namespace: c.Namespace, Name: c.Name}, bind: c.Bind, delete: c.Delete}
	if c.Patch != "" {
		call.patch = []byte(plain(c.Patch))
	}
	return call
}

// decodeObject reads an object by the types of this module's release.
func decodeObject(o oracle.Object) world.Object {
	group, err := schema.ParseGroupVersion(o.APIVersion)
	must(err)
	made, err := scheme.Scheme.New(group.WithKind(o.Kind))
	must(err)
	must(json.Unmarshal(o.JSON, made))
	return made.(world.Object)
}

func encodeObject(object world.Object) oracle.Object {
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	must(err)
	text, err := json.Marshal(object)
	must(err)
	return oracle.Object{APIVersion: kinds[0].GroupVersion().String(), Kind: kinds[0].Kind, JSON: text}
}

func (o *oracleScheduler) apply(c world.Changed) {
	op, known := map[world.Op]oracle.Op{world.Added: oracle.Added, world.Modified: oracle.Modified, world.Deleted: oracle.Deleted}[c.Op]
	if !known {
		panic(fmt.Sprintf("a change that is none: %v", c.Op))
	}
	o.ask(oracle.Request{Change: &oracle.Change{Op: op, Object: encodeObject(c.Object)}})
}

func (o *oracleScheduler) elapse(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
	o.ask(oracle.Request{})
}

func (o *oracleScheduler) step() *decision {
	o.ask(oracle.Request{Decide: true})
	d := o.state.Decision
	if d == nil {
		return nil
	}
	made := &decision{
		Pod: d.Pod, Node: d.Node, Message: plain(d.Message), Nominated: unchanged, Rejections: map[string]int{},
		Start: d.Start, Examined: d.Examined, Feasible: d.Feasible, Next: d.Next,
	}
	if d.Nominated != nil {
		made.Nominated = *d.Nominated
	}
	for _, r := range d.Rejections {
		made.Rejections[plain(r.Plugin+": "+r.Reason)] += r.Nodes
	}
	return made
}

func (o *oracleScheduler) stop() { o.ask(oracle.Request{End: true}) }

func (o *oracleScheduler) pod(pod *v1.Pod) oracle.Pod {
	return o.state.Pods[pod.Namespace+"/"+pod.Name]
}

func (o *oracleScheduler) queueOf(pod *v1.Pod) string {
	if queue := o.pod(pod).Queue; queue != "" {
		return queue
	}
	return "elsewhere"
}

func (o *oracleScheduler) record(pod *v1.Pod) (record, bool) {
	is := o.pod(pod)
	names := func(list []string) []string { return append([]string{}, list...) }
	return record{
		Attempts: is.Attempts, Unschedulable: is.Unschedulable, Errors: is.Errors,
		Rejectors: names(is.Rejectors), Pending: names(is.Pending), Gate: is.Gate,
	}, is.Known
}

func (o *oracleScheduler) wouldGate(plugin string, pod *v1.Pod) bool {
	return slices.Contains(o.pod(pod).Gates, plugin)
}

func (o *oracleScheduler) nominatedTo(node string) []string { return o.state.Nominated[node] }

func (o *oracleScheduler) assumed() assumed.Objects {
	all := assumed.Objects{Volumes: map[string]*v1.PersistentVolume{}, Claims: map[string]*v1.PersistentVolumeClaim{}}
	for name, text := range o.state.AssumedVolumes {
		all.Volumes[name] = &v1.PersistentVolume{}
		must(json.Unmarshal(text, all.Volumes[name]))
	}
	for name, text := range o.state.AssumedClaims {
		all.Claims[name] = &v1.PersistentVolumeClaim{}
		must(json.Unmarshal(text, all.Claims[name]))
	}
	return all
}

func (o *oracleScheduler) takenDevices() []string { return o.state.Devices }
