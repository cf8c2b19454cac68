package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	rounds := flag.Int("rounds", 5, "measurements per figure")
	only := flag.String("only", "", "measure only figures whose name contains this")
	flag.Parse()
	if err := measure(context.Background(), *rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// figure is one measured promise.
type figure struct {
	name    string
	measure func(ctx context.Context, rounds int) error
}

func measure(ctx context.Context, rounds int, only string) error {
	for _, f := range []figure{
		{"steps_1", func(ctx context.Context, n int) error { return steps(ctx, n, "steps_1", 1, false) }},
		{"steps_16", func(ctx context.Context, n int) error { return steps(ctx, n, "steps_16", 16, false) }},
		{"steps_1_checkout", func(ctx context.Context, n int) error { return steps(ctx, n, "steps_1_checkout", 1, true) }},
		{"commits_per_step", commitsPerStep},
		{"parked", parked},
		{"answer_ms", answer},
		{"list_page_ms", listPage},
		{"law_20000_over_200", law},
		{"load_ms", load},
		{"validators_ms", validators},
		{"tasks", tasks},
		{"novel_300", longBook},
		{"novel_critical_path", criticalPath},
		{"specs", specs},
		{"mcp_status", mcpCalls},
	} {
		if !strings.Contains(f.name, only) {
			continue
		}
		if err := f.measure(ctx, rounds); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

func report(name string, value float64, unit string) {
	fmt.Printf("BENCH %s %s %s\n", name, number(value), unit)
}

func reportAgainst(name string, value float64, unit string, floor float64) {
	fmt.Printf("BENCH %s %s %s floor=%s ratio=%.2f\n", name, number(value), unit, number(floor), value/floor)
}

func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
