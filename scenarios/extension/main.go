// Command k6 is k6 with the module k6/x/touchstone. `k6 reference-server STREAMS` runs the reference server of a
// calibration.
package main

import (
	"fmt"
	"os"

	"go.k6.io/k6/v2/cmd"

	"touchstone/k6/reference"
	_ "touchstone/k6/touchstone"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "reference-server" {
		if err := reference.Serve(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	cmd.Execute()
}
