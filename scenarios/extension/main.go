// Command k6 is k6 with the module k6/x/touchstone.
package main

import (
	"go.k6.io/k6/v2/cmd"

	_ "touchstone/k6/touchstone"
)

func main() { cmd.Execute() }
