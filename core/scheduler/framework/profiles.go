package framework

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"

	"orrery/core/scheduler/config"
)

// Profiles are all profiles of one scheduler. They share a queue, so their QueueSort plugins must be equal.
type Profiles struct {
	// List is in the order of the configuration; its first profile sorts the queue.
	List   []*Profile
	byName map[string]*Profile
}

// NewProfiles makes one profile for each configuration, with options by name. Its error tells of all profiles that cannot be
// made, see [ProfileErrors].
func NewProfiles(ctx context.Context, r Registry, configs []config.Profile, options func(name string) Options) (*Profiles, error) {
	if len(configs) == 0 {
		return nil, errors.New("at least one profile is required")
	}
	all := &Profiles{byName: map[string]*Profile{}}
	var errs []error
	for _, c := range configs {
		p, err := NewProfile(ctx, r, c, options(c.SchedulerName))
		if err != nil {
			errs = append(errs, fmt.Errorf("creating profile for scheduler name %s: %w", c.SchedulerName, err))
		}
		if len(errs) > 0 {
			continue // no more than what else is wrong matters
		}
		if err := all.check(configs[0], c, p); err != nil {
			return nil, err
		}
		all.List = append(all.List, p)
		all.byName[p.name] = p
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return all, nil
}

// ByName finds the profile of a scheduler name, or nil.
func (all *Profiles) ByName(schedulerName string) *Profile { return all.byName[schedulerName] }

func (all *Profiles) check(first, c config.Profile, p *Profile) error {
	if c.SchedulerName == "" {
		return errors.New("scheduler name is needed")
	}
	if c.Plugins == nil {
		return fmt.Errorf("plugins required for profile with scheduler name %q", p.name)
	}
	if all.byName[p.name] != nil {
		return fmt.Errorf("duplicate profile with scheduler name %q", p.name)
	}
	if len(all.List) == 0 {
		return nil
	}
	sort, firstSort := p.points.queueSort[0].Plugin, all.List[0].points.queueSort[0].Plugin
	if sort != firstSort {
		return fmt.Errorf("different queue sort plugins for profile %q: %q, first: %q", p.name, sort, firstSort)
	}
	if !equality.Semantic.DeepEqual(c.Args[sort], first.Args[sort]) {
		return fmt.Errorf("different queue sort plugin args for profile %q", p.name)
	}
	return nil
}
