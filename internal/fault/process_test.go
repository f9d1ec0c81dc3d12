package fault

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// nobody is an SQS that must not be called.
type nobody struct{ SQS }

// Every method of every client is struck, so that no call goes by unseen: a client
// that grows a method fails here.
func TestEveryMethodIsStruck(t *testing.T) {
	struck := ""
	p := &Process{
		Finder: &Finder{}, Choose: func(_ *Process, c Call) Kind { struck = c.Method; return Down },
		Done: func(*Process, Call, Kind, error) {},
	}
	clients := map[any]reflect.Type{
		p.Table(memstore.New(memstore.Config{})): reflect.TypeFor[store.Driver](),
		p.Objects(memobjects.New(nil)):           reflect.TypeFor[claimcheck.Driver](),
		p.Queue(nobody{}):                        reflect.TypeFor[SQS](),
		p.Lambda(nil):                            reflect.TypeFor[Lambda](),
	}
	for client, contract := range clients {
		for i := range contract.NumMethod() {
			method := contract.Method(i)
			if method.Name == "Link" { // calls nobody
				continue
			}
			struck = ""
			out := reflect.ValueOf(client).MethodByName(method.Name).Call(arguments(method.Type))
			err, _ := out[len(out)-1].Interface().(error)
			if struck != method.Name || !errors.Is(err, ErrInjected) {
				t.Errorf("%v.%s: struck %q, %v", contract, method.Name, struck, err)
			}
		}
	}
}

// arguments makes something of each parameter's type.
func arguments(method reflect.Type) (in []reflect.Value) {
	for i := range method.NumIn() {
		switch of := method.In(i); {
		case method.IsVariadic() && i == method.NumIn()-1:
		case of == reflect.TypeFor[context.Context]():
			in = append(in, reflect.ValueOf(context.Background()))
		case of == reflect.TypeFor[[]store.Write]():
			in = append(in, reflect.ValueOf([]store.Write{{}}))
		case of.Kind() == reflect.Pointer:
			in = append(in, reflect.New(of.Elem()))
		default:
			in = append(in, reflect.Zero(of))
		}
	}
	return in
}

// A killed process calls nobody, and a call that is held back is made when it is
// let go.
func TestAProcessIsKilled(t *testing.T) {
	kind := KilledAfter
	var held func()
	p := &Process{
		Finder: &Finder{}, Choose: func(*Process, Call) Kind { return kind },
		Done: func(*Process, Call, Kind, error) {}, Hold: func(_ Call, apply func()) { held = apply },
	}
	objects := memobjects.New(nil)
	client, ctx := p.Objects(objects), t.Context()
	kind = Late
	if err := client.Put(ctx, "late", nil); !errors.Is(err, ErrInjected) || len(objects.Keys()) != 0 {
		t.Errorf("late: %v, %v", err, objects.Keys())
	}
	held()
	kind = KilledAfter
	if err := client.Put(ctx, "killed", nil); !errors.Is(err, ErrDead) || !p.Dead() || len(objects.Keys()) != 2 {
		t.Errorf("killed after: %v, dead %v, %v", err, p.Dead(), objects.Keys())
	}
	kind = None
	if err := client.Put(ctx, "dead", nil); !errors.Is(err, ErrDead) || len(objects.Keys()) != 2 {
		t.Errorf("a dead process calls: %v, %v", err, objects.Keys())
	}
}

// Where SQS throttles a batch, each entry says so.
func TestAThrottledBatch(t *testing.T) {
	p := &Process{Finder: &Finder{}, Choose: func(*Process, Call) Kind { return Throttled }, Done: func(*Process, Call, Kind, error) {}}
	out, err := p.Queue(nobody{}).SendMessageBatch(t.Context(), &sqs.SendMessageBatchInput{
		Entries: []types.SendMessageBatchRequestEntry{{Id: aws.String("0")}, {Id: aws.String("1")}},
	})
	if err != nil || len(out.Failed) != 2 || *out.Failed[1].Id != "1" || *out.Failed[1].Code != throttledCode || out.Failed[1].SenderFault {
		t.Errorf("%+v, %v", out, err)
	}
}
