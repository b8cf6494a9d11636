package release

// Rule is one difference between the decisions of releases. rules.go is the list of them all.
type Rule uint8

// Row describes a rule.
type Row struct {
	// Name is the rule's name in code and documents.
	Name string
	// Number is the rule's row in the list of what changed between the releases, such as 36-1.
	Number string
	// First is the first release that follows the rule. Last is the last one; Newest is followed by whatever comes after it.
	First, Last Release
	// Sentence says what the releases that follow the rule do, and what the others do.
	Sentence string
	// Upstream is the KEP or pull request of kubernetes/kubernetes that made the change, where it is known.
	Upstream string
}

// The rules, in the order of their numbers.
const (
	BalanceByImprovement Rule = iota
)

var rows = [...]Row{
	BalanceByImprovement: {
		Name: "BalanceByImprovement", Number: "36-1", First: V136, Last: Newest,
		Sentence: "NodeResourcesBalancedAllocation scores how much a pod improves the balance of a node: 50 to 100, about 75 if nothing changes. Before, it scores the balance with the pod.",
	},
}

// Rules returns the rules in the order of their numbers.
func Rules() []Rule {
	all := make([]Rule, len(rows))
	for i := range all {
		all[i] = Rule(i)
	}
	return all
}

// Row returns the rule's row.
func (rule Rule) Row() Row { return rows[rule] }

// String returns the rule's name.
func (rule Rule) String() string { return rows[rule].Name }

// In reports whether a release follows the rule.
func (rule Rule) In(r Release) bool { return rows[rule].First <= r && r <= rows[rule].Last }
