import Foundation
import Testing

/// `wallet balance`, `wallet payees` and `wallet transfer`, against a backend and a server as an operator runs them.
@Suite(
    "Payments in the terminal wallet", .onceForAllEngines, .threat("guessing the code of a payment"),
    .covers("a mistyped account digit is paid"))
struct WalletProgramPaymentTests {
    private static func transfer(_ amount: String, _ more: String...) -> [String] {
        ["transfer", "--to", PaymentWorld.payee, "--amount", amount, "--answers-stdin", "--json"] + more
    }

    @Test("A small payment asks for nothing; a large one for a code that came with amount and payee")
    func exemptAndAgreed() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            #expect(try await world.balance(wallet) == "100000")
            let payees = try await wallet.run("payees")
            #expect(payees.output == "\(PaymentWorld.payee)  \(PaymentWorld.account)")

            let small = try await wallet.run(Self.transfer("12.50"))
            #expect(small.succeeded, "\(small.errors)")
            #expect(try small.json["exemption"] as? String == "LOW_VALUE")
            let told = try await wallet.run([
                "transfer", "--to", PaymentWorld.payee, "--amount", "1.00", "--answers-stdin",
            ])
            #expect(told.output.contains("consent    not needed: a small amount"), "\(told.output)")

            let large = try await world.typingCode(
                Self.transfer("250.00", "--factor", "email", "--reference", "Party"), with: wallet)
            #expect(large.succeeded, "\(large.errors)")
            #expect(try large.json["sca"] as? String == "VERIFIED")
            let shown = [
                "You are approving this payment:", "  250.00 EUR", "  to account \"\(PaymentWorld.account)\"",
                "  of \"\(PaymentWorld.payee)\"", "  reference \"Party\"",
            ]
            #expect(large.errors.contains(shown.joined(separator: "\n")), "\(large.errors)")
            let outbox = try await world.outbox()
            #expect(outbox.contains("250.00") && outbox.contains(PaymentWorld.payee))
            #expect(try await world.balance(wallet) == "73650")

            let id = try #require(try large.json["transferId"] as? String)
            let operation = try #require(try large.json["walletOperationId"] as? String)
            let steps = try await world.server.require(["audit", "tail", "--operation", operation])
            #expect(steps.contains("operation.verified"), "\(steps)")
            let proof = try await world.backend.run("evidence", id, "--code")
            #expect(proof.output.split(separator: ".").count == 3, "\(proof.errors)")
        }
    }

    @Test("The PIN of the enrolled device agrees to a payment; a wrong one is reported, and costs a try")
    func pin() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            let pin = "804613972558"
            world.server.ledger.enter(pin)
            let set = try await wallet.run(["pin", "set", "--pin-stdin"], input: pin + "\n")
            #expect(set.succeeded, "\(set.errors)")
            // What takes a day otherwise.
            try await world.server.write("UPDATE devices SET cooling_until = 0")
            _ = try await wallet.run("sign-out")
            // The scopes are those of the sign-in before.
            let again = try await wallet.run(["sign-in", "--pin", "--pin-stdin"], input: pin + "\n")
            #expect(again.succeeded, "\(again.errors)")
            let paid = try await wallet.run(
                Self.transfer("250.00", "--factor", "pin"), input: "804613972559\n\(pin)\n")
            #expect(paid.succeeded, "\(paid.errors)")
            #expect(paid.errors.contains("You have 4 attempts left."), "\(paid.errors)")
            #expect(!paid.errors.contains(pin))
            #expect(try await world.balance(wallet) == "75000")
        }
    }

    @Test("Five wrong PINs end the payment and lock the PIN; the line and the PIN's status say so")
    func fiveWrongPINs() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            let pin = "804613972558"
            world.server.ledger.enter(pin)
            try await wallet.succeeds("pin", "set", "--pin-stdin", input: pin + "\n")
            try await world.server.write("UPDATE devices SET cooling_until = 0")
            try await wallet.succeeds("sign-out")
            try await wallet.succeeds("sign-in", "--pin", "--pin-stdin", input: pin + "\n")
            let closed = try await wallet.run(
                Self.transfer("250.00", "--factor", "pin"), input: String(repeating: "804613972559\n", count: 5))
            #expect(closed.ending == .exited(1))
            #expect(try closed.failure["code"] as? String == "data_error", "\(closed.errors)")
            for told in ["this device's PIN is locked now; nothing was paid", "wallet pin set"] {
                #expect(closed.errorLines.last?.contains(told) == true, "\(closed.errors)")
            }
            let status = try await wallet.run("pin", "status")
            #expect(status.output.contains("The PIN is locked after too many wrong PINs."), "\(status.output)")
            let locked = try await wallet.run(Self.transfer("250.00", "--factor", "pin"))
            #expect(try locked.failure["code"] as? String == "pin_locked", "\(locked.errors)")
            for told in ["this device's PIN is locked after too many wrong PINs; nothing was paid", "wallet pin set"] {
                #expect(locked.errorLines.last?.contains(told) == true, "\(locked.errors)")
            }
            #expect(try await world.balance(wallet) == "100000")
        }
    }

    @Test("After five wrong codes the payment is closed and nothing was paid; the line says to start over")
    func fiveWrongCodes() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            let closed = try await wallet.run(
                Self.transfer("250.00", "--factor", "email"), input: String(repeating: "000000\n", count: 5))
            #expect(closed.ending == .exited(1))
            #expect(try closed.failure["code"] as? String == "data_error", "\(closed.errors)")
            #expect(closed.errors.contains("You have one attempt left."), "\(closed.errors)")
            #expect(closed.errorLines.last?.contains("nothing was paid; start a new transfer") == true)
            #expect(try await world.balance(wallet) == "100000")
        }
    }

    @Test("The same idempotency key twice is one payment, which both report; with another amount it is refused")
    func sameKey() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            let key = ["--idempotency-key", "breakfast-of-today"]
            let first = try await wallet.run(Self.transfer("12.50") + key)
            let second = try await wallet.run(Self.transfer("12.50") + key)
            #expect(first.succeeded && second.succeeded, "\(first.errors) \(second.errors)")
            #expect(first.output == second.output)
            let other = try await wallet.run(Self.transfer("13.00") + key)
            #expect(try other.failure["code"] as? String == "idempotency_mismatch")
            let status = try await wallet.succeeds("status")
            #expect(!status.errors.contains("was begun"), "\(status.errors)")
            #expect(try await world.balance(wallet) == "98750")
        }
    }

    /// Runs a test's body with a wallet whose person is signed in, and a backend that means ill.
    private func withHostileBackend(_ body: (TerminalWallet, PeerProcess) async throws -> Void) async throws {
        try await withTerminalWallet { server, wallet, person in
            let signedIn = try await wallet.signIn(person)
            #expect(signedIn.succeeded, "\(signedIn.errors)")
            let peer = try await PeerProcess.start("hostile_backend.py", [:], in: server.folder)
            defer { peer.stop() }
            try await body(wallet, peer)
        }
    }

    @Test("attack: what a backend says does not steer the terminal")
    func hostileBackend() async throws {
        try await withHostileBackend { wallet, peer in
            let payees = try await wallet.run("payees", "list", "--backend", peer.address)
            let refused = try await wallet.run("balance", "--backend", peer.address)
            #expect(payees.succeeded, "\(payees.errors)")
            #expect(payees.output.hasPrefix("Dune"))
            #expect(payees.output.contains("Bakery  DE02"))
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("wallet: refused: not"))
            for text in [payees.output, refused.output, refused.errors] {
                let controls = text.unicodeScalars.filter {
                    $0 != "\n" && ($0.value < 0x20 || (0x7f...0x9f).contains($0.value))
                }
                #expect(controls.isEmpty)
            }
            #expect(!payees.output.contains("\n"))
        }
    }

    @Test("attack: what a backend says about the ways to approve hides nothing that is shown after it")
    func hostileWays() async throws {
        try await withHostileBackend { wallet, peer in
            let refused = try await wallet.run(
                ["transfer", "--to", PaymentWorld.payee, "--amount", "250.00", "--backend", peer.address],
                answering: [("Number (Enter chooses the first): ", .text("3"))])
            #expect(refused.output.contains("  2  Code by e-mail\n"), "\(refused.output)")
            #expect(refused.output.contains("  3  Do not pay"))
            let told = try #require(refused.output.range(of: "To pay: 250.00 EUR to Dune Bakery."), "\(refused.output)")
            let menu = try #require(refused.output.range(of: "  1  Code by"))
            #expect(told.lowerBound < menu.lowerBound, "what is paid is shown before it is chosen how")
            #expect(refused.output.contains("you did not approve it here; the transfer may have been paid"))
            #expect(Self.steering(refused.output).isEmpty)
        }
    }

    @Test(
        "attack: what any address answers steers no terminal; a program gets it by the byte, and JSON says the same")
    func hostileAnswer() async throws {
        try await withHostileBackend { wallet, peer in
            let call = ["call", peer.address + "/raw"]
            let shown = try await wallet.run(call, answering: [])
            #expect(shown.output.hasPrefix("one"), "\(shown.output)")
            #expect(Self.steering(shown.output).isEmpty)
            let piped = try await wallet.run(call)
            #expect(piped.output == "one\u{1B}]0;taken\u{7}\u{1B}[2J\r\n\u{9B}2Jtwo")
            let document = try await wallet.run(call + ["--json"])
            #expect(Self.steering(document.output).isEmpty)
            #expect(try document.json["body"] as? String == piped.output)
        }
    }

    /// What a terminal obeys, or what turns the direction of the text next to it.
    private static func steering(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter {
            $0 != "\n"
                && ($0.value < 0x20 || (0x7f...0x9f).contains($0.value) || $0.properties.generalCategory == .format)
        }
    }

    @Test(
        "attack: a transfer that another session began is not called unpaid, so that it is not paid twice",
        .threat("Consent to something other than what was shown"))
    func begunBefore() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            let transfer = Self.transfer("250.00", "--factor", "email", "--idempotency-key", "breakfast-of-today")
            let closed = try await wallet.run(transfer, input: String(repeating: "000000\n", count: 5))
            #expect(closed.ending == .exited(1), "\(closed.errors)")
            _ = try await wallet.run("sign-out")
            let again = try await wallet.signIn(world.person, "--scope", PaymentWorld.scopes)
            #expect(again.succeeded, "\(again.errors)")
            let refused = try await wallet.run(transfer)
            #expect(try refused.failure["code"] as? String == "transfer_interrupted", "\(refused.errors)")
            #expect(refused.errors.contains("may still be paid"), "\(refused.errors)")
            #expect(refused.errors.contains("check wallet balance before you start a new transfer"))
            #expect(!refused.errors.contains("nothing was paid"))
            let status = try await wallet.succeeds("status")
            #expect(status.errors.contains("check wallet balance, then forget it"), "\(status.errors)")
        }
    }

    @Test("A mistyped IBAN is refused before anything is sent; a payee is removed by its name, and no longer paid")
    func payees() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            for wrong in ["DE02120300000000202052", "DE021203000000002020"] {
                let refused = try await wallet.run("payees", "add", "Typo", wrong)
                #expect(refused.ending == .exited(64))
                #expect(refused.errors.contains("\"\(wrong)\" is not an IBAN"), "\(refused.errors)")
            }
            let unknown = try await wallet.run("payees", "remove", "Nobody / Nowhere")
            #expect(unknown.ending == .exited(1))
            #expect(unknown.errors.contains("you have no payee with this name"), "\(unknown.errors)")
            let taken = try await wallet.run("payees", "add", PaymentWorld.payee.uppercased(), "DE89370400440532013000")
            #expect(taken.errors.contains(PaymentWorld.account), "\(taken.errors)")
            let other = try await wallet.run(
                "payees", "remove", PaymentWorld.payee, "--account", "DE89370400440532013000")
            #expect(other.errors.contains("you have no payee with this name"), "\(other.errors)")
            let removed = try await wallet.run(
                "payees", "remove", PaymentWorld.payee, "--account", PaymentWorld.account)
            #expect(removed.succeeded, "\(removed.errors)")
            #expect(try await wallet.run("payees").output.hasPrefix("No payees."))
            let unpaid = try await wallet.run(Self.transfer("12.50"))
            #expect(try unpaid.failure["code"] as? String == "payee_not_found")
        }
    }

    @Test("A sign-in that lacks the scopes learns how to add them to those that it has, and stays until then")
    func lackingScopes() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            let narrow = try await wallet.signIn(world.person, "--scope", "openid profile")
            #expect(narrow.succeeded, "\(narrow.errors)")
            let refused = try await wallet.run("balance")
            #expect(refused.ending == .exited(1))
            for told in [
                "wallet sign-in --username \(world.person.username) --scope \"", "profile", "payments", "--pin",
            ] {
                #expect(refused.errors.contains(told), "\(refused.errors)")
            }
            let wide = try await wallet.signIn(world.person, "--scope", "openid profile accounts payments")
            #expect(wide.succeeded, "\(wide.errors)")
            #expect(try await world.balance(wallet) == "100000")
        }
    }

    @Test("What cannot be paid is one line that says what to do")
    func refusals() async throws {
        try await PaymentWorld.use { world in
            let wallet = try await world.wallet()
            for (arguments, code, advice) in [
                (Self.transfer("5000.00"), "insufficient_funds", "wallet balance"),
                (Self.transfer("5.00", "--currency", "USD"), "currency_not_held", "wallet balance"),
                (["transfer", "--to", "Nobody", "--amount", "1.00", "--json"], "payee_not_found", "wallet payees add"),
                (Self.transfer("250.00", "--factor", "sms"), "way_not_offered", "use one of: email"),
            ] {
                let refused = try await wallet.run(arguments)
                #expect(refused.ending == .exited(1), "\(arguments)")
                #expect(try refused.failure["code"] as? String == code, "\(refused.errors)")
                #expect(refused.errorLines.last?.contains(advice) == true, "\(refused.errors)")
            }
            for arguments in [
                ["transfer", "--to", "x", "--amount", "12,50"], ["transfer", "--to", "x", "--amount", "1.234"],
                ["transfer", "--to", "x", "--amount", "1.00", "--factor", "smoke"], ["transfer", "--amount", "1.00"],
            ] {
                let usage = try await wallet.run(arguments)
                #expect(usage.ending == .exited(64), "\(arguments): \(usage.errors)")
            }
            for (arguments, told) in [
                (["transfer", "--to", "x", "--amount", "-3"], "--amount -3 is not a number"),
                (["transfer", "--to", "x", "--amount", "0.00"], "--amount 0.00 is zero"),
                (
                    ["transfer", "--to", "x", "--amount", "1.00", "--reference", String(repeating: "x", count: 300)],
                    "--reference is 300 bytes long"
                ),
                (["payees", "add", "X", ""], "<account> is empty"),
                (["payees", "add", "", PaymentWorld.account], "<name> is empty"),
            ] as [([String], String)] {
                let usage = try await wallet.run(arguments)
                #expect(usage.ending == .exited(64), "\(arguments): \(usage.errors)")
                #expect(usage.errors.contains(told), "\(usage.errors)")
            }
            let stranger = wallet.onAnotherDevice("tablet")
            let unknown = try await stranger.run("balance", "--json")
            #expect(try unknown.failure["code"] as? String == "no_backend")
            let nobody = try await stranger.run("balance", "--backend", world.backend.url.absoluteString, "--json")
            #expect(try nobody.failure["code"] as? String == "signed_out", "\(nobody.errors)")
            #expect(try await world.balance(wallet) == "100000")
        }
    }
}
