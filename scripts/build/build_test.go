package main

import (
	"archive/zip"
	"bytes"
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// module writes a small module with one function that uses the network, for
// which Go would link the C library if it were let.
func module(t *testing.T, greeting string) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{
		"go.mod": "module example.com/shop\n\ngo 1.26\n",
		"functions/hello/main.go": `package main

import (
	"fmt"
	"net"
)

func main() {
	_, err := net.LookupHost("localhost")
	fmt.Println("` + greeting + `", err)
}
`,
		"functions/notes/readme.txt": "not a function\n",
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func built(t *testing.T, root string, targets ...string) string {
	t.Helper()
	b := builder{root: root, out: filepath.Join(t.TempDir(), "dist"), targets: targets}
	if err := b.validate(); err != nil {
		t.Fatal(err)
	}
	if err := b.build(context.Background()); err != nil {
		t.Fatal(err)
	}
	return b.out
}

func TestBinariesAreStaticForTheirProcessor(t *testing.T) {
	out := built(t, module(t, "hello"), "arm64", "amd64")
	for target, machine := range map[string]elf.Machine{"arm64": elf.EM_AARCH64, "amd64": elf.EM_X86_64} {
		binary, err := elf.Open(filepath.Join(out, target, "hello", "bootstrap"))
		if err != nil {
			t.Fatal(err)
		}
		defer binary.Close()
		if binary.Machine != machine {
			t.Errorf("%s: machine %v, want %v", target, binary.Machine, machine)
		}
		for _, segment := range binary.Progs {
			if segment.Type == elf.PT_INTERP || segment.Type == elf.PT_DYNAMIC {
				t.Errorf("%s: segment %v: the binary is linked dynamically", target, segment.Type)
			}
		}
		if binary.Section(".symtab") != nil {
			t.Errorf("%s: the binary carries symbols", target)
		}
	}
	left, err := os.ReadDir(filepath.Join(out, "arm64"))
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 1 {
		t.Errorf("dist/arm64 holds %v, want hello alone", left)
	}
}

// The same source in another folder gives the same
// bytes; another source does not.
func TestBuildsAreReproducible(t *testing.T) {
	first := built(t, module(t, "hello"), "arm64")
	second := built(t, module(t, "hello"), "arm64") // in another folder
	other := built(t, module(t, "good day"), "arm64")
	path := filepath.Join("arm64", "hello", "bootstrap")
	if err := compare(filepath.Join(first, path), filepath.Join(second, path)); err != nil {
		t.Error(err)
	}
	if compare(filepath.Join(first, path), filepath.Join(other, path)) == nil {
		t.Error("two different programs compare equal: the comparison is blind")
	}
}

// Lambda unpacks the archive with the modes in it.
func TestArchiveKeepsTheExecuteBit(t *testing.T) {
	out := built(t, module(t, "hello"), "amd64")
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	if err := writer.AddFS(os.DirFS(filepath.Join(out, "amd64", "hello"))); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	reader, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(reader.File) != 1 || reader.File[0].Name != "bootstrap" {
		t.Fatalf("the archive holds %v, want bootstrap alone", reader.File)
	}
	if mode := reader.File[0].Mode().Perm(); mode != 0o755 {
		t.Errorf("bootstrap has mode %o in the archive, want 755", mode)
	}
}

func TestLocalBinaryRuns(t *testing.T) {
	out := built(t, module(t, "good evening"), "local")
	said, err := exec.Command(filepath.Join(out, "local", "hello", "bootstrap")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(said), "good evening") {
		t.Errorf("it said %q", said)
	}
}

func TestMistakesAreReported(t *testing.T) {
	b := builder{root: t.TempDir(), targets: []string{"arm64", "sparc"}}
	err := b.validate()
	if err == nil {
		t.Fatal("a target that does not exist, and no functions: accepted")
	}
	for _, want := range []string{`no target "sparc"`, "no functions/*/main.go"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}

	broken := module(t, `" + nonsense + "`)
	b = builder{root: broken, out: t.TempDir(), targets: []string{"arm64"}, names: []string{"hello"}}
	if err := b.build(context.Background()); err == nil || !strings.Contains(err.Error(), "undefined: nonsense") {
		t.Errorf("a function that does not compile: %v", err)
	}
}

// A program with a Dockerfile becomes a container, whose image is built from where the
// program is.
func TestDockerfilesLieBesideTheirPrograms(t *testing.T) {
	root := module(t, "hello")
	want := "FROM scratch\n"
	if err := os.WriteFile(filepath.Join(root, "functions", "hello", "Dockerfile"), []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
	out := built(t, root, "amd64")
	if got, err := os.ReadFile(filepath.Join(out, "amd64", "hello", "Dockerfile")); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
}
