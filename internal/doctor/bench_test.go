package doctor

import (
	"testing"
)

// BenchmarkVerify checks a run of 12 batches in memory; events/op is the same for every run.
func BenchmarkVerify(b *testing.B) {
	store := newStore()
	tell(b, store, "r1")
	events := 0
	for b.Loop() {
		rep, err := Verify(b.Context(), store, "r1")
		if err != nil {
			b.Fatal(err)
		}
		events = rep.Events
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
