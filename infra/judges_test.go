package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// The templates pass checkers that others wrote, where these are installed.
func TestCfnLintAgrees(t *testing.T) {
	lint, err := exec.LookPath("cfn-lint")
	if err != nil || exec.Command(lint, "--version").Run() != nil {
		t.Skip("SKIPPED: cfn-lint is missing: it would check both templates")
	}
	cloudFormation := filepath.Join(t.TempDir(), "template.json")
	if err := os.WriteFile(cloudFormation, crumbAssembly(t).template, 0o644); err != nil {
		t.Fatal(err)
	}
	// W3005: CDK states dependencies that follow from references as well.
	execute(t, nil, lint, "--ignore-checks", "W3005", "--", cloudFormation)
	execute(t, nil, lint, "--", filepath.Join("..", "template.yaml"))
}

// transform is SAM's own translator, which `sam build` and `sam deploy` use. It
// wants code in S3.
const transform = `
import sys, yaml
from samtranslator.translator.transform import transform
class Policies:
    def load(self): return {}
template = yaml.safe_load(open(sys.argv[1]))
for resource in template["Resources"].values():
    if resource["Type"] == "AWS::Serverless::Function":
        resource["Properties"]["CodeUri"] = "s3://bucket/key"
out = transform(template, {}, Policies())["Resources"]
kinds = [r["Type"] for r in out.values()]
assert kinds.count("AWS::Lambda::Function") == int(sys.argv[2]), kinds
assert not any(k.startswith("AWS::Serverless::") for k in kinds), kinds
enqueue = out["EnqueueFunction"]["Properties"]
assert enqueue["Environment"]["Variables"]["NIGHTSHIFT_TABLE"] == {"Ref": "JobsTable"}, enqueue
assert enqueue["Architectures"] == ["arm64"], enqueue
`

func TestSAMTranslatorAgrees(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import samtranslator, yaml").Run() != nil {
		t.Skip("SKIPPED: Python's aws-sam-translator is missing: it would transform template.yaml")
	}
	execute(t, []string{"AWS_DEFAULT_REGION=us-east-1"}, python, "-c", transform, filepath.Join("..", "template.yaml"), strconv.Itoa(functionCount(t)))
}
