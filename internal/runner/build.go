package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
)

// build compiles each function, and each service, for this machine, or checks what is prebuilt.
// The error joins one for each function that fails.
func (s *Stack) build(ctx context.Context) error {
	programs, err := s.needed()
	if err != nil {
		return err
	}
	if s.config.Prebuilt {
		return checkPrebuilt(programs)
	}
	names := make([]string, len(programs))
	for i, p := range programs {
		names[i] = p.Folder
	}
	s.config.Logger.Info("building functions (minutes the first time, then seconds)", "functions", strings.Join(names, " "))
	var group errgroup.Group
	group.SetLimit(max(2, runtime.NumCPU()))
	errs := make([]error, len(programs))
	for i, f := range programs {
		group.Go(func() error {
			errs[i] = s.compile(ctx, f)
			return nil
		})
	}
	_ = group.Wait() // always nil: the errors are in errs
	return errors.Join(errs...)
}

// needed are the functions that will be called, and the services' programs.
func (s *Stack) needed() ([]program, error) {
	if s.config.Only != "" {
		only, err := s.named(s.config.Only)
		if err != nil {
			return nil, err
		}
		return []program{only.program}, nil
	}
	var programs []program
	for _, f := range s.functions {
		programs = append(programs, f.program)
	}
	for _, service := range s.services {
		programs = append(programs, service.program)
	}
	return programs, nil
}

func (s *Stack) compile(ctx context.Context, f program) error {
	root := filepath.Dir(s.config.Template)
	if info, err := os.Stat(filepath.Join(root, "functions", f.Folder)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: there is no folder functions/%s beside the template", f.ID, f.Folder)
	}
	command := exec.CommandContext(ctx, "go", "build", "-tags", "lambda.norpc", "-trimpath", "-o", f.bootstrap, "./functions/"+f.Folder)
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building functions/%s: %w\n%s", f.Folder, err, strings.TrimSpace(string(output)))
	}
	return nil
}

func checkPrebuilt(programs []program) error {
	var errs []error
	for _, f := range programs {
		if info, err := os.Stat(f.bootstrap); err != nil {
			errs = append(errs, fmt.Errorf("%s is not built: %w", f.ID, err))
		} else if info.Mode()&0o100 == 0 {
			errs = append(errs, fmt.Errorf("%s: %s cannot be executed", f.ID, f.bootstrap))
		}
	}
	return errors.Join(errs...)
}

// bootstrapPath is where a function's program is or will be.
func (s *Stack) bootstrapPath(folder string) (string, error) {
	base := s.config.BuildDir
	if base == "" {
		base = filepath.Join(filepath.Dir(s.config.Template), "dist", "local")
	}
	path, err := filepath.Abs(filepath.Join(base, folder, "bootstrap"))
	if err != nil {
		return "", fmt.Errorf("the path of functions/%s: %w", folder, err)
	}
	return path, nil
}
