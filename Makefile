GO      ?= go
TARGETS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: build test lint race fuzz bench cross crash release ci

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/sluice

test:
	$(GO) test ./...

# gofmt, vet and staticcheck.
lint:
	.ci/run lint staticcheck

# The packages with concurrency; needs a C compiler.
race:
	.ci/run race

# Every point at which a program that commits a session of a thousand files, plans, runs or exports tasks, or develops and
# publishes a spec, can be killed, instead of a sample.
crash:
	SLUICE_CRASH=all $(GO) test -timeout 60m -run 'TestSessionKilled|TestKilledAtEveryCommitPoint|TestPlanKilled|TestSpecKilled|TestBookKilled|TestSceneKilled' ./e2e

# Every fuzz target for a few seconds each: make fuzz FUZZTIME=30s
FUZZTIME ?= 3s
fuzz:
	FUZZTIME=$(FUZZTIME) .ci/run fuzz

# One line per figure: BENCH name value unit [floor=value ratio=value]
bench:
	@$(GO) run ./internal/bench

cross:
	@set -e; for t in $(TARGETS); do \
	  echo "cross $$t"; \
	  CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build ./...; \
	done

# Archives for all six platforms with checksums and SBOMs in dist/; see docs/release.md. VERSION is what git describe says.
empty :=
comma := ,
release:
	$(GO) -C tools run ./release -root .. -out ../dist -version '$(VERSION)' -target $(subst $(empty) $(empty),$(comma),$(TARGETS))

# All that must hold before a change goes in.
ci:
	.ci/run
