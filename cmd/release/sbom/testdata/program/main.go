// Command program is an executable with modules in it.
package main

import (
	"os"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/package-url/packageurl-go"
)

func main() {
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = packageurl.TypeGolang
	_ = cyclonedx.NewBOMEncoder(os.Stdout, cyclonedx.BOMFileFormatJSON).Encode(bom)
}
