package runner

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// stackState is what /_nightshift/state shows.
type stackState struct {
	Clock     clock.Reading   `json:"clock"`
	HTTP      string          `json:"http"`
	AWS       string          `json:"aws"`
	Functions []functionState `json:"functions"`
	Services  []serviceState  `json:"services"`
	Queues    []queueState    `json:"queues"`
	Mappings  []mappingState  `json:"mappings"`
	Schedules []scheduleState `json:"schedules"`
}

type functionState struct {
	ID             string              `json:"id"`
	Folder         string              `json:"folder"`
	Name           string              `json:"name"`
	TimeoutSeconds float64             `json:"timeout_seconds"`
	Concurrency    int                 `json:"concurrency"`
	Stats          lambdaruntime.Stats `json:"stats"`
}

// queueState counts a queue's messages; their sum is the queue's depth.
type queueState struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	URL      string `json:"url"`
	Visible  int    `json:"visible"`
	Delayed  int    `json:"delayed"`
	InFlight int    `json:"in_flight"`
}

type mappingState struct {
	UUID     string `json:"uuid"`
	Source   string `json:"source"`
	Function string `json:"function"`
	Enabled  bool   `json:"enabled"`
	// MaximumConcurrency is 0 where the mapping sets none, and for streams.
	MaximumConcurrency int `json:"maximum_concurrency"`
	// Pollers are those of a queue: fewer than may be at once, where the machine has
	// no room for more.
	Pollers int `json:"pollers"`
}

func (s *Stack) serveState(w http.ResponseWriter, r *http.Request) {
	state := stackState{Clock: s.clock.Read(), HTTP: s.httpURL, AWS: s.awsURL}
	for _, m := range s.mappings {
		state.Mappings = append(state.Mappings, m.state())
	}
	for _, f := range s.functions {
		state.Functions = append(state.Functions, functionState{ID: f.ID, Folder: f.Folder, Name: f.name,
			TimeoutSeconds: f.Timeout().Seconds(), Concurrency: f.Concurrency(), Stats: f.Stats()})
	}
	for _, service := range s.services {
		state.Services = append(state.Services, service.state())
	}
	for _, q := range s.queues {
		counted, err := s.count(r, q)
		if err != nil {
			refuse(w, http.StatusBadGateway, "ServiceException", "counting the messages of "+q.name+": "+err.Error())
			return
		}
		state.Queues = append(state.Queues, counted)
	}
	var err error
	if state.Schedules, err = s.upcoming(); err != nil {
		refuse(w, http.StatusInternalServerError, "ServiceException", err.Error())
		return
	}
	answerJSON(w, state)
}

// answerJSON answers with what is so now.
func answerJSON(w http.ResponseWriter, state any) {
	encoded, err := json.Marshal(state)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "ServiceException", err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(encoded) // the client is gone: nobody is left to tell
}

func (s *Stack) count(r *http.Request, q *queue) (queueState, error) {
	out, err := s.clients.sqs.GetQueueAttributes(r.Context(), &sqs.GetQueueAttributesInput{QueueUrl: &q.url, AttributeNames: []types.QueueAttributeName{
		types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesDelayed, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible}})
	if err != nil {
		return queueState{}, err
	}
	counted := queueState{ID: q.id, Name: q.name, URL: q.url}
	for name, field := range map[string]*int{
		"ApproximateNumberOfMessages": &counted.Visible, "ApproximateNumberOfMessagesDelayed": &counted.Delayed, "ApproximateNumberOfMessagesNotVisible": &counted.InFlight,
	} {
		if *field, err = strconv.Atoi(out.Attributes[name]); err != nil {
			return queueState{}, err
		}
	}
	return counted, nil
}
