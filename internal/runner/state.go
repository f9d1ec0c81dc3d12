package runner

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// stackState is what /_nightshift/state shows.
type stackState struct {
	HTTP      string          `json:"http"`
	AWS       string          `json:"aws"`
	Functions []functionState `json:"functions"`
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
	ID       string `json:"id"`
	Source   string `json:"source"`
	Function string `json:"function"`
}

type scheduleState struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
	Function   string `json:"function"`
}

func (s *Stack) serveState(w http.ResponseWriter, r *http.Request) {
	state := stackState{HTTP: s.httpURL, AWS: s.awsURL, Mappings: s.mappings}
	for _, f := range s.functions {
		state.Functions = append(state.Functions, functionState{ID: f.ID, Folder: f.Folder, Name: f.name,
			TimeoutSeconds: f.Timeout().Seconds(), Concurrency: f.Concurrency(), Stats: f.Stats()})
	}
	for _, q := range s.queues {
		counted, err := s.count(r, q)
		if err != nil {
			refuse(w, http.StatusBadGateway, "ServiceException", "counting the messages of "+q.name+": "+err.Error())
			return
		}
		state.Queues = append(state.Queues, counted)
	}
	for _, declared := range s.schedules {
		target := declared.Function
		if f := s.function(target); f != nil {
			target = f.Folder
		}
		state.Schedules = append(state.Schedules, scheduleState{Name: declared.Name, Expression: declared.Expression, Function: target})
	}
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
