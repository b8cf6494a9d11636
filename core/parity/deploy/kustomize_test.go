package deploy

import (
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func TestKustomize_IsWhatIsPrinted(t *testing.T) {
	for folder, flags := range map[string][]string{
		"base": nil, "monitoring": {"--monitoring"}, "replace-default": {"--replace-default"}, "replace-default-monitoring": {"--replace-default", "--monitoring"},
	} {
		t.Run(folder, func(t *testing.T) {
			built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "../../../cmd/deploy/kustomize/"+folder)
			if err != nil {
				t.Fatal(err)
			}
			text, err := built.AsYaml()
			if err != nil {
				t.Fatal(err)
			}
			got := parse(t, string(text))
			delete(got, "Namespace  orrery-system")
			got.same(t, printed(t, flags...))
		})
	}
}
