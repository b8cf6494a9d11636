package scenario

import (
	"strings"

	"orrery/demo/scenario/strict"
)

// devicesPart are the devices of a cluster, as written.
type devicesPart struct {
	strict.Position
	Models  map[string]deviceModel `yaml:"models"`
	Classes map[string]deviceClass `yaml:"classes"`
	Pools   []devicePool           `yaml:"pools"`
	Claims  []deviceClaim          `yaml:"claims"`
}

// deviceModel is a kind of device that a driver publishes.
type deviceModel struct {
	strict.Position
	Driver     string            `yaml:"driver"`
	Pool       string            `yaml:"pool"`
	Attributes map[string]string `yaml:"attributes"`
	Capacity   map[string]amount `yaml:"capacity"`
	Shared     bool              `yaml:"shared"`
	Binding    bool              `yaml:"binding"`
	Partitions []int             `yaml:"partitions"`
	PerSlice   int               `yaml:"perSlice"`
}

// deviceClass is the model or the driver alone if it is one word.
type deviceClass struct {
	strict.Position
	word             string
	Model            string `yaml:"model"`
	Driver           string `yaml:"driver"`
	Selector         string `yaml:"selector"`
	ExtendedResource string `yaml:"extendedResource"`
}

func (c *deviceClass) UnmarshalText(text []byte) error {
	c.word = string(text)
	return nil
}

// devicePool is a number of devices that several nodes reach: those of a label, or all.
type devicePool struct {
	strict.Position
	Name  string `yaml:"name"`
	Model string `yaml:"model"`
	Count int    `yaml:"count"`
	Nodes string `yaml:"nodes"`
}

// deviceRequest requests devices of a class, or of the first of several that has them.
type deviceRequest struct {
	strict.Position
	Class         string            `yaml:"class"`
	AnyOf         stringList        `yaml:"anyOf"`
	Count         int               `yaml:"count"`
	All           bool              `yaml:"all"`
	Capacity      map[string]amount `yaml:"capacity"`
	Selector      string            `yaml:"selector"`
	SameAttribute string            `yaml:"sameAttribute"`
}

type deviceClaim struct {
	deviceRequest `yaml:",inline"`
	Name          string `yaml:"name"`
	Namespace     string `yaml:"namespace"`
}

// podDevices are devices of a workload's pods: a claim of each pod, of which one word is the class, or a claim by its name.
type podDevices struct {
	deviceRequest `yaml:",inline"`
	Claim         string `yaml:"claim"`
}

func (p *podDevices) UnmarshalText(text []byte) error {
	p.Class = string(text)
	return nil
}

// deviceChange is what happens to devices and their drivers in a step.
type deviceChange struct {
	strict.Position
	Broken       map[string]stringList     `yaml:"fail"`
	Repair       map[string]stringList     `yaml:"repair"`
	Unplug       map[string]stringList     `yaml:"unplug"`
	Plug         map[string]map[string]int `yaml:"plug"`
	StopDrivers  map[string]stringList     `yaml:"stopDrivers"`
	StartDrivers map[string]stringList     `yaml:"startDrivers"`
	BindingHangs map[string]duration       `yaml:"bindingHangs"`
	BindingFails map[string]duration       `yaml:"bindingFails"`
}

// poolOn is the name of the model's pool on a node, or that of a pool of several nodes.
func (m *deviceModel) poolOn(place string) string {
	if m.Pool == "" {
		return place
	}
	return place + "/" + m.Pool
}

// devices is how many devices a number of the model are, with their partitions.
func (m *deviceModel) devices(count int) int {
	n := count
	for _, parts := range m.Partitions {
		n += count * parts
	}
	return n
}

// of returns the class's fields: a word is a model, if there is one, or a driver.
func (p *devicesPart) of(c deviceClass) deviceClass {
	if _, is := p.Models[c.word]; is {
		c.Model = c.word
	} else if c.word != "" {
		c.Driver = c.word
	}
	return c
}

// isTemplate reports whether each pod has a claim of its own, made of a template.
func (p podDevices) isTemplate() bool { return p.Claim == "" }

// templateName is the name of the template of one of the workload's claims.
func (w *workload) templateName(claim string) string { return w.name + "-" + claim }

// choiceName is the name of one of several choices of a request.
func choiceName(class string) string { return strings.ReplaceAll(class, ".", "-") }
