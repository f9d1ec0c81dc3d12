package stackclock

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

var began = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func flight() Course {
	c := Natural(began, began.Add(time.Hour))
	c.Pace, c.Until = 600, began.Add(2*time.Hour).UnixNano() // over after 6 s
	return c
}

func TestAt(t *testing.T) {
	for _, c := range []struct {
		name   string
		course Course
		passed time.Duration
		want   time.Duration // since began
	}{
		{"natural", Natural(began, began), 90 * time.Second, 90 * time.Second},
		{"the machine's clock was set back", Natural(began, began), -time.Minute, 0},
		{"at the beginning", flight(), 0, time.Hour},
		{"in flight", flight(), time.Second, time.Hour + 10*time.Minute},
		{"before its end", flight(), 6*time.Second - time.Millisecond, 2*time.Hour - 600*time.Millisecond},
		{"at its end", flight(), 6 * time.Second, 2 * time.Hour},
		{"after it", flight(), 7 * time.Second, 2*time.Hour + time.Second},
		{"years after it", flight(), 200 * 24 * 365 * time.Hour, 2*time.Hour + 200*24*365*time.Hour - 6*time.Second},
	} {
		if got := c.course.At(began.Add(c.passed)); !got.Equal(began.Add(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got.Sub(began), c.want)
		}
	}
}

// FuzzCourse holds a course to what everybody relies on: it never goes back, never
// passes Until in flight, and When is the first moment of a time.
func FuzzCourse(f *testing.F) {
	f.Add(600.0, int64(time.Hour), int64(time.Second), int64(time.Millisecond))
	f.Add(1.0, int64(0), int64(time.Second), int64(1))
	f.Add(100_000.0, int64(365*24*time.Hour), int64(time.Minute), int64(time.Hour))
	f.Add(1.5, int64(7), int64(3), int64(1))
	f.Fuzz(func(t *testing.T, pace float64, flown, first, more int64) {
		const bound = int64(400 * 24 * time.Hour)
		if !(pace >= 1 && pace <= 1e6) || flown < 0 || flown > bound || first < 0 || first > bound || more < 0 || more > bound {
			t.Skip()
		}
		c := Course{Machine: began.UnixNano(), Stack: began.UnixNano(), Pace: pace, Until: began.UnixNano() + flown}
		a, b := c.At(began.Add(time.Duration(first))), c.At(began.Add(time.Duration(first+more)))
		if b.Before(a) {
			t.Errorf("it went back from %v to %v", a, b)
		}
		if b.Sub(a) < time.Duration(more)-1 && pace > 1 || b.Sub(a) > time.Duration(float64(more)*pace)+2*time.Duration(math.Ceil(pace)) {
			t.Errorf("%v of the machine were %v", time.Duration(more), b.Sub(a))
		}
		when := c.When(a)
		if c.At(when).Before(a.Add(-time.Duration(math.Ceil(pace)))) {
			t.Errorf("at %v it is %v only, not %v", when, c.At(when), a)
		}
	})
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	want := flight()
	want.Busy = "http://127.0.0.1:1/busy"
	if err := want.Write(path); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(path); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"", "{", `{}`, `{"pace":0.5}`, `{"pace":-1}`, `{"pace":600,"stack":5,"until":4}`, `{"pace":1e999}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(path); err == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
	if err := want.Write(filepath.Join(path, "in a file")); err == nil {
		t.Error("written into what is no folder")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"machine":1,"stack":2,"pace":600,"until":3}`))
	path := filepath.Join(f.TempDir(), "clock")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := Read(path); err == nil {
			if !json.Valid(text) || c.Pace < 1 {
				t.Errorf("%q was read as %+v", text, c)
			}
			c.At(began)
			c.When(began)
		}
	})
}

func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	if _, err := Follow(path); err == nil {
		t.Error("a file that is not there was followed")
	}
	ahead := time.Now().Add(240 * time.Hour)
	if err := Natural(time.Now(), ahead).Write(path); err != nil {
		t.Fatal(err)
	}
	now, err := Follow(path)
	if err != nil {
		t.Fatal(err)
	}
	first := now()
	if first.Before(ahead) || first.After(ahead.Add(time.Minute)) {
		t.Errorf("%v, want %v", first, ahead)
	}
	if err := Natural(time.Now(), ahead.Add(time.Hour)).Write(path); err != nil {
		t.Fatal(err)
	}
	second := now()
	if second.Before(ahead.Add(time.Hour)) {
		t.Errorf("a new course is not followed: %v", second)
	}
	if err := Natural(time.Now(), ahead).Write(path); err != nil {
		t.Fatal(err)
	}
	if got := now(); got.Before(second) {
		t.Errorf("it went back from %v to %v", second, got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := now(); got.Before(second) {
		t.Errorf("without the file it went back from %v to %v", second, got)
	}
}

// Readers never see half a file, nor a clock that goes back.
func TestManyFollowAClockThatChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	course := Natural(time.Now(), time.Now())
	if err := course.Write(path); err != nil {
		t.Fatal(err)
	}
	now, err := Follow(path)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			last := now()
			for {
				select {
				case <-stop:
					return
				default:
				}
				next := now()
				if next.Before(last) {
					t.Errorf("it went back from %v to %v", last, next)
				}
				last = next
			}
		})
	}
	for i := range 500 {
		machine := time.Now()
		course = Natural(machine, course.At(machine))
		if i%2 == 0 {
			course.Pace, course.Until = 600, course.Stack+int64(time.Hour)
		}
		if err := course.Write(path); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	readers.Wait()
}
