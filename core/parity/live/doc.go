// Package live holds a whole replica of Orrery against a real API server: scheduling, what is written along the way,
// leader election, and what survives when connections and servers do not.
package live
