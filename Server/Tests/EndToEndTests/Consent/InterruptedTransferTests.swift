import Foundation
import Testing

/// `wallet transfer`, interrupted before it has an answer.
@Suite(
    "A transfer of the terminal wallet that is interrupted", .onceForAllEngines,
    .covers("the terminal wallet pays a transfer twice"))
struct InterruptedTransferTests {
    private static let transfer = ["transfer", "--to", PaymentWorld.payee, "--amount", "250.00"]

    @Test(
        "Ctrl-C at the question, or \"Do not pay\", withdraws the transfer, whose key and code then pay nothing",
        arguments: [false, true])
    func interrupted(isDeclined: Bool) async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            let question = "(press Enter for other ways, or to cancel): "
            let stopped = try await wallet.run(
                Self.transfer,
                answering: isDeclined
                    ? [(question, .text("")), ("2  Do not pay", .text("2"))] : [(question, .interrupt)])
            let told =
                isDeclined
                ? ["wallet: you did not approve it; nothing was paid; to pay, start a new transfer"]
                : ["ended by signal 2", "The transfer of 250.00 EUR to Dune Bakery is cancelled; nothing was paid.\n"]
            for told in told { #expect(stopped.output.contains(told), "\(stopped.output)") }
            #expect(!stopped.output.contains("may have been paid"), "\(stopped.output)")
            let begun = #/If this is interrupted, repeat it with --idempotency-key ([0-9a-f-]{36})\./#
            let said = try #require(stopped.output.firstMatch(of: begun), "\(stopped.output)")
            let key = String(said.output.1)
            let status = try await wallet.succeeds("status")
            #expect(!status.errors.contains("was begun"), "\(status.errors)")

            let mistyped = try await wallet.run(
                Self.transfer + ["--reference", "rent", "--answers-stdin", "--json", "--idempotency-key", key])
            #expect(try mistyped.failure["code"] as? String == "idempotency_mismatch", "\(mistyped.errors)")
            #expect(mistyped.errors.contains("this one was not paid"), "\(mistyped.errors)")
            #expect(!mistyped.errors.contains("nothing was paid"), "\(mistyped.errors)")

            // The code that was sent before the interruption.
            let code = try #require(try await world.codes().first)
            let late = try await wallet.run(
                Self.transfer + ["--factor", "email", "--answers-stdin", "--json", "--idempotency-key", key],
                input: code + "\n")
            #expect(try late.failure["code"] as? String == "operation_cancelled", "\(late.errors)")
            #expect(try await world.balance(wallet) == "100000")
        }
    }

    @Test("A refused transfer leaves no note, whether its key was generated or given")
    func refused() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            let unknown = ["transfer", "--to", "Bookshop", "--amount", "12.50", "--answers-stdin", "--json"]
            let first = try await wallet.run(unknown)
            #expect(try first.failure["code"] as? String == "payee_not_found", "\(first.errors)")
            let empty = try await wallet.succeeds("status")
            #expect(!empty.errors.contains("was begun"), "\(empty.errors)")
            let given = try await wallet.run(unknown + ["--idempotency-key", "breakfast-of-today"])
            #expect(try given.failure["code"] as? String == "payee_not_found", "\(given.errors)")
            let status = try await wallet.succeeds("status")
            #expect(!status.errors.contains("was begun"), "\(status.errors)")
        }
    }

    @Test("A refused repetition keeps the note of the transfer that may have been paid before it")
    func refusedRepetition() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            let unknown = [
                "transfer", "--to", "Bookshop", "--amount", "12.50", "--answers-stdin", "--json",
                "--idempotency-key", "breakfast-of-today",
            ]
            await world.backend.crash()
            #expect(try await wallet.run(unknown).ending == .exited(1))
            try await world.backend.start()
            let refused = try await wallet.run(unknown)
            #expect(try refused.failure["code"] as? String == "payee_not_found", "\(refused.errors)")
            let status = try await wallet.succeeds("status")
            #expect(status.errors.contains("wallet status --forget breakfast-of-today"), "\(status.errors)")
        }
    }

    @Test("A transfer whose backend is away is known to the next one, until it is forgotten")
    func unreachable() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            await world.backend.crash()
            let small = ["transfer", "--to", PaymentWorld.payee, "--amount", "12.50", "--answers-stdin", "--json"]
            let lost = try await wallet.run(small)
            #expect(lost.ending == .exited(1))
            let said = try #require(lost.errors.firstMatch(of: #/--idempotency-key ([0-9a-f-]{36})/#), "\(lost.errors)")
            try await world.backend.start()
            let status = try await wallet.succeeds("status", "--json")
            let open = try #require(status.json["openTransfers"] as? [[String: Any]], "\(status.output)")
            #expect(open.map { $0["idempotencyKey"] as? String } == [String(said.output.1)])
            #expect((open.first?["hint"] as? String)?.contains("you pay only once") == true, "\(open)")
            let refused = try await wallet.run(small)
            #expect(try refused.failure["code"] as? String == "transfer_begun", "\(refused.errors)")
            #expect(try await world.balance(wallet) == "100000")
            try await wallet.succeeds("status", "--forget", String(said.output.1))
            let paid = try await wallet.run(small)
            #expect(paid.succeeded, "\(paid.errors)")
            #expect(try await world.balance(wallet) == "98750")
        }
    }

    @Test(
        "A sign-out names the transfers that may have been paid, and what to do about them", arguments: [false, true])
    func signOut(asDocument: Bool) async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            await world.backend.crash()
            let lost = try await wallet.run(
                ["transfer", "--to", PaymentWorld.payee, "--amount", "12.50", "--answers-stdin", "--json"])
            let said = try #require(lost.errors.firstMatch(of: #/--idempotency-key ([0-9a-f-]{36})/#), "\(lost.errors)")
            try await world.backend.start()
            let step = "check wallet balance, then forget it with: wallet status --forget \(said.output.1)"
            guard asDocument else {
                let out = try await wallet.succeeds("sign-out")
                #expect(out.output.contains("A transfer of 12.50 EUR to Dune Bakery was begun at "), "\(out.output)")
                #expect(out.output.contains("cannot be repeated after this sign-out"), "\(out.output)")
                #expect(out.output.contains(step), "\(out.output)")
                return
            }
            let out = try await wallet.succeeds("sign-out", "--json")
            let open = try #require(out.json["openTransfers"] as? [[String: Any]], "\(out.output)")
            #expect(open.map { $0["idempotencyKey"] as? String } == [String(said.output.1)])
            #expect((open.first?["hint"] as? String)?.contains(step) == true, "\(open)")
            let again = try await wallet.succeeds("sign-out", "--json")
            #expect(try again.json["openTransfers"] == nil)
        }
    }
}
