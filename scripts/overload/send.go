package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/scripts/overload/work"
)

// An answer is what became of a request.
type answer struct {
	at, took   time.Duration // since the first request; until it was answered
	status     int
	retryAfter time.Duration
	id         job.ID // of the job, where it was accepted
	err        error
}

// inTheAir is how many requests may be unanswered at once: more would say that the API
// itself is at its end, and not the queue.
const inTheAir = 32

// send asks for jobs at a steady rate, whatever the answers: who is refused does not
// come back, so that the pressure stays what it is. each is told of every answer, by
// many goroutines.
func send(ctx context.Context, url string, rate float64, lasts time.Duration, each func(answer)) ([]answer, error) {
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: inTheAir}}
	defer client.CloseIdleConnections()
	total := int(rate * lasts.Seconds())
	answers := make([]answer, total)
	room := make(chan struct{}, inTheAir)
	var waiting sync.WaitGroup
	defer waiting.Wait()
	began := time.Now()
	for n := range total {
		at := time.Duration(float64(n) / rate * float64(time.Second))
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Until(began.Add(at))):
		}
		room <- struct{}{}
		waiting.Go(func() {
			defer func() { <-room }()
			sent := time.Now()
			a := ask(ctx, client, url, n)
			a.at, a.took = sent.Sub(began), time.Since(sent)
			answers[n] = a
			each(a)
		})
	}
	waiting.Wait()
	return answers, nil
}

// ask asks for one job.
func ask(ctx context.Context, client *http.Client, url string, number int) answer {
	body, err := json.Marshal(work.Arguments{Number: number})
	if err != nil {
		return answer{err: err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	a := answer{status: response.StatusCode, err: err}
	switch response.StatusCode {
	case http.StatusAccepted:
		var made struct{ ID job.ID }
		if err := json.Unmarshal(raw, &made); err != nil || made.ID == "" {
			a.err = fmt.Errorf("an answer without a job: %s", raw)
		}
		a.id = made.ID
	case http.StatusServiceUnavailable:
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if err != nil {
			a.err = fmt.Errorf("a refusal without Retry-After: %v", response.Header)
		}
		a.retryAfter = time.Duration(seconds) * time.Second
	default:
		a.err = fmt.Errorf("status %d: %s", response.StatusCode, raw)
	}
	return a
}
