package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/nightshift-go/nightshift/internal/standing"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	messages "github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// serveQueues tells how the queues stand whose URLs functions are given.
func (s *Stack) serveQueues(w http.ResponseWriter, r *http.Request) {
	board, err := s.board()
	if err != nil {
		refuse(w, http.StatusInternalServerError, "ServiceException", err.Error())
		return
	}
	queues, err := board.Look(r.Context())
	if err != nil {
		refuse(w, http.StatusBadGateway, "ServiceException", err.Error())
		return
	}
	answerJSON(w, queues)
}

func (s *Stack) newBoard() (*standing.Board, error) {
	environment := s.found().Settings
	config := standing.Config{
		Queues: settings.Queues(environment), Counter: messages.New(s.clients.sqs),
		Tasks: s.config.Tasks, Disabled: s.disabled, Now: s.config.Now,
	}
	reader := settings.Read(func(name string) string { return environment[name] })
	config.Window = reader.Duration(settings.RelayWindow)
	err := reader.Err()
	if name := environment[settings.Table]; name != "" && err == nil {
		config.Jobs, err = store.New(store.Config{Driver: dynamo.New(s.clients.dynamodb, name), Now: s.config.Now})
	}
	if err != nil {
		return nil, err
	}
	return standing.New(config)
}

// disabled tells whether the mapping of the queue at a URL does not poll it.
func (s *Stack) disabled(url string) bool {
	for _, q := range s.queues {
		for _, m := range s.mappings {
			if polls, _ := m.enabled(); q.url == url && m.source == q.arn && !polls {
				return true
			}
		}
	}
	return false
}

// Queues asks a running stack how its queues stand.
func (f *Found) Queues(ctx context.Context) ([]standing.Queue, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.HTTP+controlPath+"queues", nil)
	if err != nil {
		return nil, fmt.Errorf("runner: asking the stack for its queues: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("runner: asking the stack for its queues: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		var refused struct {
			Message string `json:"message"`
		}
		if err := json.NewDecoder(response.Body).Decode(&refused); err != nil {
			return nil, fmt.Errorf("runner: the stack that runs knows nothing of this (%s): is it of another version?", response.Status)
		}
		return nil, fmt.Errorf("runner: asking the stack for its queues: %s", refused.Message)
	}
	var queues []standing.Queue
	if err := json.NewDecoder(response.Body).Decode(&queues); err != nil {
		return nil, fmt.Errorf("runner: reading the stack's queues: %w", err)
	}
	return queues, nil
}
