// Package controllerapi checks deployments, replica sets, replication controllers, stateful sets, daemon sets and jobs as the API
// server does, as far as pods come of them: how many, of which template, and how they are replaced.
//
//	Create(object, rules)           apps.go jobs.go
//	Update(changed, old, rules)     the same, and what must not change
//
// Its errors name the fields and say what the API server's do. Defaults are not written into objects: an absent field counts as its
// default. So a job may leave out the restart policy of its pods, for which the API server's default, Always, is refused. A controller
// may do without a selector, and what-ifs change how many completions a job needs.
// Not checked: histories, deadlines, policies for failed pods, and the selectors that jobs get.
package controllerapi
