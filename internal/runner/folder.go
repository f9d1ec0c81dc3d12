package runner

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"go.etcd.io/bbolt"
)

// ErrInUse means that another stack has the data folder.
var ErrInUse = errors.New("it is in use by another stack")

// A folder is the data folder: secrets, checkpoints, the lock, and where a
// running stack can be found.
type folder struct {
	path      string
	temporary bool
	lock      *os.File
	db        *bbolt.DB
}

// A Found is what a running stack writes down for other commands.
type Found struct {
	// HTTP and AWS are its addresses, Region is the region that it plays.
	HTTP   string `json:"http"`
	AWS    string `json:"aws"`
	Region string `json:"region"`
	// Settings are what its functions are told of the table, queues, topics and metrics, by
	// the variable's name; see package settings.
	Settings map[string]string `json:"settings"`
}

const stateFile = "stack.json"

var checkpointBucket = []byte("checkpoints")

func openFolder(path string) (*folder, error) {
	if path != InMemory {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("the data folder %s: %w", path, err)
		}
		path = absolute // functions run elsewhere
	}
	f := &folder{path: path}
	if path == InMemory {
		temporary, err := os.MkdirTemp("", "nightshift-")
		if err != nil {
			return nil, fmt.Errorf("making a temporary folder: %w", err)
		}
		f.path, f.temporary = temporary, true
	}
	if err := f.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("the data folder %s: %w", path, err), f.close())
	}
	return f, nil
}

func (f *folder) open() error {
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(f.path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	// The lock goes with the process, so that a killed stack leaves none.
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrInUse
		}
		return errors.Join(err, lock.Close())
	}
	f.lock = lock
	if err := f.emptyTemp(); err != nil {
		return err
	}
	// NoSync: what is written survives the death of the process, which is all
	// that a local stack promises.
	f.db, err = bbolt.Open(filepath.Join(f.path, "runner.db"), 0o600, &bbolt.Options{NoSync: true})
	if err != nil {
		return err
	}
	return f.db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(checkpointBucket)
		return err
	})
}

// temp is where functions have their temporary folders.
func (f *folder) temp() string { return filepath.Join(f.path, "tmp") }

// emptyTemp removes what a killed stack left.
func (f *folder) emptyTemp() error {
	if err := os.RemoveAll(f.temp()); err != nil {
		return err
	}
	return os.Mkdir(f.temp(), 0o700)
}

func (f *folder) close() error {
	var errs []error
	if f.db != nil {
		errs = append(errs, f.db.Close())
	}
	if f.lock != nil {
		if err := os.Remove(filepath.Join(f.path, stateFile)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		errs = append(errs, f.lock.Close())
	}
	if f.temporary {
		errs = append(errs, os.RemoveAll(f.path))
	}
	return errors.Join(errs...)
}

func (f *folder) writeState(s Found) error {
	encoded, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encoding the stack's state: %w", err)
	}
	temporary := filepath.Join(f.path, stateFile+".new")
	if err := os.WriteFile(temporary, append(encoded, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing the stack's state: %w", err)
	}
	if err := os.Rename(temporary, filepath.Join(f.path, stateFile)); err != nil {
		return fmt.Errorf("writing the stack's state: %w", err)
	}
	return nil
}

// Load gives a shard's checkpoint, or "".
func (f *folder) Load(mapping, shard string) (sequence string, err error) {
	err = f.db.View(func(tx *bbolt.Tx) error {
		sequence = string(tx.Bucket(checkpointBucket).Get([]byte(mapping + "/" + shard)))
		return nil
	})
	return sequence, err
}

// Save keeps a shard's checkpoint.
func (f *folder) Save(mapping, shard, sequence string) error {
	return f.db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket(checkpointBucket).Put([]byte(mapping+"/"+shard), []byte(sequence))
	})
}

var secretName = regexp.MustCompile(`^[A-Za-z0-9]+$`) // logical ids

// secret gives the text of a secret, which is made once.
func (f *folder) secret(id, fixed string, length int) (string, error) {
	if !secretName.MatchString(id) {
		return "", fmt.Errorf("the secret's id %q is no logical id", id)
	}
	if fixed != "" {
		return fixed, nil
	}
	path := filepath.Join(f.path, "secrets", id)
	text, err := os.ReadFile(path)
	if err == nil {
		return string(text), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading the secret %s: %w", id, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("keeping the secret %s: %w", id, err)
	}
	secret := rand.Text()
	for len(secret) < length {
		secret += rand.Text()
	}
	if length > 0 {
		secret = secret[:length]
	}
	if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
		return "", fmt.Errorf("keeping the secret %s: %w", id, err)
	}
	return secret, nil
}

// Find gives the stack that runs with a data folder. running is false where none
// does.
func Find(dataDir string) (found Found, running bool, err error) {
	if dataDir == InMemory {
		return Found{}, false, nil
	}
	lock, err := os.Open(filepath.Join(dataDir, "lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return Found{}, false, nil
	}
	if err != nil {
		return Found{}, false, fmt.Errorf("runner: looking for a running stack: %w", err)
	}
	defer lock.Close()
	// Who gets the lock knows that no stack has it, whatever a killed one left.
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err == nil {
		return Found{}, false, nil
	}
	encoded, err := os.ReadFile(filepath.Join(dataDir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Found{}, false, fmt.Errorf("runner: %w, which is starting or stopping", ErrInUse)
	}
	if err == nil {
		err = json.Unmarshal(encoded, &found)
	}
	if err != nil {
		return Found{}, false, fmt.Errorf("runner: reading the running stack's address: %w", err)
	}
	return found, true, nil
}

// Running gives the HTTP address of the stack that runs with a data folder, or
// "" where none does.
func Running(dataDir string) (string, error) {
	found, _, err := Find(dataDir)
	return found.HTTP, err
}
