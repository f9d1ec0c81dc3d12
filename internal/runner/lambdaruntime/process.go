package lambdaruntime

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/lines"
)

// process prepares the command with Lambda's environment variables. Nothing of
// the runner's own environment reaches the function but what Config names.
// AWS_LAMBDA_MAX_CONCURRENCY stays unset: it would switch aws-lambda-go to the
// mode of Lambda Managed Instances.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
func (e *environment) process(address string) *exec.Cmd {
	c := e.function.config
	root := filepath.Dir(c.Bootstrap)
	command := exec.Command(c.Bootstrap)
	command.Dir = root
	command.Env = []string{
		"AWS_LAMBDA_RUNTIME_API=" + address,
		"AWS_LAMBDA_FUNCTION_NAME=" + c.Name,
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=" + strconv.Itoa(c.MemoryMB),
		"AWS_LAMBDA_INITIALIZATION_TYPE=on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME=/aws/lambda/" + c.Name,
		"AWS_LAMBDA_LOG_STREAM_NAME=" + c.Clock.Now().UTC().Format("2006/01/02") + "/[$LATEST]" + e.id,
		"AWS_REGION=" + c.Region,
		"AWS_DEFAULT_REGION=" + c.Region,
		"AWS_EXECUTION_ENV=AWS_Lambda_provided.al2023",
		"_HANDLER=" + c.Handler,
		"LAMBDA_TASK_ROOT=" + root,
		"LAMBDA_RUNTIME_DIR=" + root,
		"LANG=en_US.UTF-8",
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"TZ=:UTC",
		"TMPDIR=" + e.folder,
		"HOME=" + e.folder,
	}
	for name, value := range c.Environment {
		command.Env = append(command.Env, name+"="+value)
	}
	e.output = lines.NewWriter(c.Log)
	command.Stdout, command.Stderr = e.output, e.output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Pipes that a grandchild still holds do not keep Wait waiting.
	command.WaitDelay = time.Second
	return command
}
