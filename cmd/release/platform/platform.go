// Package platform lists the platforms of a release.
package platform

// Platform is an operating system and an architecture, by Go's names.
type Platform struct{ OS, Arch string }

// Released are the platforms that a release has archives for.
func Released() []Platform {
	var all []Platform
	for _, system := range []string{"linux", "darwin", "windows"} {
		all = append(all, Platform{system, "amd64"}, Platform{system, "arm64"})
	}
	return all
}

// InImage are the platforms of the image.
func InImage() []Platform { return []Platform{{"linux", "amd64"}, {"linux", "arm64"}} }

// OtherSystems are one platform of each operating system that tests do not run on: no code depends on the architecture.
func OtherSystems() []Platform { return []Platform{{"darwin", "arm64"}, {"windows", "amd64"}} }

// String returns "linux/amd64".
func (p Platform) String() string { return p.OS + "/" + p.Arch }

// Windows says that executables end in .exe, and that archives are zip files.
func (p Platform) Windows() bool { return p.OS == "windows" }

// Executable returns the file name of a program.
func (p Platform) Executable(program string) string {
	if p.Windows() {
		return program + ".exe"
	}
	return program
}
