package localaws

import (
	"encoding/json"
	"maps"
	"net/http"
)

// countsPath serves the counts of calls: GET reads them, DELETE sets them back.
const countsPath = "/_nightshift/requests"

func (s *Server) count(service, operation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[service+"."+operation]++
}

// Counts gives how often each operation was called since the start or the last
// ResetCounts, by names such as "sqs.SendMessageBatch", "dynamodb.UpdateItem"
// and "s3.PutObject".
func (s *Server) Counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.counts)
}

// ResetCounts sets all counts to zero.
func (s *Server) ResetCounts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.counts)
}

func (s *Server) serveCounts(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s.Counts()) // the caller is gone: nobody is left to tell
	case http.MethodDelete:
		s.ResetCounts()
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "GET, DELETE")
		http.Error(w, "only GET and DELETE", http.StatusMethodNotAllowed)
	}
}
