package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// An invoke calls a function of the stack.
type invoke func(ctx context.Context, function string, payload []byte) (lambdaruntime.Result, error)

// A crowd is everybody who uses the site. Its people act one after the other, at their
// times: how much happens at once is the stack's affair.
type crowd struct {
	site   string
	invoke invoke

	people  map[int]*person
	recipes []string // what was published, the oldest first
	due     dueTimes
	// statuses counts the answers by their status, problems what should not have been.
	statuses map[int]int
	problems []error
}

// A person is a browser with somebody before it.
type person struct {
	number int
	id     string
	client *http.Client
}

func newCrowd(site string, invoke invoke) *crowd {
	return &crowd{site: site, invoke: invoke, people: map[int]*person{}, due: dueTimes{}, statuses: map[int]int{}}
}

// live has people act at their times.
func (c *crowd) live(ctx context.Context, clock *clock.Clock, day []act) error {
	for _, a := range day {
		if err := clock.Until(ctx, a.at); err != nil {
			return err
		}
		release := clock.Hold() // an answer is not waited for in flight
		err := c.perform(ctx, a)
		release()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.problems = append(c.problems, fmt.Errorf("reader %d, %s at %s: %w", a.who, a.kind, a.at.UTC().Format("15:04"), err))
		}
	}
	return nil
}

// send makes a request for somebody and reads the answer's JSON into out, unless it is
// nil. A full queue's 503 and a conflict are answers as good as any.
func (c *crowd) send(ctx context.Context, p *person, method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.site+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	c.statuses[response.StatusCode]++
	switch {
	case response.StatusCode == http.StatusServiceUnavailable, response.StatusCode == http.StatusConflict:
		return nil
	case response.StatusCode >= 400:
		return fmt.Errorf("%s %s: %d: %s", method, path, response.StatusCode, answer)
	case out != nil:
		return json.Unmarshal(answer, out)
	}
	return nil
}

// join signs somebody up. Half of the readers want the newsletter.
func (c *crowd) join(ctx context.Context, number int) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	p := &person{number: number, client: &http.Client{Jar: jar}}
	in := map[string]string{"name": fmt.Sprintf("Reader %d", number), "email": address(number), "password": "correct horse battery"}
	var out struct{ ID string }
	if err := c.send(ctx, p, "POST", "/api/readers", in, &out); err != nil {
		return err
	}
	p.id = out.ID
	c.people[number] = p
	if number%2 == 0 {
		return c.send(ctx, p, "PUT", "/api/me/newsletter", map[string]bool{"on": true}, nil)
	}
	return nil
}

func address(number int) string { return fmt.Sprintf("reader.%d@example.org", number) }

// put sends the bytes of an upload to where the site says.
func (c *crowd) upload(ctx context.Context, p *person, contentType string, data []byte) (key string, err error) {
	var to struct {
		Key, URL string
		Headers  map[string]string
	}
	err = c.send(ctx, p, "POST", "/uploads", map[string]any{"content_type": contentType, "bytes": len(data)}, &to)
	if err != nil || to.URL == "" {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, to.URL, bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	for name, value := range to.Headers {
		request.Header.Set(name, value)
	}
	response, err := p.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		answer, err := io.ReadAll(response.Body)
		return "", errors.Join(err, fmt.Errorf("putting an upload: %d: %s", response.StatusCode, answer))
	}
	return to.Key, nil
}

// answers counts the answers by status.
func (c *crowd) answers() map[int]int { return c.statuses }

// failures gives what should not have been, the first of it.
func (c *crowd) failures() error {
	if n := len(c.problems); n > 0 {
		return fmt.Errorf("%d acts failed; the first: %w", n, errors.Join(c.problems[:min(n, 5)]...))
	}
	return nil
}

func query(text string) string { return url.QueryEscape(strings.TrimSpace(text)) }
