package review

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"

	"orrery/core/scheduler/config"
)

// Setting is a field that is not at its default: of the configuration, or of the args of a plugin.
type Setting struct {
	Field   string
	Value   string
	Default string // empty if there is none
}

// settingsOf compares the completed configuration with the default one, field by field. Lists of plugins are left out.
func settingsOf(c *config.Configuration) ([]Setting, error) {
	own, err := treeOf(c)
	if err != nil {
		return nil, err
	}
	usual, err := treeOf(config.Default(c.Features))
	if err != nil {
		return nil, err
	}
	var list []Setting
	profiles, usualProfiles := own["profiles"].([]any), usual["profiles"].([]any)
	delete(own, "profiles")
	delete(usual, "profiles")
	list = differing(list, "", own, usual)
	for i, p := range profiles {
		profile, beside := p.(map[string]any), maps.Clone(usualProfiles[0].(map[string]any))
		for _, without := range []string{"plugins", "schedulerName"} {
			delete(profile, without)
			delete(beside, without)
		}
		list = differing(list, fmt.Sprintf("profiles[%d]", i), profile, beside)
	}
	return list, nil
}

func treeOf(c *config.Configuration) (map[string]any, error) {
	text, err := c.YAML()
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("reading back the completed configuration: %w", err)
	}
	return tree, nil
}

// differing appends the fields that are not equal in both values.
func differing(list []Setting, path string, own, usual any) []Setting {
	fields, is := named(own)
	besides, also := named(usual)
	if !is || (!also && usual != nil) {
		if value, other := spelledValue(own), spelledValue(usual); value != other {
			list = append(list, Setting{path, value, other})
		}
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		list = differing(list, within(path, name, own), fields[name], besides[name])
	}
	return list
}

// named returns a value's parts by name: the fields of a structure, or the items of a list of structures, by their own name if
// each has one, else by their place.
func named(value any) (map[string]any, bool) {
	switch v := value.(type) {
	case map[string]any:
		return v, true
	case []any:
		parts := map[string]any{}
		for i, item := range v {
			fields, is := item.(map[string]any)
			if !is {
				return nil, false
			}
			name, has := fields["name"].(string)
			if !has {
				name = fmt.Sprintf("%d", i)
			}
			parts[name] = item
		}
		return parts, len(parts) == len(v) && len(v) > 0
	}
	return nil, false
}

func within(path, name string, of any) string {
	switch _, list := of.([]any); {
	case list:
		return path + "[" + name + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// spelledValue is a value as JSON writes it, which is also YAML. A text needs no quotes here.
func spelledValue(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
