package localaws

import (
	"net/http"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
	"github.com/nightshift-go/nightshift/internal/localaws/cloudwatch"
)

func (s *Server) openCloudWatch() {
	s.cloudwatch = cloudwatch.New(cloudwatch.Config{Now: s.cfg.Now, Log: func(message string) { s.cfg.Logger.Warn(message, "service", "cloudwatch") }})
	s.add(s.cloudwatch.Service())
}

// Ingest takes a line of a function's log. Where it is a document in CloudWatch's embedded
// metric format its metrics are kept, and the answer is true.
func (s *Server) Ingest(function, line string) bool { return s.cloudwatch.Ingest(function, line) }

func (s *Server) serveCloudWatch(w http.ResponseWriter, r *http.Request, operation string) {
	s.serve(w, r, "cloudwatch", operation, s.cloudwatch, func(w http.ResponseWriter, f *Fault) {
		cloudwatch.Refuse(w, &awsjson.Error{Code: f.Code, Message: f.message(), Status: f.status(), QueryCode: f.Code})
	})
}
