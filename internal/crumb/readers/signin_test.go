package readers_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

var cheap = readers.Cost{Memory: 16, Passes: 1, Threads: 1}

func on(t *testing.T, table *rows.Table, cost readers.Cost) *readers.Readers {
	t.Helper()
	r, err := readers.New(readers.Config{Table: table, Cost: cost})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const password = "onions and more"

func signUp(t *testing.T, r *readers.Readers, name string) readers.Reader {
	t.Helper()
	reader, err := r.SignUp(t.Context(), readers.Newcomer{Name: name, Email: name + "@Example.com", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

func TestSignUpAndIn(t *testing.T) {
	r := on(t, rowstest.New(t), cheap)
	ada := signUp(t, r, "Ada")
	if ada.Email != "Ada@Example.com" || ada.Newsletter || len(ada.ID) != 26 {
		t.Errorf("signed up as %+v", ada)
	}
	got, err := r.SignIn(t.Context(), "ada@example.com", password)
	if err != nil || got.ID != ada.ID {
		t.Errorf("signed in as %+v, %v", got, err)
	}
	for address, text := range map[string]string{
		"ada@example.com": "something else", "bob@example.com": password, "not an address": password, "": "",
		"Ada@example.com": string(make([]byte, 1<<20)),
	} {
		if _, err := r.SignIn(t.Context(), address, text); !errors.Is(err, readers.ErrWrong) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestSignUpRefuses(t *testing.T) {
	r := on(t, rowstest.New(t), cheap)
	signUp(t, r, "Ada")
	for name, c := range map[string]readers.Newcomer{
		"no name":        {Email: "b@example.com", Password: password},
		"no address":     {Name: "Bob", Password: password},
		"short password": {Name: "Bob", Email: "b@example.com", Password: "1234567"},
		"long password":  {Name: "Bob", Email: "b@example.com", Password: string(make([]byte, 129))},
		"no text":        {Name: "Bob", Email: "b@example.com", Password: "onions\xff and more"},
	} {
		var bad *readers.BadInput
		if _, err := r.SignUp(t.Context(), c); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.SignUp(t.Context(), readers.Newcomer{Name: "Eve", Email: "ADA@example.COM", Password: password}); !errors.Is(err, readers.ErrTaken) {
		t.Errorf("Ada's address: %v", err)
	}
}

// Of many who take one address at once, one gets it.
func TestAnAddressHasOneReader(t *testing.T) {
	r := on(t, rowstest.New(t), cheap)
	var got, taken atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := r.SignUp(t.Context(), readers.Newcomer{Name: "Ada", Email: "ada@example.com", Password: password})
			switch {
			case err == nil:
				got.Add(1)
			case errors.Is(err, readers.ErrTaken):
				taken.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got.Load() != 1 || taken.Load() != 7 {
		t.Errorf("%d got the address, %d were told that it is taken", got.Load(), taken.Load())
	}
}

// A forgetful table makes each transaction twice, as when an answer is lost and the
// call repeated after the token was forgotten.
type forgetful struct{ store.Driver }

func (f forgetful) Transact(ctx context.Context, token string, writes []store.Write) error {
	if err := f.Driver.Transact(ctx, token, writes); err != nil {
		return err
	}
	return f.Driver.Transact(ctx, token+"again", writes)
}

func TestASignUpWhoseAnswerWasLost(t *testing.T) {
	memory := memstore.New(memstore.Config{Tables: rowstest.Tables()})
	jobs, err := store.New(store.Config{Driver: forgetful{memory}})
	if err != nil {
		t.Fatal(err)
	}
	driver, err := memory.Table(rowstest.Name)
	if err != nil {
		t.Fatal(err)
	}
	table, err := rows.New(driver, rowstest.Name, jobs)
	if err != nil {
		t.Fatal(err)
	}
	r := on(t, table, cheap)
	signUp(t, r, "Ada")
	if _, err := r.SignIn(t.Context(), "ada@example.com", password); err != nil {
		t.Error(err)
	}
}

func TestPasswordsAreHashedAnewAtSignIn(t *testing.T) {
	table := rowstest.New(t)
	ada := signUp(t, on(t, table, cheap), "Ada")
	dearer := on(t, table, readers.Cost{Memory: 32, Passes: 1, Threads: 1})
	if _, err := dearer.SignIn(t.Context(), ada.Email, "wrong password"); err == nil {
		t.Fatal("signed in")
	}
	if same, err := dearer.Get(t.Context(), ada.ID); err != nil || string(same.Password) != string(ada.Password) {
		t.Errorf("a wrong password was kept (%v)", err)
	}
	if _, err := dearer.SignIn(t.Context(), ada.Email, password); err != nil {
		t.Fatal(err)
	}
	after, err := dearer.Get(t.Context(), ada.ID)
	if err != nil || string(after.Password) == string(ada.Password) || string(after.Password[:22]) != "$argon2id$v=19$m=32,t=" {
		t.Errorf("the hash is %s (%v)", after.Password, err)
	}
	if _, err := dearer.SignIn(t.Context(), ada.Email, password); err != nil {
		t.Error("the new hash:", err)
	}
}

func TestSetPassword(t *testing.T) {
	r := on(t, rowstest.New(t), cheap)
	ada := signUp(t, r, "Ada")
	if err := r.SetPassword(t.Context(), ada.ID, "leeks and more"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.SignIn(t.Context(), ada.Email, password); !errors.Is(err, readers.ErrWrong) {
		t.Error("the old password:", err)
	}
	if _, err := r.SignIn(t.Context(), ada.Email, "leeks and more"); err != nil {
		t.Error("the new password:", err)
	}
	if err := r.SetPassword(t.Context(), "nobody", password); !errors.Is(err, readers.ErrNobody) {
		t.Error("nobody's password:", err)
	}
	var bad *readers.BadInput
	if err := r.SetPassword(t.Context(), ada.ID, "short"); !errors.As(err, &bad) {
		t.Error("a short one:", err)
	}
}
