# One word for each thing a person does here. The work is in scripts/; this names it.
# Paths stay relative to this folder, so that it may be called anything, with a space too.
.DEFAULT_GOAL := help
.PHONY: help demo demo-native demo-sca demo-transactions demo-phone demo-apple demo-migrate demo-operator demo-oauth demo-cluster test torture fuzz bench dist docs format lint clean

# `make demo DATABASE=postgresql`, and the same for the other demos.
engine = $(if $(DATABASE),'--$(DATABASE)')

help: ## Show this list
	@echo '  Start with make demo: the first build takes about 15 minutes. A server of your own: scripts/build, then walletauth serve.'
	@grep -E '^[a-z-]+:.*##' Makefile | awk -F':.*## ' '{printf "  make %-18s %s\n", $$1, $$2}'

demo: ## Watch a wallet sign in, keep its tokens alive, survive a lost response and a theft, and sign out
	@scripts/demo $(engine)

demo-native: ## Watch a new device, a second factor, a PIN, wrong PINs, the lock, the recovery, and an attested app
	@scripts/demo native $(engine)

demo-sca: ## Watch payments: exempt, approved with a code, tampered with, replayed, by face and by passkey, and the proof
	@scripts/demo sca $(engine)

demo-transactions: ## Watch a shop's QR code signed on a phone: a wrong PIN, a rejection, the proof
	@scripts/demo transactions $(engine)

demo-phone: ## Watch a phone approve: a push, a payment from a tablet, a flood, a sign-in by scanning, a relay
	@scripts/demo phone $(engine)

demo-apple: ## Watch guests sign in with Apple: unknown, enrolled, known, a thief, an outage, an erased account
	@scripts/demo apple $(engine)

demo-migrate: ## Watch the code of other vendors' pages sign in here, with the import alone replaced
	@scripts/demo migrate $(engine)

demo-operator: ## Watch the first operator's link, a locked-out customer, why she cannot sign in, the mend, and who did it
	@scripts/demo operator $(engine)

demo-oauth: ## Watch a client from PyPI: FAPI 2.0, a narrower token for a service, a television, a sign-out, a payment on the phone
	@scripts/demo oauth $(engine)

demo-cluster: ## Watch two servers and two databases under load: one of each is killed, and nothing is lost
	@scripts/demo cluster $(engine)

test: ## Run every test: SDK and its documentation's links, Apple adapters, server, end to end, and the demos
	@scripts/test

torture: ## Cut the power and break the disk under a server, and check that it kept what it acknowledged
	@scripts/torture

fuzz: ## Fuzz the readers of QR codes and payloads, a minute each (Linux)
	@scripts/fuzz

bench: ## Benchmark a release build, each figure next to its limit; prints a table, writes JSON
	@Benchmarks/run

dist: ## Make the tar of walletauth and wallet for Linux: a release build, manual pages, completions, a systemd unit
	@scripts/dist

docs: ## Build the API documentation into docs/site
	@scripts/build-docs

format: ## Rewrite the Swift files in the project's format
	@scripts/lint format

lint: ## Check format and scripts
	@scripts/lint

clean: ## Remove everything that was built
	rm -rf .build .build-python .build-glewlwyd '.build-a wället' .build-fuzz Fuzzing/.build Torture/results Tests/AppleStubs/.build Server/.build Benchmarks/.build Benchmarks/results docs/site dist
