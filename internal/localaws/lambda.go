package localaws

import (
	"net/http"

	"github.com/nightshift-go/nightshift/internal/localaws/lambda"
)

func (s *Server) openLambda(path string) (err error) {
	s.lambda, err = lambda.Open(lambda.Config{Path: path, Now: s.cfg.Now, Region: s.cfg.Region, AccountID: s.cfg.AccountID})
	return err
}

// DeclareMapping makes an event source mapping of a template known to Lambda's API, and
// gives the setting that holds for it: see package lambda.
func (s *Server) DeclareMapping(m lambda.Mapping) (lambda.Setting, error) { return s.lambda.Declare(m) }

func (s *Server) serveLambda(w http.ResponseWriter, r *http.Request) {
	s.serve(w, r, "lambda", lambda.Operation(r), s.lambda, func(w http.ResponseWriter, f *Fault) {
		lambda.Refuse(w, f.refusal())
	})
}
