package attest

// Build is how files were made.
type Build struct {
	// Source is the address of the source, Commit the one that was built, empty where there is no git.
	Source, Commit string
	// Target is what was made: "archives" or "image".
	Target string
	// Given are the settings that a user gave.
	Given map[string]string
	// Go is the version of the toolchain, Date the time of the files in seconds since 1970.
	Go, Date string
}

// Provenance states how subjects were made. Nothing but the key vouches for it: it is what SLSA calls build level 1, since a release is made by a
// person's call of make, and not by a service that others run.
func Provenance(of []Subject, b Build) Statement {
	source := dependency{URI: "git+" + b.Source}
	if b.Commit != "" {
		source.Digest = Digest{"gitCommit": b.Commit}
	}
	given := map[string]string{"target": b.Target}
	for name, value := range b.Given {
		given[name] = value
	}
	var p provenance
	p.BuildDefinition.BuildType = b.Source + "/docs/release.md#signatures"
	p.BuildDefinition.ExternalParameters = given
	p.BuildDefinition.InternalParameters = map[string]string{"SOURCE_DATE_EPOCH": b.Date}
	p.BuildDefinition.ResolvedDependencies = []dependency{source, {URI: "pkg:golang/stdlib@" + b.Go}}
	p.RunDetails.Builder.ID = b.Source + "/cmd/release"
	return statement(of, provenanceType, p)
}

// provenance is the used part of the predicate at https://slsa.dev/spec/v1.0/provenance.
type provenance struct {
	BuildDefinition struct {
		BuildType            string            `json:"buildType"`
		ExternalParameters   map[string]string `json:"externalParameters"`
		InternalParameters   map[string]string `json:"internalParameters"`
		ResolvedDependencies []dependency      `json:"resolvedDependencies"`
	} `json:"buildDefinition"`
	RunDetails struct {
		Builder struct {
			ID string `json:"id"`
		} `json:"builder"`
	} `json:"runDetails"`
}

type dependency struct {
	URI    string `json:"uri"`
	Digest Digest `json:"digest,omitempty"`
}
