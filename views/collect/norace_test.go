//go:build !race

package collect_test

const manyNodes = 10_000
