package views

// panes are all panes but the overview, in the order of their digits.
var panes = []*Pane{
	queuePane.pane(),
	snapshotPane.pane(),
	nodesPane.pane(),
	podsPane.pane(),
	&zonesPane,
	evictionsPane.pane(),
	&leaderPane,
	decisionsPane.pane(),
	pluginsPane.pane(),
	&metricsPane,
	explainPane.pane(),
	journeyPane.pane(),
	nodePane.pane(),
	whatIfPane.pane(),
	timelinePane.pane(),
	&helpPane,
	agreementPane.pane(),
	pressurePane.pane(),
	pendingPane.pane(),
	orreryOf(),
	storagePane.pane(),
	volumesPane.pane(),
	devicesPane.pane(),
	deviceClaimsPane.pane(),
	gangsPane.pane(),
	comparePane.pane(),
	clustersPane.pane(),
}

// Panes returns all panes but the overview.
func Panes() []*Pane { return panes }

// PaneOf returns a pane by its ID; nil for the overview.
func PaneOf(id PaneID) *Pane {
	for _, p := range panes {
		if p.ID == id {
			return p
		}
	}
	return nil
}
