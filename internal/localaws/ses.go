package localaws

import (
	"net/http"
	"strings"

	"github.com/nightshift-go/nightshift/internal/localaws/ses"
)

func (s *Server) openSES(path string) (err error) {
	s.ses, err = ses.Open(ses.Config{Path: path, Now: s.cfg.Now, Region: s.cfg.Region,
		Publish: s.sns.Publish, Log: func(message string) { s.cfg.Logger.Warn(message, "service", "ses") }})
	return err
}

// Mailbox serves the mails that were sent, at /_nightshift/mail.
func (s *Server) Mailbox() http.Handler { return http.HandlerFunc(s.ses.Mailbox) }

// serveOwn answers for the endpoint's own paths, and tells whether one was asked for.
func (s *Server) serveOwn(w http.ResponseWriter, r *http.Request) bool {
	switch path := r.URL.Path; {
	case path == countsPath:
		s.serveCounts(w, r)
	case path == ses.MailPath, strings.HasPrefix(path, ses.MailPath+"/"):
		s.ses.Mailbox(w, r)
	case path == ses.UnsubscribePath:
		s.ses.Unsubscribe(w, r)
	default:
		return false
	}
	return true
}

func (s *Server) serveSES(w http.ResponseWriter, r *http.Request) {
	s.serve(w, r, "ses", ses.Operation(r), s.ses, func(w http.ResponseWriter, f *Fault) {
		ses.Refuse(w, f.refusal())
	})
}
