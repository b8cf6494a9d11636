// Package address hides the user name and the password that the address of an API server or of a proxy may hold:
// https://name:password@host.
//
// [MoveCredentials] is called where a client's configuration is made, so that nothing behind that has them: no error, no
// log, no screen. [WithoutCredentials] and [ErrorText] are for what is shown before or without that, such as a flag.
package address
