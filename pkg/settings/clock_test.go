package settings_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/stackclock"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

func TestNowIsTheMachinesWithoutASetting(t *testing.T) {
	r := settings.Read(from(nil))
	now := r.Now()
	if before, got := time.Now(), now(); got.Before(before) || got.After(time.Now()) {
		t.Errorf("it is %v", got)
	}
	if r.Busy() != nil || r.Err() != nil {
		t.Errorf("no stack is to be told, %v", r.Err())
	}
}

func TestNowIsTheStacks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	ahead := time.Now().Add(7 * 24 * time.Hour)
	if err := stackclock.Natural(time.Now(), ahead).Write(path); err != nil {
		t.Fatal(err)
	}
	r := settings.Read(from(map[string]string{settings.Clock: path}))
	if got := r.Now()(); got.Before(ahead) || r.Err() != nil {
		t.Errorf("%v, want %v; %v", got, ahead, r.Err())
	}
}

func TestAnUnreadableClockIsReported(t *testing.T) {
	r := settings.Read(from(map[string]string{settings.Clock: filepath.Join(t.TempDir(), "nothing")}))
	r.Now()
	r.Busy()
	if err := r.Err(); err == nil || strings.Count(err.Error(), settings.Clock) != 2 {
		t.Errorf("reported: %v", err)
	}
}

func TestBusyHoldsARequestOpen(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	stack := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		close(began)
		<-r.Context().Done()
		close(ended)
	}))
	defer stack.Close()
	path := filepath.Join(t.TempDir(), "clock")
	course := stackclock.Natural(time.Now(), time.Now())
	course.Busy = stack.URL
	if err := course.Write(path); err != nil {
		t.Fatal(err)
	}
	done := settings.Read(from(map[string]string{settings.Clock: path})).Busy()()
	<-began // before Busy has returned, or the test waits for ever
	select {
	case <-ended:
		t.Error("it ended before it was done")
	default:
	}
	done()
	<-ended
	stack.Close()
	settings.Read(from(map[string]string{settings.Clock: path})).Busy()()() // of a stack that has gone
}
