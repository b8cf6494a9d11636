package app

import (
	"github.com/spf13/pflag"

	"orrery/core/safe/address"
)

// addressValue is a flag with an address. It is listed, logged and repeated without the credentials.
type addressValue struct{ pflag.Value }

func (a addressValue) String() string { return address.WithoutCredentials(a.Value.String()) }

// hideAddress makes a flag of a set an addressValue.
func hideAddress(set *pflag.FlagSet, name string) {
	flag := set.Lookup(name)
	flag.Value = addressValue{flag.Value}
}
