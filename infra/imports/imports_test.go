// Package imports proves that a program which imports the toolkit alone never
// downloads the AWS CDK, although infra/ is part of the same module: Go fetches
// only the modules whose packages are imported.
package imports

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/nightshift-go/nightshift"

// cdk are the beginnings of the paths of modules that only infra may import.
var cdk = []string{"github.com/aws/aws-cdk-go", "github.com/aws/constructs-go", "github.com/aws/jsii-runtime-go", "github.com/cdklabs"}

func isCDK(path string) bool {
	return slices.ContainsFunc(cdk, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// golang runs the go command in a folder and gives the lines it printed.
func golang(t *testing.T, folder string, environment []string, args ...string) []string {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir = folder
	command.Env = append(os.Environ(), environment...)
	var complaints strings.Builder
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, complaints.String())
	}
	return strings.Fields(string(output))
}

// A proxy serves the modules in this computer's cache and remembers which were
// asked for.
type proxy struct {
	sync.Mutex
	asked []string
}

func (p *proxy) serve(t *testing.T) (url string) {
	t.Helper()
	cache := golang(t, ".", nil, "env", "GOMODCACHE")[0]
	files := http.FileServer(http.Dir(filepath.Join(cache, "cache", "download")))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.Lock()
		p.asked = append(p.asked, strings.TrimPrefix(r.URL.Path, "/"))
		p.Unlock()
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestToolkitNeedsNoCDK(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	packages := golang(t, root, nil, "list", "./pkg/...")
	if len(packages) < 5 {
		t.Fatalf("the toolkit has the packages %v only", packages)
	}
	shop := t.TempDir()
	write(t, shop, "go.mod", "module example.com/shop\n\ngo 1.26\n\nrequire "+module+" v0.0.0\n\nreplace "+module+" => "+root+"\n")
	write(t, shop, "shop.go", "package shop\n\nimport (\n\t_ \""+strings.Join(packages, "\"\n\t_ \"")+"\"\n)\n")

	var served proxy
	environment := []string{
		"GOPROXY=" + served.serve(t), "GOMODCACHE=" + filepath.Join(t.TempDir(), "mod"),
		"GOSUMDB=off", "GOFLAGS=-mod=mod -modcacherw", "GOTOOLCHAIN=local", "GOWORK=off", "GONOPROXY=none", "GOPRIVATE=",
	}
	modules := golang(t, shop, environment, "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	if !slices.Contains(modules, "github.com/aws/smithy-go") {
		t.Errorf("the toolkit uses the modules %v: the AWS clients are missing, so the test looks at the wrong thing", modules)
	}
	for _, path := range modules {
		if isCDK(path) {
			t.Errorf("the toolkit imports %s", path)
		}
	}
	for _, path := range served.asked {
		if isCDK(path) {
			t.Errorf("importing the toolkit fetches %s", path)
		}
	}
	if len(served.asked) == 0 {
		t.Error("nothing was fetched: the proxy was not used")
	}
}

// Within the module, only infra imports the CDK.
func TestOnlyInfraImportsCDK(t *testing.T) {
	const format = `{{$p := .ImportPath}}{{range .Imports}}{{$p}}={{.}}{{"\n"}}{{end}}` +
		`{{range .TestImports}}{{$p}}={{.}}{{"\n"}}{{end}}{{range .XTestImports}}{{$p}}={{.}}{{"\n"}}{{end}}`
	found := false
	for _, line := range golang(t, filepath.Join("..", ".."), nil, "list", "-f", format, "./...") {
		importer, imported, _ := strings.Cut(line, "=")
		if isCDK(imported) && !strings.HasPrefix(importer, module+"/infra") {
			t.Errorf("%s imports %s", importer, imported)
		}
		found = found || isCDK(imported)
	}
	if !found {
		t.Error("nothing imports the CDK: the test looks at the wrong thing")
	}
}

func write(t *testing.T, folder, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
