// Command poller stands for the worker of a service: it says what it was started with,
// and that it ends when it is asked to.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	fmt.Println("up", os.Getenv("QUEUE"), os.Getenv("AWS_ENDPOINT_URL"), os.Getenv("AWS_REGION"), os.Getenv("NIGHTSHIFT_DRAIN"))
	<-asked
	fmt.Println("drained")
}
