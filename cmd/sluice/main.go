// Command sluice runs LLM work through gates.
package main

import (
	"os"

	"sluice/internal/wire"
)

func main() { os.Exit(wire.Main(wire.Between{})) }
