package main

// areas are the tables of the document, in its order, by the word that marks have.
var areas = []struct{ name, title string }{
	{"files", "Files and standard input"},
	{"recordings", "Recordings"},
	{"API server", "The API server and its objects"},
	{"extenders", "Extenders"},
	{"kubelets", "Kubelets and the metrics API"},
	{"readers", "Readers of a scheduler, and what serves them"},
	{"scheduler", "The scheduler's histories, caches and waits"},
	{"shadow", "Beside another scheduler"},
	{"answers", "Answers: explain, whatif, compare"},
	{"assistants", "Answers to assistants"},
	{"tests", "Tests of scenarios and recordings"},
	{"screen", "The screen"},
	{"scenarios", "Scenarios and simulated clusters"},
	{"text", "Text"},
}
