package runner

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/internal/stackclock"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

func TestTheClockIsTold(t *testing.T) {
	s, _ := startScaled(t, 600, func(c *Config) { c.WithoutSources = true })
	get := func(query string) (int, clock.Reading) {
		t.Helper()
		response, err := http.Get(s.HTTPURL() + "/_nightshift/clock" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var read clock.Reading
		if err := json.NewDecoder(response.Body).Decode(&read); err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, read
	}
	status, first := get("")
	if status != 200 || first.Scale != 600 || first.Now.IsZero() {
		t.Errorf("%d %+v", status, first)
	}
	var then clock.Reading
	// On a machine with other things to do the moment that is left may be over.
	eventually(t, func() bool {
		until := s.clock.Read().Now.Add(20 * time.Minute)
		status, then = get("?until=" + url.QueryEscape(until.Format(time.RFC3339Nano)))
		late := then.Now.Sub(until)
		if status != 200 || late < 0 {
			t.Errorf("%d, %v after %v: %+v", status, late, until, then)
		}
		return late <= time.Second && then.Pace == 1
	})
	if status, _ := get("?until=tomorrow"); status != 400 {
		t.Errorf("an unreadable time: %d", status)
	}
	found := s.found().Settings
	reader := settings.Read(func(name string) string { return found[name] })
	if now := reader.Now()(); now.Before(then.Now) || reader.Err() != nil {
		t.Errorf("others read %v, after %v; %v", now, then.Now, reader.Err())
	}
	done := reader.Busy()()
	began := s.clock.Read().Now
	time.Sleep(300 * time.Millisecond)
	// At the other pace it would be three minutes.
	if passed := s.clock.Read().Now.Sub(began); passed > time.Minute {
		t.Errorf("while a process worked for 300 ms %v passed", passed)
	}
	done()
	eventually(t, func() bool { return s.clock.Read().Pace == 600 })
}

func TestTheClockGoesOnAfterARestart(t *testing.T) {
	folder := t.TempDir()
	c, _ := config(func(c *Config) { c.DataDir, c.TimeScale, c.WithoutSources = folder, clock.MaxScale, true })
	first, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.clock.Until(t.Context(), time.Now().Add(24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	put(t, first, "")
	last := first.clock.Read().Now
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	c.TimeScale = 0
	second, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	})
	if read := second.clock.Read(); read.Now.Before(last) || read.Scale != 1 {
		t.Errorf("after %v came %+v", last, read)
	}
	_, got, _ := post(t, second.HTTPURL()+"/echo/x", "")
	if got["clock"] == "" {
		t.Error("its functions are not told that it is ahead")
	}
}

func TestTimeThatCanNotBeScaled(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		want   error
	}{
		{func(c *Config) { c.TimeScale = -1 }, clock.ErrScale},
		{func(c *Config) { c.TimeScale = 1e9 }, clock.ErrScale},
		{func(c *Config) { c.TimeScale, c.Endpoint = 600, "http://127.0.0.1:1" }, ErrOthersTime},
	} {
		config, _ := config(c.change)
		if _, err := Start(t.Context(), config); !errors.Is(err, c.want) {
			t.Errorf("got %v, want %v", err, c.want)
		}
	}
}

// What the configuration adds is told to every function.
func TestFunctionsAreToldWhatTheConfigurationAdds(t *testing.T) {
	s, _ := start(t, func(c *Config) {
		c.WithoutSources, c.Environment = true, map[string]string{"TOLD": "yes", "AWS_ENDPOINT_URL": "not this one"}
	})
	if _, got, _ := post(t, s.HTTPURL()+"/echo/x", ""); got["told"] != "yes" || got["endpoint"] != s.AWSURL() {
		t.Errorf("functions are told %q", got)
	}
}

// Without a scale there is no clock but the machine's, and nothing tells of one.
func TestWithoutAScaleTheMachinesClockIsUsed(t *testing.T) {
	s, _ := start(t, func(c *Config) { c.WithoutSources = true })
	if s.clock != nil || s.found().Settings[settings.Clock] != "" {
		t.Error("there is a clock")
	}
	if _, err := stackclock.Read(filepath.Join(s.folder.path, "clock.json")); err == nil {
		t.Error("there is a clock's file")
	}
	if _, got, _ := post(t, s.HTTPURL()+"/echo/x", ""); got["clock"] != "" {
		t.Errorf("functions are told of a clock: %s", got["clock"])
	}
}
