package budget_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestMakePlan(t *testing.T) {
	daemonSet := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "agent"}}
	agent := mk.Pod("agent").Owner("apps/v1", "DaemonSet", "agent")
	bare := mk.Pod("bare")
	scratch := web("scratch")
	scratch.Obj().Spec.Volumes = []v1.Volume{{Name: "tmp", VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}}}
	static := mk.Pod("static")
	static.Obj().Annotations = map[string]string{v1.MirrorPodAnnotationKey: "x"}
	all := budget.DrainOptions{Force: true, IgnoreDaemonSets: true, DeleteEmptyDirData: true}
	tests := []struct {
		name    string
		options budget.DrainOptions
		pods    []*v1.Pod
		want    string
	}{
		{"evicts pods of controllers, except mirror pods", budget.DrainOptions{}, []*v1.Pod{web("a").Obj(), static.Obj()}, "evict a; keep static"},
		{"other pods make it fail", budget.DrainOptions{}, []*v1.Pod{agent.Obj(), bare.Obj(), scratch.Obj(), web("a").Obj()}, `evict a; keep agent bare scratch
cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): default/agent; cannot delete Pods declare no controller (use --force to override): default/bare; cannot delete Pods with local storage (use --delete-emptydir-data to override): default/scratch`},
		{"flags allow other pods", all, []*v1.Pod{agent.Obj(), bare.Obj(), scratch.Obj()}, `evict bare scratch; keep agent
ignoring DaemonSet-managed Pods: default/agent
deleting Pods that declare no controller: default/bare
deleting Pods with local storage: default/scratch`},
		{"evicts terminal pods of any kind", budget.DrainOptions{}, []*v1.Pod{
			mk.Pod("agent").Owner("apps/v1", "DaemonSet", "agent").Phase(v1.PodFailed).Obj(), mk.Pod("bare").Phase(v1.PodSucceeded).Obj(),
		}, "evict agent bare; keep"},
		{"a pod whose daemon set is deleted makes it fail", budget.DrainOptions{IgnoreDaemonSets: true}, []*v1.Pod{
			mk.Pod("orphan").Owner("apps/v1", "DaemonSet", "old").Obj(),
		}, "evict; keep orphan\ncannot delete daemonsets.apps \"old\" not found: default/orphan"},
		{"force evicts a pod whose daemon set is deleted", all, []*v1.Pod{mk.Pod("orphan").Owner("apps/v1", "DaemonSet", "old").Obj()}, "evict orphan; keep\ndaemonsets.apps \"old\" not found: default/orphan"},
		{"skips pods whose deletion is overdue by SkipWait", budget.DrainOptions{SkipWait: time.Minute}, []*v1.Pod{
			web("long").Deleting(noon.Add(-61 * time.Second)).Obj(), web("short").Deleting(noon.Add(-time.Minute)).Obj(),
		}, "evict short; keep long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan, err := budget.MakePlan(tt.options, tt.pods, owners(daemonSet), noon)
			lines := []string{strings.TrimSpace("evict"+names(plan.Evict)) + "; keep" + names(plan.Skip)}
			lines = append(lines, plan.Warnings...)
			if err != nil {
				lines = append(lines, err.Error())
			}
			if diff := cmp.Diff(tt.want, strings.Join(lines, "\n")); diff != "" {
				t.Errorf("the plan (-want +got):\n%s", diff)
			}
		})
	}
}

func names(pods []*v1.Pod) (text string) {
	for _, pod := range pods {
		text += " " + pod.Name
	}
	return text
}

func TestDrain_FatalPlanOnlyCordons(t *testing.T) {
	d := budget.NewDrain("n1", "alice", budget.DrainOptions{}, budget.View{Pods: []*v1.Pod{mk.Pod("bare").Node("n1").Obj()}, Lookup: owners()}, noon, evict.NewRecord())
	calls := d.Calls()
	if done, err := d.Done(); !done || err == nil || len(calls) != 1 || calls[0].Verb != budget.Cordon {
		t.Errorf("done %v with %v after %d calls, want an error after the cordon", done, err, len(calls))
	}
}

func TestDrain_CallDone(t *testing.T) {
	terminating := apierrors.NewForbidden(v1.Resource("pods"), "a", errors.New("it is being terminated"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: v1.NamespaceTerminatingCause}}
	tests := []struct {
		name   string
		answer error
		wake   time.Duration
		done   bool
		err    string
	}{
		{"allowed: wait for the deletion", nil, 0, false, ""},
		{"NotFound: done", apierrors.NewNotFound(v1.Resource("pods"), "a"), 0, true, ""},
		{"429: retry in five seconds", apierrors.NewTooManyRequests("no", 0), 5 * time.Second, false, ""},
		{"terminating namespace: retry in five seconds", terminating, 5 * time.Second, false, ""},
		{"any other error: the pod fails", apierrors.NewForbidden(v1.Resource("pods"), "a", errors.New("not you")), 0, true, `error when evicting pods/"a" -n "default": pods "a" is forbidden: not you`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pod := web("a").Obj()
			d := budget.NewDrain("n1", "alice", budget.DrainOptions{GraceSeconds: ptr(int64(3))}, budget.View{Pods: []*v1.Pod{pod}, Lookup: owners()}, noon, evict.NewRecord())
			if call := d.Calls()[1]; *call.Eviction().DeleteOptions.GracePeriodSeconds != 3 {
				t.Errorf("the eviction's options are %+v", call.Options)
			}
			d.CallDone(noon, pod.UID, tt.answer)
			wake, ok := d.NextWake()
			if ok != (tt.wake > 0) || ok && wake.Sub(noon) != tt.wake {
				t.Errorf("NextWake is %v (%v), want %v later", wake, ok, tt.wake)
			}
			done, err := d.Done()
			if done != tt.done || (err != nil) != (tt.err != "") || err != nil && err.Error() != tt.err {
				t.Errorf("done %v with %v, want %v with %q", done, err, tt.done, tt.err)
			}
		})
	}
}

func TestDrain_DisableEviction(t *testing.T) {
	pod := web("a").Obj()
	record := evict.NewRecord()
	d := budget.NewDrain("n1", "alice", budget.DrainOptions{DisableEviction: true}, budget.View{Pods: []*v1.Pod{pod}, Lookup: owners()}, noon, record)
	call := d.Calls()[1]
	if call.Verb != budget.Delete || *call.Options.Preconditions.UID != pod.UID {
		t.Errorf("the call is %+v, want a deletion of that UID", call)
	}
	d.CallDone(noon, pod.UID, nil)
	terminating := web("a").Deleting(noon.Add(30 * time.Second)).Obj()
	d.Apply(world.Input{At: noon.Add(time.Second), Event: world.Changed{Op: world.Modified, Object: terminating}})
	if open := record.Open(); len(open) != 1 || open[0].Phase != evict.Terminating || open[0].Deadline.Sub(noon) != 30*time.Second {
		t.Errorf("the record has %+v, want Terminating until 30s", open)
	}
	recreated := web("a").UID("new").Obj()
	d.Apply(world.Input{At: noon.Add(2 * time.Second), Event: world.Listed{Kind: world.Pod, Objects: []world.Object{recreated}}})
	if done, err := d.Done(); !done || err != nil {
		t.Errorf("done %v with %v, want done: a recreated pod is another pod", done, err)
	}
}

// Shows API-06.
func TestDiagnose(t *testing.T) {
	slow := web("slow").Deleting(noon.Add(time.Hour)).Obj()
	tests := []struct {
		name    string
		pod     *v1.Pod
		budgets []*policyv1.PodDisruptionBudget
		others  []*v1.Pod
		want    string
	}{
		{"no problem", web("a").Obj(), []*policyv1.PodDisruptionBudget{pdb("b", counts(3, 1, 3, 2))}, nil, ""},
		{"several budgets", web("a").Obj(), []*policyv1.PodDisruptionBudget{pdb("b"), pdb("c")}, nil, "several budgets (the budgets b, c all count the pod)"},
		{"new pods do not become ready", web("a").Obj(), []*policyv1.PodDisruptionBudget{pdb("b", counts(1, 1, 2, 0))}, []*v1.Pod{unready("new").Obj()}, "pods not ready (not ready: new)"},
		{"the last evicted pod takes an hour to stop", web("a").Obj(), []*policyv1.PodDisruptionBudget{pdb("b", counts(1, 1, 2, 0))}, []*v1.Pod{slow}, "pods slow to stop (being deleted: slow) until 1h0m0s"},
		{
			"an eviction was allowed a minute ago", web("a").Obj(),
			[]*policyv1.PodDisruptionBudget{pdb("b", counts(1, 1, 2, 0), disrupted("other", noon.Add(-time.Minute)))},
			[]*v1.Pod{web("other").Obj()},
			"evictions not confirmed (evicted and not being deleted yet: other) until 1m0s",
		},
		{"the budget requires every pod", web("a").Obj(), []*policyv1.PodDisruptionBudget{pdb("b", counts(2, 2, 2, 0))}, nil, "budget requires every pod (the budget b wants 2 of 2 pods healthy at all times)"},
		{"the budget's last change is not observed", web("a").Obj(), []*policyv1.PodDisruptionBudget{pdb("b", func(b *policyv1.PodDisruptionBudget) { b.Generation = 2 })}, nil, "budget not observed (the last change of the budget b has not been counted yet)"},
		{"the budget cannot be counted", web("a").Obj(), []*policyv1.PodDisruptionBudget{pdb("b", refuses("SyncFailed", "why"))}, nil, "budget not counted (the budget b cannot be counted: why)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range budget.Diagnose(tt.pod, tt.budgets, append(tt.others, tt.pod), noon) {
				text := fmt.Sprintf("%s (%s)", s.Kind, s.Detail)
				if !s.Until.IsZero() {
					text += " until " + s.Until.Sub(noon).String()
				}
				got = append(got, text)
				if len(s.Remedies) == 0 {
					t.Errorf("%s has no remedy", s.Kind)
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The remedies, the mildest first.
// Shows API-07 and A-19.
func TestDiagnose_Remedies(t *testing.T) {
	const pause = "stop or pause the automation, and find out why the application does not become ready"
	const directly = "wait, and then delete the pod directly, which bypasses PDBs"
	tests := []struct {
		name    string
		pod     *v1.Pod
		budgets []*policyv1.PodDisruptionBudget
		others  []*v1.Pod
		want    []string
	}{
		{
			"new pods never become ready", web("a").Obj(),
			[]*policyv1.PodDisruptionBudget{pdb("b", counts(1, 1, 2, 0))},
			[]*v1.Pod{unready("new").Obj()},
			[]string{pause, directly},
		},
		{
			"the pod itself is not ready", unready("a").Obj(),
			[]*policyv1.PodDisruptionBudget{pdb("b", counts(0, 1, 2, 0))},
			nil,
			[]string{pause, directly, "set unhealthyPodEvictionPolicy of the budget to AlwaysAllow, so that pods that are not ready may go"},
		},
		{
			"the last evicted pod has a very long grace period", web("a").Obj(),
			[]*policyv1.PodDisruptionBudget{pdb("b", counts(1, 1, 2, 0))},
			[]*v1.Pod{web("slow").Deleting(noon.Add(time.Hour)).Obj()},
			[]string{directly},
		},
		{
			"several budgets", web("a").Obj(),
			[]*policyv1.PodDisruptionBudget{pdb("b"), pdb("c")},
			nil,
			[]string{"narrow the selectors of the budgets, or delete all but one", "delete the pod directly"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problems := budget.Diagnose(tt.pod, tt.budgets, append(tt.others, tt.pod), noon)
			if len(problems) != 1 {
				t.Fatalf("the problems are %+v, want one", problems)
			}
			if diff := cmp.Diff(tt.want, problems[0].Remedies); diff != "" {
				t.Errorf("remedies (-want +got):\n%s", diff)
			}
		})
	}
}
