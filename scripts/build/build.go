package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// A builder builds functions of the module at root.
type builder struct {
	root    string
	out     string   // relative to the working folder
	targets []string // arm64, amd64, local
	names   []string // folders under functions/; empty: all
	cache   string   // GOCACHE; empty: the usual one
}

// validate fills in the names of all functions if none were asked for, and
// reports what cannot be built.
func (b *builder) validate() error {
	var problems []error
	for _, target := range b.targets {
		if _, _, err := platform(target); err != nil {
			problems = append(problems, err)
		}
	}
	if len(b.names) == 0 {
		mains, err := filepath.Glob(filepath.Join(b.root, "functions", "*", "main.go"))
		if err != nil {
			return fmt.Errorf("build: listing the functions: %w", err)
		}
		for _, main := range mains {
			b.names = append(b.names, filepath.Base(filepath.Dir(main)))
		}
		if len(mains) == 0 {
			problems = append(problems, errors.New("build: there is no functions/*/main.go: run from the root of the module"))
		}
	}
	return errors.Join(problems...)
}

func platform(target string) (goos, goarch string, err error) {
	switch target {
	case "arm64", "amd64":
		return "linux", target, nil
	case "local":
		return runtime.GOOS, runtime.GOARCH, nil
	}
	return "", "", fmt.Errorf("build: there is no target %q: arm64, amd64 and local there are", target)
}

func (b *builder) build(ctx context.Context) error {
	for _, target := range b.targets {
		if err := b.buildTarget(ctx, target); err != nil {
			return err
		}
	}
	return nil
}

// buildTarget compiles all functions by one go command, which loads the module
// once, and then puts each where it belongs.
func (b *builder) buildTarget(ctx context.Context, target string) error {
	folder, err := filepath.Abs(filepath.Join(b.out, target))
	if err != nil {
		return fmt.Errorf("build: finding %s: %w", b.out, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("build: making %s: %w", folder, err)
	}
	fresh, err := os.MkdirTemp(folder, ".build-")
	if err != nil {
		return fmt.Errorf("build: making a folder to build in: %w", err)
	}
	defer os.RemoveAll(fresh)
	if err := b.compile(ctx, target, fresh); err != nil {
		return err
	}
	for _, name := range b.names {
		if err := place(filepath.Join(fresh, binaryName(name)), filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("build: placing %s for %s: %w", name, target, err)
		}
		if err := b.placeDockerfile(name, folder); err != nil {
			return fmt.Errorf("build: placing the Dockerfile of %s for %s: %w", name, target, err)
		}
	}
	return nil
}

// compile builds static, stripped binaries that say nothing of where or when
// they were built. lambda.norpc leaves out the protocol of the old go1.x
// runtime.
func (b *builder) compile(ctx context.Context, target, into string) error {
	goos, goarch, err := platform(target)
	if err != nil {
		return err
	}
	args := []string{"build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid=", "-o", into + string(filepath.Separator)}
	for _, name := range b.names {
		args = append(args, "./functions/"+name)
	}
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = b.root
	// The environment's own settings must not make one build differ from
	// another; the processor's level is pinned to what every Lambda has.
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch,
		"GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	if b.cache != "" {
		command.Env = append(command.Env, "GOCACHE="+b.cache)
	}
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build: compiling for %s: %w\n%s", target, err, output)
	}
	return nil
}

func binaryName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// place moves a binary to <folder>/bootstrap, executable for everyone whatever
// the umask: Lambda runs it as another user. The rename means that a process
// which runs the old one is not disturbed.
func place(binary, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(binary, 0o755); err != nil {
		return err
	}
	return os.Rename(binary, filepath.Join(folder, "bootstrap"))
}

// placeDockerfile puts the Dockerfile of a program that is to be a container beside its
// binary: that folder is what the image is built from. Functions have none.
func (b *builder) placeDockerfile(name, folder string) error {
	content, err := os.ReadFile(filepath.Join(b.root, "functions", name, "Dockerfile"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name, "Dockerfile"), content, 0o644)
}

// reproduce builds twice, once into the usual folder and once elsewhere, and
// compares the bytes. It compiles from nothing the second time, or the go
// command's cache would compare a build with itself.
func (b *builder) reproduce(ctx context.Context) error {
	if err := b.build(ctx); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "build")
	if err != nil {
		return fmt.Errorf("build: making a folder for the second build: %w", err)
	}
	defer os.RemoveAll(scratch)
	again := *b
	again.out = filepath.Join(scratch, "dist")
	again.cache = filepath.Join(scratch, "cache")
	if err := again.build(ctx); err != nil {
		return err
	}
	var problems []error
	for _, target := range b.targets {
		for _, name := range b.names {
			place := filepath.Join(target, name, "bootstrap")
			problems = append(problems, compare(filepath.Join(b.out, place), filepath.Join(again.out, place)))
		}
	}
	return errors.Join(problems...)
}

func compare(first, second string) error {
	a, err := os.ReadFile(first)
	if err != nil {
		return fmt.Errorf("build: comparing: %w", err)
	}
	c, err := os.ReadFile(second)
	if err != nil {
		return fmt.Errorf("build: comparing: %w", err)
	}
	if !bytes.Equal(a, c) {
		return fmt.Errorf("build: %s differs from a second build of the same source", first)
	}
	return nil
}
