// Command release makes what is published of a version of Orrery, with Go and nothing else.
//
//	release -version v1.2.3 archives      archives for six platforms in dist/v1.2.3: see make release
//	release -version v1.2.3 image         an image for two, as one file in dist: see make image
//	release check                         says what does not compile on other operating systems: see make check
//
//	go build ──► executable ──┬─► archive  ◄── completions, LICENSE, README.md
//	    │                     ├─► sbom         what is in it
//	go list ──► licenses ─────┤
//	                          └─► image
//	archives' sums ──► SHA256SUMS, krew
//	CHANGELOG.md ────► notes, without which there is no release
//
// The same source and the same Go give the same bytes, wherever and whenever: executables have no paths and no time in them, and files
// have the time of SOURCE_DATE_EPOCH, for which the Makefile takes that of the commit.
//
//	platform    the platforms
//	build       the go command for another platform
//	typecheck   what does not compile there, without compiling
//	archive     tar.gz and zip files
//	licenses    the terms of the modules in a program
//	sbom        the modules in an executable, as CycloneDX
//	notes       what changed in a version
//	krew        the manifest of the kubectl plugin
//	image       the OCI image
package main
