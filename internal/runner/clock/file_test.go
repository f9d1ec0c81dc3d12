package clock

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/stackclock"
)

func TestTheFileGoesOnWhereAnEarlierClockWas(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		machine := time.Now()
		first := open(t, path, 600)
		time.Sleep(time.Minute)
		killed, err := os.ReadFile(path) // in flight
		if err != nil {
			t.Fatal(err)
		}
		last := first.Now()
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, killed, 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // nobody is there
		second := open(t, path, 1)
		ahead := second.Now()
		if ahead.Before(last.Add(time.Hour)) || ahead.After(last.Add(time.Hour+600*leg)) {
			t.Errorf("after %v and an hour came %v", last, ahead)
		}
		time.Sleep(time.Minute)
		within(t, "a minute at scale 1", second.Now().Sub(ahead), time.Minute)
		if got := time.Since(machine); second.Now().Sub(machine) < got+9*time.Hour {
			t.Errorf("it has lost what was ahead: %v", second.Now().Sub(machine))
		}
	})
}

func TestTheMachinesClockIsNil(t *testing.T) {
	path := file(t)
	c, err := Open(Config{Path: path})
	if c != nil || err != nil {
		t.Fatalf("%v, %v", c, err)
	}
	if got := time.Until(c.Now()); got < -time.Minute || got > time.Minute {
		t.Errorf("it is %v off", got)
	}
	c.Hold()()
	if r := c.Read(); r.Pace != 1 || r.Scale != 1 {
		t.Errorf("%+v", r)
	}
	fired := make(chan struct{})
	c.AfterFunc(0, func() { close(fired) })
	<-fired
	signed := time.Now()
	if err := errors.Join(c.Sleep(t.Context(), 0), c.Until(t.Context(), time.Now()), c.Close()); err != nil || c.Path() != "" || !c.Then(signed).Equal(signed) {
		t.Error(err)
	}
	// A file that the machine's clock has caught up with is not needed any longer.
	if err := stackclock.Natural(time.Now(), time.Now().Add(-time.Hour)).Write(path); err != nil {
		t.Fatal(err)
	}
	if c, err := Open(Config{Path: path}); c != nil || err != nil {
		t.Fatalf("%v, %v", c, err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, scale := range []float64{-1, 0.5, math.NaN(), math.Inf(1), math.Inf(-1), MaxScale + 1} {
		if _, err := Open(Config{Path: file(t), Scale: scale}); !errors.Is(err, ErrScale) {
			t.Errorf("scale %v: %v", scale, err)
		}
	}
	broken := file(t)
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Config{Path: broken, Scale: 600}); err == nil {
		t.Error("a clock that nobody can read was taken for the machine's")
	}
	if _, err := Open(Config{Path: filepath.Join(t.TempDir(), "no", "folder"), Scale: 600}); err == nil {
		t.Error("a clock that can't be told was opened")
	}
}

// A clock whose file can't be written stays with what functions read.
func TestTheFileCanNotBeWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		told := 0
		c, err := Open(Config{Path: filepath.Join(folder, "clock"), Scale: 600, Log: func(string) { told++ }})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		began := c.Now()
		for range 5 {
			c.Hold()()
			time.Sleep(time.Minute)
		}
		if passed := c.Now().Sub(began); passed != 5*time.Minute || told != 1 {
			t.Errorf("%v passed, told %d times", passed, told)
		}
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		c.Hold()()
		time.Sleep(time.Minute)
		if passed := c.Now().Sub(began); passed < 10*time.Hour {
			t.Errorf("%v passed when the folder was back", passed)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestItFliesToTheHorizonOnly(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		if err := stackclock.Natural(time.Now(), horizon.Add(-time.Hour)).Write(path); err != nil {
			t.Fatal(err)
		}
		c := open(t, path, MaxScale)
		time.Sleep(time.Hour)
		if got := c.Now(); got.Before(horizon) || got.After(horizon.Add(time.Hour)) {
			t.Errorf("it is %v", got)
		}
	})
}

func TestThen(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		before := time.Now()
		c := open(t, path, 600)
		began := c.Now()
		time.Sleep(10 * time.Second)
		signed, then := time.Now(), c.Now()
		time.Sleep(300 * time.Millisecond)
		if got := c.Then(signed); got.Before(then) || got.After(c.Now()) {
			t.Errorf("the present second is %v, not within %v and %v", got, then, c.Now())
		}
		for range 50 {
			c.Hold()()
			time.Sleep(time.Second)
		}
		if got := c.Then(signed); got.Before(then) || got.After(then.Add(600*time.Second)) {
			t.Errorf("a past second is %v, not soon after %v", got, then)
		}
		if got := c.Then(before.Add(-time.Hour)); !got.Equal(began.Add(-time.Hour)) {
			t.Errorf("an hour before the beginning is %v", got)
		}
		if got, want := c.Then(time.Now().Add(time.Hour)), c.Now().Add(time.Hour); !got.Equal(want) {
			t.Errorf("in an hour it is %v, not %v", got, want)
		}
	})
}
