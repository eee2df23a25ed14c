# make test   runs every test with the race detector
# make check  runs what CI runs beside the tests
# make bench  runs the benchmarks
# make fuzz   runs each fuzz test for FUZZTIME

GO       ?= go
FUZZTIME ?= 10s
# A tool and not a dependency of the module.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.1

.PHONY: test check bench fuzz build

test:
	$(GO) test -race ./...

build:
	$(GO) build -o bin/mcpdecl ./cmd/mcpdecl

check:
	@test -z "$$(gofmt -l cmd decl docs engine sources uritmpl examples bench)" || { gofmt -l cmd decl docs engine sources uritmpl examples bench; echo "run gofmt -w on these files"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./uritmpl ./engine ./sources/... ./cmd/mcpdecl

fuzz:
	FUZZTIME=$(FUZZTIME) GO=$(GO) scripts/fuzz
