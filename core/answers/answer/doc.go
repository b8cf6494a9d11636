// Package answer is what a person or a script is told: the [Answer] that "orrery explain" prints, that its JSON is, and that the explain
// pane draws.
//
//	diagnose ──► Answer ──┬──► orrery explain        Headline, Then, Facts, Sections, Remedies
//	                      ├──► orrery explain -o json the fields with a json name
//	                      └──► the explain pane       the same words, Charts, Scores
//
// It is one type whatever was asked: a pod, a node, a claim, all pods that wait of an owner, of a gang, or of the cluster. What does not
// apply is empty. It holds plain values and nothing of an engine. Its texts are unescaped: the code that shows them makes them printable.
package answer
