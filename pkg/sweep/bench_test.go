package sweep_test

import (
	"fmt"
	"testing"
	"time"
)

// A run with a hundred due jobs, beside ever more that are not due. What is read of the
// index is the same (found/op); the time is that of the memory driver, which looks at
// every row.
func BenchmarkSweep(b *testing.B) {
	for _, later := range []int{0, 1_000} {
		b.Run(fmt.Sprintf("later=%d", later), func(b *testing.B) {
			s := newStation(b, 0)
			s.enqueue(later, time.Now().Add(24*time.Hour))
			for b.Loop() {
				b.StopTimer()
				s.makeDue(100)
				before := s.table.found
				b.StartTimer()
				s.run()
				b.ReportMetric(float64(s.table.found-before), "found/op")
			}
		})
	}
}
