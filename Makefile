# Nightshift: every command that a developer needs. `make help` lists them.

GO        ?= go
CDK       := scripts/cdk
export CGO_ENABLED ?= 0
# Node 20 works; the CDK says at length that it is no longer supported.
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION = 20

.DEFAULT_GOAL := help
.PHONY: help demo dev test race lint faults fuzz bench chaos load overload build template synth deploy diff destroy samples

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Signals reach what is built and run here; "go run" would keep some to itself.
demo: ## photographs through the whole local stack; PHOTO=a file or a folder for your own
	$(GO) build -o dist/demo ./scripts/demo
	exec dist/demo $(if $(PHOTO),-photo "$(PHOTO)")

dev: ## the local stack, kept up until Ctrl-C
	$(GO) build -o dist/nightshift ./cmd/nightshift
	exec dist/nightshift dev

test: ## every test
	scripts/test

# Left out is what tests other processes (the stack, the browser, the storm), whose races the
# detector does not see, and what only computes.
WITHOUT_RACES := /infra|/internal/(e2e|simulation)|/internal/crumb/(photo|samplephotos|web)|/scripts/|/functions/

race: ## the tests of what runs side by side, with the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -short -timeout 30m $$($(GO) list ./... | grep -vE '$(WITHOUT_RACES)')

lint: ## go vet, gofmt, staticcheck, govulncheck
	scripts/lint

faults: ## every fault at every call to AWS, as a matrix; SCENARIO=redrive for some
	scripts/faults $(SCENARIO)

fuzz: ## every fuzz test for FUZZTIME each
	scripts/fuzz $(or $(FUZZTIME),10s)

bench: ## the measures of docs/performance.md; ONLY=powertools for one section
	$(GO) run ./scripts/bench $(if $(ONLY),-only $(ONLY))

chaos: ## 10,000 jobs while processes are killed and calls fail; JOBS=, SEED= for a run of your own
	$(GO) build -o dist/chaos/run ./scripts/chaos
	exec dist/chaos/run $(if $(JOBS),-jobs $(JOBS)) $(if $(SEED),-seed $(SEED))

load: ## a day of Crumb on a scaled clock, with plots; READERS=, SEED=, SCALE= for a day of your own
	$(GO) build -o dist/load/run ./scripts/load
	exec dist/load/run $(if $(READERS),-readers $(READERS)) $(if $(SEED),-seed $(SEED)) $(if $(SCALE),-scale $(SCALE))

overload: ## the local stack past its drain rate, with plots; POLICY=hard, degrade or spill, RELAY=stops, FOR=, TIMES= for a run of your own
	$(GO) build -o dist/overload/run ./scripts/overload
	exec dist/overload/run $(if $(POLICY),-policy $(POLICY)) $(if $(RELAY),-relay-stops) $(if $(FOR),-for $(FOR)) $(if $(TIMES),-times $(TIMES))

build: ## every function's bootstrap for Lambda, at dist/{arm64,amd64}/FUNCTION
	$(GO) run ./scripts/build

template: ## template.yaml, from the CDK app (needs Node)
	$(GO) run ./infra -sam template.yaml

synth: build ## the CloudFormation template, by the cdk command (needs Node)
	$(CDK) synth --quiet

diff: build ## what a deploy would change
	$(CDK) diff

deploy: build ## to the AWS account that the environment names
	$(CDK) deploy

destroy: build ## the stack; the table and the bucket stay
	$(CDK) destroy

samples: ## the sample photographs, as files in samples/
	$(GO) run ./scripts/samplephotos -out samples
