// Package collect fills the read models of package views from an engine: the one place that knows both.
//
//	engine ──► Collector.Model(engine, Look) ──► *views.Model ──► views.Screen
//
// A [Look] says what is on the screen. Only that is collected: of a list the rows of the window, of a node nothing that
// has not changed since the last frame, which the generation tells. What is handed out is not changed afterwards, so it
// may be drawn while the engine goes on. A Collector itself belongs to whoever owns the engine.
//
// Every string passes package printable on its way, and times are the engine's.
package collect
