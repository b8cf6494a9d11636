package framework

// Point is an extension point, under the name that metrics and messages use.
type Point string

// The extension points, in the order in which a pod meets them.
const (
	PreEnqueue               Point = "PreEnqueue"
	QueueSort                Point = "QueueSort"
	Sign                     Point = "Sign"
	PreFilter                Point = "PreFilter"
	PreFilterExtensionAdd    Point = "PreFilterExtensionAddPod"
	PreFilterExtensionRemove Point = "PreFilterExtensionRemovePod"
	Filter                   Point = "Filter"
	PostFilter               Point = "PostFilter"
	PreScore                 Point = "PreScore"
	Score                    Point = "Score"
	ScoreExtensionNormalize  Point = "ScoreExtensionNormalize"
	Reserve                  Point = "Reserve"
	Unreserve                Point = "Unreserve"
	Permit                   Point = "Permit"
	PreBindPreFlight         Point = "PreBindPreFlight"
	PreBind                  Point = "PreBind"
	Bind                     Point = "Bind"
	PostBind                 Point = "PostBind"
)

// ExtenderName stands for all extenders in the list of plugins that rejected a pod.
const ExtenderName = "Extender"
