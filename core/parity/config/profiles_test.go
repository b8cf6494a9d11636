package config

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"orrery/core/answers/review"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	orrery "orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	ownframework "orrery/core/scheduler/framework"
)

// Files that both read as valid: both make the same profiles of them, or both refuse for the same plugin.
func TestProfiles_OfRandomFiles(t *testing.T) {
	for name, gates := range gateSets {
		t.Run(name, func(t *testing.T) {
			features := setBoth(t, gates)
			became := difftest.Coverage{}
			compared := difftest.CheckInSynctest(t, comparisons.Profiles.Cases, func(r *difftest.Source) {
				data := file(r)
				c, err := orrery.Load(data, features)
				if err != nil {
					became["refused files"]++
					return
				}
				theirs, theirErr := profilesUpstream(data)
				c.Extenders = nil
				ours, ourErr := engine.New(engine.Options{Config: c})
				if difference := agreeOnProfiles(theirs, theirErr, ours, ourErr); difference != "" {
					r.Fatalf("%s\nfile:\n%s", difference, data)
				}
				found, err := review.Of(data, features, nil)
				switch {
				case err != nil:
					r.Fatalf("reviewing the file: %v\nfile:\n%s", err, data)
				case (theirErr != nil) != (len(found.Errors) > 0):
					r.Fatalf("kube-scheduler returns %v, and the review finds %v\nfile:\n%s", theirErr, found.Errors, data)
				case theirErr != nil:
					became["refused profiles"]++
				default:
					became["profiles"] += len(theirs)
				}
			})
			became.Require(t, compared, "refused files", "refused profiles", "profiles")
		})
	}
}

// profilesUpstream makes the profiles of a file as kube-scheduler does when it starts. Extenders are left out.
func profilesUpstream(data []byte) (map[string]framework.Framework, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer func() {
		cancel()
		time.Sleep(2 * time.Second) // its metrics recorders sleep for a second at a time
	}()
	cfg, err := decodeUpstream(data)
	if err != nil {
		return nil, err
	}
	client := fake.NewSimpleClientset()
	sched, err := scheduler.New(ctx, client, informers.NewSharedInformerFactory(client, 0), nil,
		func(string) events.EventRecorderLogger { return events.NewFakeRecorder(0) }, scheduler.WithProfiles(cfg.Profiles...))
	if err != nil {
		return nil, err
	}
	defer sched.SchedulingQueue.Close()
	return sched.Profiles, nil
}

func agreeOnProfiles(theirs map[string]framework.Framework, theirErr error, ours *engine.Engine, ourErr error) string {
	if theirErr != nil || ourErr != nil {
		if theirErr == nil || ourErr == nil || !strings.HasSuffix(theirErr.Error(), difftest.FirstMistake(ourErr).Error()) {
			return fmt.Sprintf("kube-scheduler makes the profiles with error %v, Orrery with %v", theirErr, ourErr)
		}
		return ""
	}
	if len(theirs) != len(ours.Profiles()) {
		return fmt.Sprintf("kube-scheduler has %d profiles, Orrery %d", len(theirs), len(ours.Profiles()))
	}
	for name, their := range theirs {
		own := ours.Profile(name)
		if own == nil {
			return fmt.Sprintf("Orrery has no profile %q", name)
		}
		if diff := gocmp.Diff(listed(their.ListPlugins()), listedOwn(own)); diff != "" {
			return fmt.Sprintf("profile %s (-kube-scheduler +orrery)\n%s", name, diff)
		}
	}
	return ""
}

func listed(p *config.Plugins) map[string][]string {
	list := map[string][]string{}
	for point, set := range map[ownframework.Point]config.PluginSet{
		ownframework.PreEnqueue: p.PreEnqueue, ownframework.QueueSort: p.QueueSort, ownframework.PreFilter: p.PreFilter,
		ownframework.Filter: p.Filter, ownframework.PostFilter: p.PostFilter, ownframework.PreScore: p.PreScore,
		ownframework.Score: p.Score, ownframework.Reserve: p.Reserve, ownframework.Permit: p.Permit,
		ownframework.PreBind: p.PreBind, ownframework.Bind: p.Bind, ownframework.PostBind: p.PostBind,
	} {
		for _, plugin := range set.Enabled {
			list[string(point)] = append(list[string(point)], fmt.Sprintf("%s %d", plugin.Name, plugin.Weight))
		}
	}
	return list
}

func listedOwn(p *ownframework.Profile) map[string][]string {
	list := map[string][]string{}
	for _, point := range []ownframework.Point{
		ownframework.PreEnqueue, ownframework.QueueSort, ownframework.PreFilter, ownframework.Filter, ownframework.PostFilter,
		ownframework.PreScore, ownframework.Score, ownframework.Reserve, ownframework.Permit, ownframework.PreBind,
		ownframework.Bind, ownframework.PostBind,
	} {
		for _, name := range p.Enabled(point) {
			var weight int64
			if point == ownframework.Score {
				weight = p.Weight(name)
			}
			list[string(point)] = append(list[string(point)], fmt.Sprintf("%s %d", name, weight))
		}
	}
	return list
}
