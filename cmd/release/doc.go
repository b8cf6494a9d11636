// Command release makes what is published of a version of Orrery, with Go and nothing else.
//
//	release -version v1.2.3 archives      what is published in dist/v1.2.3: see make release
//	release -version v1.2.3 image         an image for two platforms, as one file in dist: see make image
//	release -version v1.2.3 site          the documentation in dist/site: see make site
//	release check                         says what does not compile on other operating systems: see make check
//
//	go build ──► executable ──┬─► archive, deb, rpm  ◄── completions, manual pages, LICENSE, README.md
//	    │                     ├─► sbom                   what is in it
//	go list ──► licenses ─────┤
//	                          └─► image
//	deploy ──────────► chart, bases for kustomize
//	archives' sums ──► SHA256SUMS, krew, formula
//	all sums, sboms ─► attest: signatures, provenance
//	CHANGELOG.md ────► notes, without which there is no release
//	docs ────────────► manual, site
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
//	formula     what Homebrew and Scoop install by
//	linux       deb and rpm packages
//	manual      manual pages
//	chart       the Helm chart and the bases for kustomize, packed
//	attest      signatures, and what they are of
//	site        the documentation as a static site
//	image       the OCI image
package main
