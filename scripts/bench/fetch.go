package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// fetchPowertools installs the packages of scripts/bench/powertools at the
// versions of its lockfile and bundles the program, in a folder that git ignores.
func fetchPowertools(ctx context.Context) (bundle, versions string, err error) {
	const source, kept = "scripts/bench/powertools", "dist/bench/powertools"
	for _, command := range []string{"node", "npm"} {
		if _, err := exec.LookPath(command); err != nil {
			return "", "", fmt.Errorf("looking for Node.js: %w", err)
		}
	}
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return "", "", err
	}
	for _, name := range []string{"package.json", "package-lock.json", "handler.mjs", "main.mjs"} {
		if err := copyFile(filepath.Join(source, name), filepath.Join(kept, name)); err != nil {
			return "", "", err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	if err := install(ctx, kept); err != nil {
		return "", "", err
	}
	bundle = filepath.Join(kept, "bundle.cjs")
	esbuild := exec.CommandContext(ctx, filepath.Join(kept, "node_modules/.bin/esbuild"), filepath.Join(kept, "main.mjs"),
		"--bundle", "--minify", "--platform=node", "--target=node20", "--format=cjs", "--outfile="+bundle, "--log-level=error")
	if text, err := esbuild.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("esbuild: %w\n%s", err, text)
	}
	node, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return "", "", err
	}
	return bundle, "Node.js " + string(node[:max(len(node)-1, 0)]) + "; packages as in " + source + "/package.json, bundled", nil
}

// install installs a folder's packages, unless those of its lockfile are there.
func install(ctx context.Context, folder string) error {
	lock, done := filepath.Join(folder, "package-lock.json"), filepath.Join(folder, "node_modules", "installed.json")
	wanted, err := os.ReadFile(lock)
	if err != nil {
		return err
	}
	if there, err := os.ReadFile(done); err == nil && bytes.Equal(there, wanted) {
		return nil
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund")
	if text, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, text)
	}
	return copyFile(lock, done)
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
