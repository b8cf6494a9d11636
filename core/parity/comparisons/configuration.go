package comparisons

// Configuration compares the loading of configuration files. The differences are in the order of the test's.
var Configuration = &Comparison{
	Name: "Configuration", Package: "config", Test: "TestLoad_RandomFiles", Cases: 400, Unit: "random files, for each of four sets of feature gates",
	Compares: "Whether a file is valid; every error (path, type and text); and the completed configuration, as v1 YAML.",
	Differences: []Difference{
		{
			Upstream: "accepts a plugin that is listed twice at a point, and fails when it builds the profile",
			Orrery:   "reports it when it loads the file, with the path",
		},
		{
			Upstream: "accepts resources ignored by the scheduler without NodeResourcesFit, and fails when it builds the extenders",
			Orrery:   "reports it when it loads the file",
		},
		{
			Upstream: "reads the first of several YAML documents and drops the rest",
			Orrery:   "rejects the file, since the rest would have no effect",
		},
		{
			Upstream: "also decodes its internal types, without defaults",
			Orrery:   "refuses them",
		},
		{
			Upstream: "accepts plugins for groups of pods",
			Orrery:   "refuses them as not modelled, since they would do nothing",
		},
		{
			Upstream: "quotes structures in errors by the fields of its internal types",
			Orrery:   "by those of v1",
			Compared: "such values are left out of the text",
		},
	},
}

// Profiles compares what becomes of files that both read.
var Profiles = &Comparison{
	Name: "Profiles", Package: "config", Test: "TestProfiles_OfRandomFiles", Cases: 200, Unit: "random files, for each of four sets of feature gates",
	Compares: "Whether a scheduler can be made of a valid file, the first mistake if not, and the plugins of each profile at each extension " +
		"point with their order and weights; also that `orrery config check` refuses exactly the files that kube-scheduler refuses.",
}

// Gates compares feature gates.
var Gates = &Comparison{
	Name: "Feature gates", Package: "config", Test: "TestFeatures_RandomGates", Cases: 1000, Unit: "random sets of gates",
	Compares: "Which sets of gates are accepted, with which errors, and what each gate is afterwards; and the whole table: stage, " +
		"default, lock, dependencies.",
}
