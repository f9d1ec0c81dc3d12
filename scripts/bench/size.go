package main

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// sizes tells how large each function's program is for Lambda.
func sizes(ctx context.Context, out io.Writer) error {
	if text, err := exec.CommandContext(ctx, "go", "run", "./scripts/build").CombinedOutput(); err != nil {
		return fmt.Errorf("building: %w\n%s", err, text)
	}
	programs, err := filepath.Glob("dist/arm64/*/bootstrap")
	if err != nil || len(programs) == 0 {
		return fmt.Errorf("no programs in dist/arm64: %w", err)
	}
	fmt.Fprintf(out, "\n## Size of each function's program, linux/arm64\n\n| function | MB | zipped, MB |\n|---|---|---|\n")
	for _, program := range programs {
		plain, zipped, err := size(program)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %.1f | %.1f |\n", filepath.Base(filepath.Dir(program)), float64(plain)/1e6, float64(zipped)/1e6)
	}
	return nil
}

func size(program string) (plain, zipped int64, err error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return 0, 0, err
	}
	var count counter
	archive := zip.NewWriter(&count)
	file, err := archive.Create("bootstrap")
	if err != nil {
		return 0, 0, err
	}
	if _, err := file.Write(data); err != nil {
		return 0, 0, err
	}
	err = archive.Close()
	return int64(len(data)), int64(count), err
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
