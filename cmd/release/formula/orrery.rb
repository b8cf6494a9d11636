class Orrery < Formula
  desc "Kubernetes scheduler you can watch"
  homepage "{{.Home}}"
  version "{{.Number}}"
  license "{{.License}}"
{{- range $system := systems}}
{{- with $.On $system}}

  on_{{blockOf $system}} do
{{- range .}}
    on_{{homebrewName .Platform.Arch}} do
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
    end
{{- end}}
  end
{{- end}}
{{- end}}

  def install
    bin.install "orrery"
    # kubectl orrery, and what a shell completes after it
    bin.install_symlink "orrery" => "kubectl-orrery"
    bin.install_symlink "orrery" => "kubectl_complete-orrery"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/orrery.bash" => "orrery"
    zsh_completion.install "completions/_orrery"
    fish_completion.install "completions/orrery.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/orrery version")
  end
end
