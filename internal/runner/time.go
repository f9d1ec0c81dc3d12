package runner

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
)

// ErrOthersTime means that time can't be scaled, because the endpoint has a clock of its
// own.
var ErrOthersTime = errors.New("the time of another AWS endpoint can't be scaled")

// startClock makes the stack's clock, which keeps the machine's pace until the stack has
// started. Where another endpoint has the data, that one's clock is the machine's.
func (s *Stack) startClock() (started func(), err error) {
	scale := s.config.TimeScale
	if s.config.Endpoint != "" {
		if scale != 0 && scale != 1 {
			return nil, ErrOthersTime
		}
		s.now()
		return func() {}, nil
	}
	s.clock, err = clock.Open(clock.Config{
		Path: filepath.Join(s.folder.path, "clock.json"), Scale: scale, Busy: s.httpURL + controlPath + "clock/busy",
		Log: func(message string) { s.config.Logger.Error(message) },
	})
	if err != nil {
		return nil, err
	}
	s.onClose(s.clock.Close)
	s.ready.clock = s.clock
	s.now()
	return s.clock.Hold(), nil
}

// now makes the stack's clock that of everything, unless the configuration has another.
func (s *Stack) now() {
	if s.config.Now == nil {
		s.config.Now = s.clock.Now
	}
}

// working answers requests at the machine's pace.
func (s *Stack) working(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.clock.Hold()()
		h.ServeHTTP(w, r)
	})
}

// serveClock tells the time: at once, or when it is the one that ?until= names: then
// a moment is left, as after every work, in which the client can begin something.
func (s *Stack) serveClock(w http.ResponseWriter, r *http.Request) {
	if text := r.URL.Query().Get("until"); text != "" {
		until, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			refuse(w, http.StatusBadRequest, "InvalidParameterValueException", fmt.Sprintf("until=%s is not a time as 2026-03-02T09:00:00Z", text))
			return
		}
		if s.clock.Until(r.Context(), until) != nil {
			return // the client is gone
		}
	}
	answerJSON(w, s.clock.Read())
}

// serveBusy keeps the machine's pace until its client goes away. The client knows that it
// does when it has the answer's headers.
func (s *Stack) serveBusy(w http.ResponseWriter, r *http.Request) {
	defer s.clock.Hold()()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	if http.NewResponseController(w).Flush() != nil {
		return // the client is gone
	}
	<-r.Context().Done()
}
