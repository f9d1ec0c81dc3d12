package resets_test

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/internal/crumb/mail/mailtest"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/resets"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

type world struct {
	*nightshifttest.Kit
	t        *testing.T
	ses      *mailtest.SES
	table    *rows.Table
	accounts *readers.Readers
	api      *site.Site
}

// must gives what was made, or ends the test.
func must[T any](t *testing.T) func(T, error) T {
	return func(made T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
}

func newWorld(t *testing.T, config nightshifttest.Config) *world {
	t.Helper()
	config.Tables = rowstest.Tables()
	w := &world{Kit: nightshifttest.New(t, config, tasks.SendReset, tasks.SendUrgent), t: t, ses: &mailtest.SES{}}
	w.table = rowstest.Of(t, w.Kit)
	cheap := readers.Cost{Memory: 64, Passes: 1, Threads: 1}
	w.accounts = must[*readers.Readers](t)(readers.New(readers.Config{Table: w.table, Cost: cheap, Now: w.Now}))
	mailer := mailtest.Mailer(t, w.ses)
	sender := must[*resets.Sender](t)(resets.NewSender(resets.Config{
		Table: w.table, Readers: w.accounts, Mailer: mailer, Records: w.Idempotency(), Random: rand.Reader, Now: w.Now,
	}))
	urgent := must[*mail.Urgent](t)(mail.NewUrgent(mailer, w.table, w.Idempotency()))
	w.Serve(worker.Handle(tasks.SendReset, sender.Send), worker.Handle(tasks.SendUrgent, urgent.Send))
	signed := must[*sessions.Sessions](t)(sessions.New([]byte(strings.Repeat("s", 32)), w.Now))
	w.api = must[*site.Site](t)(site.New(site.Config{Sessions: signed}))
	(&resets.API{Table: w.table, Readers: w.accounts, Producer: w.Producer, Outbox: w.Outbox, Sessions: signed, Now: w.Now}).Register(w.api)
	must[readers.Reader](t)(w.accounts.SignUp(t.Context(), readers.Newcomer{Name: "Ada", Email: "Ada@example.org", Password: "the first password"}))
	return w
}

func (w *world) post(path, body string) events.APIGatewayV2HTTPResponse {
	w.t.Helper()
	e := events.APIGatewayV2HTTPRequest{RawPath: path, Body: body, Headers: map[string]string{"content-type": "application/json"}}
	e.RequestContext.HTTP.Method = "POST"
	return must[events.APIGatewayV2HTTPResponse](w.t)(w.api.Invoke(w.t.Context(), e))
}

func (w *world) forget(email string) events.APIGatewayV2HTTPResponse {
	w.t.Helper()
	return w.post("/api/password-resets", fmt.Sprintf(`{"email":%q}`, email))
}

func (w *world) choose(token, password string) int {
	w.t.Helper()
	return w.post("/api/password-resets/"+url.PathEscape(token), fmt.Sprintf(`{"password":%q}`, password)).StatusCode
}

var linked = regexp.MustCompile(regexp.QuoteMeta(mailtest.URL) + `/reset\?token=([A-Za-z0-9_-]+)`)

// token gives that of the latest mail.
func (w *world) token() string {
	w.t.Helper()
	sent := w.ses.Sent()
	if len(sent) == 0 {
		w.t.Fatal("no mail was sent")
	}
	found := linked.FindStringSubmatch(*sent[len(sent)-1].Content.Simple.Body.Text.Data)
	if found == nil {
		w.t.Fatalf("no link in %s", *sent[len(sent)-1].Content.Simple.Body.Text.Data)
	}
	return found[1]
}

func (w *world) signsIn(password string) bool {
	_, err := w.accounts.SignIn(w.t.Context(), "ada@example.org", password)
	return err == nil
}

func TestANewPassword(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{Duplicates: true})
	if answer := w.forget("ADA@example.org"); answer.StatusCode != 202 {
		t.Fatalf("%d: %s", answer.StatusCode, answer.Body)
	}
	w.RunAll(t.Context())
	if to := w.ses.To(); to["Ada@example.org"] != 1 || len(to) != 1 {
		t.Fatalf("mails went to %v", to)
	}
	token := w.token()
	if got := w.choose(token, "short"); got != 422 || !w.signsIn("the first password") {
		t.Errorf("a short password: %d", got)
	}
	answer := w.post("/api/password-resets/"+token, `{"password":"the second password"}`)
	if len(answer.Cookies) != 1 || !strings.HasPrefix(answer.Cookies[0], sessions.BrowserCookie+"=") {
		t.Errorf("whoever has the mail is a stranger still: %v", answer.Cookies)
	}
	if got := answer.StatusCode; got != 204 || !w.signsIn("the second password") || w.signsIn("the first password") {
		t.Errorf("the token: %d", got)
	}
	if got := w.choose(token, "the third password"); got != 410 || !w.signsIn("the second password") {
		t.Errorf("the token again: %d", got)
	}
	w.RunAll(t.Context())
	sent := w.ses.Sent()
	if len(sent) != 2 || !strings.Contains(*sent[1].Content.Simple.Subject.Data, "was changed") {
		t.Errorf("%d mails", len(sent))
	}
}

// Many use a token at the same moment: it is good for one of them.
func TestATokenIsUsedOnce(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.forget("ada@example.org")
	w.RunAll(t.Context())
	token := w.token()
	answers := make([]int, 8)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = w.choose(token, fmt.Sprintf("the password number %d", i)) })
	}
	all.Wait()
	good := 0
	for i, answer := range answers {
		if answer == 204 {
			good++
		}
		if w.signsIn(fmt.Sprintf("the password number %d", i)) != (answer == 204) {
			t.Errorf("the answer to %d was %d", i, answer)
		}
	}
	if good != 1 {
		t.Errorf("the answers are %v", answers)
	}
}

func TestTokensThatAreNone(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.forget("ada@example.org")
	w.RunAll(t.Context())
	token := w.token()
	for _, bad := range []string{"x", token[1:], token + "A", strings.ToLower(token), "a b", "reset"} {
		if got := w.choose(bad, "the second password"); got != 410 {
			t.Errorf("%q: %d", bad, got)
		}
	}
	w.Advance(t.Context(), resets.Life)
	if got := w.choose(token, "the second password"); got != 410 || !w.signsIn("the first password") {
		t.Errorf("after an hour: %d", got)
	}
}

// Nobody can tell from the answer, or from what is done for it, who is a reader.
func TestStrangersGetTheSameAnswer(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	site, jobs := len(w.Rows(rowstest.Name)), len(w.Rows(""))
	known := w.forget("ada@example.org")
	each := len(w.Rows("")) - jobs
	unknown := w.forget("eve@example.org")
	if fmt.Sprint(known) != fmt.Sprint(unknown) {
		t.Errorf("%v and %v", known, unknown)
	}
	if got := len(w.Rows("")) - jobs; got != 2*each || len(w.Rows(rowstest.Name)) != site {
		t.Errorf("%d rows for the one, %d for both", each, got)
	}
	w.RunAll(t.Context())
	if to := w.ses.To(); len(to) != 1 {
		t.Errorf("mails went to %v", to)
	}
}

func TestAskingAgainAndAgainIsOneMail(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	for range 5 {
		w.forget("ada@example.org")
		w.Drain(t.Context())
	}
	if n := w.ses.To()["Ada@example.org"]; n != 1 {
		t.Errorf("%d mails in a minute", n)
	}
	w.Advance(t.Context(), time.Minute)
	w.forget("ada@example.org")
	w.Drain(t.Context())
	if n := w.ses.To()["Ada@example.org"]; n != 2 {
		t.Errorf("%d mails after it", n)
	}
}

// The token is in the mail alone.
func TestTheTokenIsWrittenNowhere(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.forget("ada@example.org")
	w.RunAll(t.Context())
	token := w.token()
	for _, table := range []string{"", rowstest.Name} {
		for _, row := range w.Rows(table) {
			for name, value := range row {
				if text := fmt.Sprintf("%+v", value); strings.Contains(text, token) {
					t.Errorf("%s of a row has the token: %s", name, text)
				}
			}
		}
	}
}

func TestAFailedMailLeavesAWayIn(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.ses.Fail = func(call int, _ *sesv2.SendEmailInput) error {
		if call < 3 {
			return &types.TooManyRequestsException{}
		}
		return nil
	}
	w.forget("ada@example.org")
	w.RunAll(t.Context())
	if got := w.choose(w.token(), "the second password"); got != 204 {
		t.Errorf("the token of the third try: %d", got)
	}
}

func TestWhatIsNoAddress(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	for _, body := range []string{`{"email":"ada"}`, `{"email":"a@b.example\r\nBcc: c@d.example"}`, `{"email":""}`} {
		if answer := w.post("/api/password-resets", body); answer.StatusCode != 422 {
			t.Errorf("%s: %d", body, answer.StatusCode)
		}
	}
	if answer := w.post("/api/password-resets", `{}x`); answer.StatusCode != 400 {
		t.Errorf("no JSON: %d", answer.StatusCode)
	}
}

func TestASenderNeedsEverything(t *testing.T) {
	if _, err := resets.NewSender(resets.Config{Random: io.LimitReader(rand.Reader, 0)}); err == nil {
		t.Error("a sender of nothing")
	}
}
