package views

import (
	"time"

	"orrery/themes"
)

// Clusters are the clusters that one console watches.
type Clusters struct {
	// Count counts them by state.
	Count [clusterStates]int
	List  List[ClusterRow]
}

// NewClusters makes the list of some clusters.
func NewClusters(rows []ClusterRow) *Clusters {
	c := &Clusters{List: List[ClusterRow]{Total: len(rows), Rows: rows}}
	for i := range rows {
		c.Count[rows[i].State]++
	}
	return c
}

// ClusterState is how a watched cluster is.
type ClusterState uint8

// The states, the worst first. A lost cluster was read and says nothing now; an unreachable one could not be connected to, and is tried
// again. One in trouble has a trouble that keeps pods from running, and one with a warning has another or may be read only in part.
const (
	ClusterLost ClusterState = iota
	ClusterUnreachable
	ClusterTroubled
	ClusterWarned
	ClusterConnecting
	ClusterReading
	ClusterHealthy

	clusterStates
)

var clusterStyles = [clusterStates]glyphStyle{
	ClusterLost:        {'☠', "lost", "lost", themes.Bad},
	ClusterUnreachable: {'⊗', "unreachable", "no answer", themes.Bad},
	ClusterTroubled:    {'✗', "trouble", "trouble", themes.Bad},
	ClusterWarned:      {'≥', "warning", "warning", themes.Warn},
	ClusterConnecting:  {'◌', "connecting", "connects", themes.Dim},
	ClusterReading:     {'◔', "reading", "reading", themes.Dim},
	ClusterHealthy:     {'✓', "healthy", "healthy", themes.Good},
}

// Word returns the state's name.
func (s ClusterState) Word() string { return clusterStyles[s].word }

// news reports whether what is shown of such a cluster is current.
func (s ClusterState) news() bool {
	return s == ClusterTroubled || s == ClusterWarned || s == ClusterHealthy
}

// ClusterRow is one watched cluster. All texts but Key are printable.
type ClusterRow struct {
	// Name is the context's, Key the name as the kubeconfig has it.
	Name, Key string
	State     ClusterState
	// Note is the worst trouble in words, or why no news come; More is how many more troubles there are.
	Note string
	More int
	// Since is since when there are no news of it; zero while they come.
	Since time.Time
	// Read means that it was read, so that what follows is known.
	Read bool
	// Nodes and Pending are how many nodes and pending pods there are. Causes are why the pods are pending, the commonest first, of the
	// Counted pods that are pending for the longest.
	Nodes, Pending, Counted int
	Causes                  []NamedCount
	// Compared and AgreementRate are those of the header.
	Compared      int64
	AgreementRate float64
	Leader        string
	// Kubernetes is the release that is decided as, NewerServer the version of an API server that is newer than all that are modelled.
	Kubernetes, NewerServer string
}

// ReadCluster takes what is known of a cluster from a model of it, whose header and pending causes were collected.
func (r *ClusterRow) ReadCluster(m *Model, now time.Time) {
	h := &m.Header
	r.Read, r.Nodes, r.Note, r.More, r.Since = true, h.Health.Nodes, "", 0, time.Time{}
	if p := m.Causes; p != nil {
		r.Pending, r.Counted, r.Causes = p.Pending, p.Counted, p.Causes
	}
	r.Compared, r.AgreementRate, r.Leader, r.Kubernetes, r.NewerServer = h.Compared, h.AgreementRate, h.Leader, h.Kubernetes, h.NewerServer
	troubles := m.Troubles(now)
	switch {
	case h.Blind:
		r.State, r.Note, r.Since = ClusterLost, h.BlindReason, h.AsOf
	case h.Alert != "" && h.Unreadable == 0:
		r.State, r.Note, r.Read = ClusterReading, h.Alert, false
	case len(troubles) > 0:
		r.State, r.Note, r.More = ClusterWarned, troubles[0].Text, len(troubles)-1
		if troubles[0].Bad {
			r.State = ClusterTroubled
		}
	case h.Unreadable > 0:
		r.State, r.Note = ClusterWarned, h.Alert
	case h.Health.Nodes == 0:
		r.State, r.Note = ClusterWarned, "no node is known yet"
	default:
		r.State, r.Note = ClusterHealthy, countNodes(r.Nodes)+" ready, no pod unschedulable or backing off"
	}
}

// PendingCauses are why pods are pending: of the Counted ones that are pending for the longest, the commonest cause first.
type PendingCauses struct {
	Pending, Counted int
	Causes           []NamedCount
}
