//go:build !race

package engine_test

const scenariosDefault = 200
