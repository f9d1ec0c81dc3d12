package constructs_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2authorizers"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/infra/rules"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// A shop has mails, which many workers send, and stock movements of an article,
// which keep their order.
var (
	mails = job.Queue{Name: "mails", PeakArrivals: job.PerSecond(100), ServiceTime: 200 * time.Millisecond,
		LongestWait: 5 * time.Minute, Batch: 10, Bound: 5}
	stock = job.Queue{Name: "stock-moves", PeakArrivals: job.PerSecond(5), ServiceTime: 100 * time.Millisecond,
		LongestWait: time.Minute, FIFO: true}

	sendMail   = job.Define[struct{ To string }]("mail.send", job.Policy{Queue: mails, Timeout: 20 * time.Second})
	sendDigest = job.Define[struct{ To string }]("mail.digest", job.Policy{Queue: mails, Timeout: 40 * time.Second})
	moveStock  = job.Define[struct{ Article string }]("stock.move", job.Policy{Queue: stock})

	shopTasks = []job.Defined{sendMail, sendDigest, moveStock}
)

func needNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("node is missing: the AWS CDK runs on Node.js 20 or newer")
	}
	t.Skip("SKIPPED: node is missing: the AWS CDK runs on Node.js 20 or newer")
}

// function makes the settings of a function whose built bootstrap is a stand-in.
func function(t *testing.T, name string) constructs.FunctionProps {
	t.Helper()
	assets := t.TempDir()
	if err := os.MkdirAll(filepath.Join(assets, name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(assets, name, "bootstrap"), []byte(name), 0o755); err != nil {
		t.Fatal(err)
	}
	return constructs.FunctionProps{Name: name, Assets: assets}
}

type shop struct {
	app      awscdk.App
	stack    awscdk.Stack
	table    awsdynamodb.Table
	standard constructs.Backstop
	fifo     constructs.Backstop
	relay    constructs.Relay
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{app: awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(t.TempDir()), AnalyticsReporting: jsii.Bool(false)})}
	s.stack = awscdk.NewStack(s.app, jsii.String("Shop"), nil)
	table := constructs.NewJobsTable(s.stack, "Jobs")
	s.table = table
	s.standard = constructs.NewBackstop(s.stack, "Backstop", constructs.BackstopProps{Table: table, Function: function(t, "backstop")})
	s.fifo = constructs.NewBackstop(s.stack, "OrderedBackstop",
		constructs.BackstopProps{Table: table, Function: function(t, "backstop"), FIFO: true})
	s.relay = constructs.NewRelay(s.stack, "Relay", constructs.RelayProps{
		Table: table, Bucket: constructs.NewObjectsBucket(s.stack, "Objects"), Function: function(t, "relay"), Window: time.Second})
	return s
}

type template struct {
	Resources map[string]struct {
		Type       string
		Properties map[string]any
	}
}

// synthesised checks the stack by the rules and reads its template.
func (s *shop) synthesised(t *testing.T) template {
	t.Helper()
	constructs.ReadableIDs(s.stack)
	s.app.Synth(nil)
	raw, err := os.ReadFile(filepath.Join(*s.app.Outdir(), "Shop.template.json"))
	if err != nil {
		t.Fatal(err)
	}
	findings, err := rules.Check(raw)
	if err != nil || len(findings) > 0 {
		t.Errorf("the rules find %v, %v", findings, err)
	}
	var read template
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestAnotherStack(t *testing.T) {
	needNode(t)
	s := newShop(t)
	mail := constructs.NewWorkerQueue(s.stack, "Mails", constructs.WorkerQueueProps{
		Queue: mails, Tasks: shopTasks, Function: function(t, "mails"), Backstop: s.standard})
	moves := constructs.NewWorkerQueue(s.stack, "Stock", constructs.WorkerQueueProps{
		Queue: stock, Tasks: shopTasks, Function: function(t, "stock"), Backstop: s.fifo})
	s.relay.Publish(mail)
	s.relay.Publish(moves)
	api := constructs.NewApi(s.stack, "Api", constructs.ApiProps{
		Authorizer: awsapigatewayv2authorizers.NewHttpIamAuthorizer()})
	status := function(t, "status")
	status.Timeout = 5 * time.Second
	constructs.AddGates(&status, constructs.GateProps{Table: s.table, Window: time.Second, Queues: []constructs.JobQueue{mail, mail}})
	api.Route("Status", awsapigatewayv2.HttpMethod_GET, "/jobs/{id}", constructs.NewFunction(s.stack, "StatusFunction", status))

	all := s.synthesised(t).Resources
	for _, c := range []struct {
		id, property string
		want         any
	}{
		// Two rounds of 40 s, and ten more; six times that.
		{"MailsFunction", "Timeout", 130.0},
		{"MailsQueue", "VisibilityTimeout", 780.0},
		{"MailsMapping", "BatchSize", 10.0},
		{"StockQueue", "FifoQueue", true},
		{"StockDeadLetterQueue", "FifoQueue", true},
		{"OrderedBackstopQueue", "FifoQueue", true},
		{"OrderedBackstopDeadLetterQueue", "FifoQueue", true},
		{"BackstopQueue", "FifoQueue", nil},
		{"RelayMapping", "MaximumBatchingWindowInSeconds", 1.0},
		{"ApiStatusRoute", "AuthorizationType", "AWS_IAM"},
		{"MailsRefusalsAlarm", "Threshold", 60.0},
	} {
		if got := all[c.id].Properties[c.property]; got != c.want {
			t.Errorf("%s: %s is %v, want %v", c.id, c.property, got, c.want)
		}
	}

	relay, err := json.Marshal(all["RelayFunction"].Properties["Environment"])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"MAILS_URL", "MAILS_DLQ_URL", "STOCK_MOVES_URL", "STOCK_MOVES_DLQ_URL"} {
		if !strings.Contains(string(relay), "NIGHTSHIFT_QUEUE_"+name) {
			t.Errorf("the relay does not know NIGHTSHIFT_QUEUE_%s: %s", name, relay)
		}
	}
	ordered, err := json.Marshal(all["OrderedBackstopFunction"].Properties["Environment"])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(ordered), "MAILS") || !strings.Contains(string(ordered), "STOCK_MOVES_DLQ_URL") {
		t.Errorf("the FIFO backstop has %s", ordered)
	}
	gated, err := json.Marshal(all["StatusFunction"].Properties["Environment"])
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"NIGHTSHIFT_RELAY_WINDOW":"1s"`, `"NIGHTSHIFT_TABLE":{"Ref":"Jobs"}`, `"NIGHTSHIFT_QUEUE_MAILS_URL":{"Ref":"MailsQueue"}`, `"NIGHTSHIFT_NAMESPACE":"Nightshift/Shop"`} {
		if !strings.Contains(string(gated), part) {
			t.Errorf("the function with gates has no %s: %s", part, gated)
		}
	}
	for _, entry := range *api.HttpApi.Node().Metadata() {
		if *entry.Type == "aws:cdk:info" {
			t.Errorf("an API with an authorizer is said to be open: %v", entry.Data)
		}
	}
}

// capacity checks a shop's queues against what there is.
func capacity(c sizing.Capacity) func(*testing.T, *shop) {
	return func(t *testing.T, s *shop) {
		constructs.CheckCapacity(s.stack, c, constructs.NewWorkerQueue(s.stack, "Mails",
			constructs.WorkerQueueProps{Queue: mails, Tasks: shopTasks, Function: function(t, "mails"), Backstop: s.standard}))
	}
}

func TestMistakes(t *testing.T) {
	needNode(t)
	worker := func(change func(*constructs.WorkerQueueProps)) func(*testing.T, *shop) {
		return func(t *testing.T, s *shop) {
			props := constructs.WorkerQueueProps{Queue: mails, Tasks: shopTasks, Function: function(t, "mails"), Backstop: s.standard}
			change(&props)
			constructs.NewWorkerQueue(s.stack, "Mails", props)
		}
	}
	for _, c := range []struct {
		name, want string
		make       func(*testing.T, *shop)
	}{
		{"too short for a batch", "batches of 10, 5 at a time, need 2m10s",
			worker(func(p *constructs.WorkerQueueProps) { p.Function.Timeout = time.Minute })},
		{"no task", `none of Tasks has the queue "mails"`,
			worker(func(p *constructs.WorkerQueueProps) { p.Tasks = []job.Defined{moveStock} })},
		{"no backstop", "needs a Backstop of the same kind",
			worker(func(p *constructs.WorkerQueueProps) { p.Backstop = constructs.Backstop{} })},
		{"standard backstop of a FIFO queue", "needs a Backstop of the same kind: FIFO true",
			worker(func(p *constructs.WorkerQueueProps) { p.Queue = stock })},
		{"slower than its timeout allows", "cut off",
			worker(func(p *constructs.WorkerQueueProps) {
				slow := mails
				slow.ServiceTime = time.Hour
				p.Tasks = []job.Defined{job.Define[struct{}]("slow", job.Policy{Queue: slow})}
			})},
		{"a mapping of a queue that processes poll", "gets no function and no mapping",
			worker(func(p *constructs.WorkerQueueProps) {
				films := mails
				films.Polled = true
				p.Queue, p.Tasks = films, []job.Defined{job.Define[struct{}]("film.cut", job.Policy{Queue: films, Timeout: 5 * time.Hour})}
			})},
		{"a wait that a message does not outlive", "its message is gone after 96h0m0s",
			worker(func(p *constructs.WorkerQueueProps) {
				patient := mails
				patient.LongestWait = 5 * 24 * time.Hour
				p.Queue, p.Tasks = patient, []job.Defined{job.Define[struct{}]("mail.later", job.Policy{Queue: patient})}
			})},
		{"more workers than the account runs", "ask AWS for a concurrency of",
			capacity(sizing.Capacity{Concurrency: 5})},
		{"other functions count", "other functions 995", capacity(sizing.Capacity{Others: 995})},
		{"more workers than the database bears", `database "shop": the workers hold up to 30 connections`,
			capacity(sizing.Capacity{Databases: []sizing.Database{{Name: "shop", Most: 29}}})},
		{"not built", "run `make build` first", func(t *testing.T, s *shop) {
			constructs.NewFunction(s.stack, "F", constructs.FunctionProps{Name: "f", Assets: t.TempDir(), Timeout: time.Second})
		}},
		{"no timeout", "whole seconds from 1 to 900", func(t *testing.T, s *shop) {
			constructs.NewFunction(s.stack, "F", function(t, "f"))
		}},
		{"fraction of a second", "whole seconds from 1 to 900", func(t *testing.T, s *shop) {
			props := function(t, "f")
			props.Timeout = 1500 * time.Millisecond
			constructs.NewFunction(s.stack, "F", props)
		}},
		{"two resources of one id", "its logical id OldPhotos is that of Shop/Old-Photos", func(_ *testing.T, s *shop) {
			constructs.NewObjectsBucket(s.stack, "Old-Photos")
			constructs.NewObjectsBucket(s.stack, "OldPhotos")
			constructs.ReadableIDs(s.stack)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mistake := mistakeOf(func() { c.make(t, newShop(t)) })
			if mistake == nil || !strings.Contains(mistake.Error(), c.want) {
				t.Errorf("the mistake is %v, want one that says %q", mistake, c.want)
			}
		})
	}
}

func mistakeOf(build func()) (err error) {
	defer func() {
		if problem, ok := recover().(error); ok {
			var mistake constructs.Mistake
			if !errors.As(problem, &mistake) {
				panic(problem)
			}
			err = mistake
		}
	}()
	build()
	return nil
}

// A stack of one queue: what is shared first, then the work.
func Example() {
	app := awscdk.NewApp(nil)
	stack := awscdk.NewStack(app, jsii.String("Shop"), nil)
	function := func(name string) constructs.FunctionProps {
		return constructs.FunctionProps{Name: name, Assets: "dist/arm64"}
	}

	table := constructs.NewJobsTable(stack, "JobsTable")
	bucket := constructs.NewObjectsBucket(stack, "ObjectsBucket")
	backstop := constructs.NewBackstop(stack, "Backstop", constructs.BackstopProps{Table: table, Function: function("backstop")})
	relay := constructs.NewRelay(stack, "Relay", constructs.RelayProps{Table: table, Bucket: bucket, Function: function("relay")})
	constructs.NewSweep(stack, "Sweep", constructs.SweepProps{Table: table, Function: function("sweep")})

	worker := function("mails")
	worker.Policy = append(worker.Policy, constructs.Allow(table.TableArn(), "dynamodb:GetItem", "dynamodb:UpdateItem"))
	queue := constructs.NewWorkerQueue(stack, "Mails", constructs.WorkerQueueProps{
		Queue: mails, Tasks: shopTasks, Function: worker, Backstop: backstop,
	})
	relay.Publish(queue)
	app.Synth(nil)
}
