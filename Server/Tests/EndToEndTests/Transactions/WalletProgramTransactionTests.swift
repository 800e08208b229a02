import Foundation
import Testing
import WalletAuthVerifier
import WalletAuthWire

/// The terminal wallet at a shop's till.
@Suite("Transactions in the wallet program", .onceForAllEngines)
struct WalletProgramTransactionTests {
    private static let pin = TillWorld.pin

    @Test(
        "A code from a picture is shown and signed; rejected, listed, signed later; data of one's own; each its own process"
    )
    func wholeJourney() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            server.ledger.enter(Self.pin)
            let shop = try await server.openTill()

            #expect(try await wallet.signInByCode(person) == .exited(0))
            try await wallet.succeeds("device", "enroll", "Terminal")
            try await wallet.succeeds("pin", "set", "--pin-stdin", input: Self.pin + "\n")
            let first = try await create(shop)
            let early = try await wallet.run(
                ["transactions", "approve", first.link.reveal(), "--yes", "--pin-stdin"], input: Self.pin + "\n")
            #expect(early.errors.contains("wait until"), "\(early.errors)")
            try await server.write("UPDATE devices SET cooling_until = 0")

            // The SDK takes nothing but the server's own drawing.
            #expect(try await shop.qrCode(of: first.transactionID, format: .svg).starts(with: "<svg ".utf8))
            let picture = server.folder.appending(path: "code.png")
            try Data(try await shop.qrCode(of: first.transactionID, format: .png)).write(to: picture)
            let signed = try await wallet.run(
                ["transactions", "approve", "--picture", picture.path],
                answering: [("Sign this?", .text("yes")), ("PIN", .text(Self.pin))])
            #expect(signed.succeeded, "\(signed.output) \(signed.errors)")
            for seen in [
                "12.50 EUR", "to account \"DE02120300000000202051\"", "of \"Café Zürich\"", "\"Order\": \"No. 42\"",
                "for grace", "Signed.",
            ] {
                #expect(signed.output.contains(seen), "\(seen) is not in \(signed.output)")
            }
            let paid = try await shop.find(first.transactionID)
            #expect(paid.status == .signed)
            let again = try await wallet.run(["transactions", "approve", first.link.reveal(), "--yes"])
            #expect(again.succeeded, "\(again.errors)")
            #expect(again.output.contains("This device signed it before; nothing else is needed."), "\(again.output)")
            #expect(again.output.contains(first.transactionID.rawValue), "\(again.output)")

            let second = try await create(shop)
            let rejected = try await wallet.succeeds(
                "transactions", "reject", second.link.reveal(), "--reason", "wrong-data", "--json")
            #expect(try rejected.json["status"] as? String == "REJECTED")
            let refused = try await shop.find(second.transactionID)
            #expect(refused.reason == .wrongData)

            let third = try await create(shop)
            let wrong = try await wallet.run(
                ["transactions", "approve", third.link.reveal(), "--yes", "--pin-stdin"],
                input: TillWorld.wrong + "\n")
            #expect(wrong.errors.contains("4 attempts left"), "\(wrong.errors)")
            let listed = try await wallet.succeeds("transactions", "list")
            #expect(listed.output.contains(third.transactionID.rawValue), "\(listed.output)")
            try await wallet.succeeds(
                "transactions", "approve", third.transactionID.rawValue, "--yes", "--pin-stdin", input: Self.pin + "\n")
            let none = try await wallet.succeeds("transactions", "list")
            #expect(none.output.contains("Nothing is waiting"), "\(none.output)")

            let terms = server.folder.appending(path: "terms.txt")
            try Data("terms, version 7".utf8).write(to: terms)
            let own = try await wallet.succeeds(
                "transactions", "create", "--data", terms.path, "--state", "checkout", "--pin-stdin", "--json",
                input: Self.pin + "\n")
            let id = try #require(try own.json["transactionId"] as? String)
            let stored = try await shop.find(TransactionID(id))
            #expect(stored.clientAdditionalData == Array("terms, version 7".utf8))
        }
    }

    @Test("What the device lacks to sign is named: a locked PIN, or a face that a terminal does not have")
    func shortage() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            for pin in [Self.pin, TillWorld.wrong] { server.ledger.enter(pin) }
            let shop = try await server.openTill()
            #expect(try await wallet.signInByCode(person) == .exited(0))
            try await wallet.succeeds("device", "enroll", "Terminal")
            try await wallet.succeeds("pin", "set", "--pin-stdin", input: Self.pin + "\n")
            try await server.write("UPDATE devices SET cooling_until = 0")
            let presence = try await shop.create(
                try TillWorld.coffee(.biometric),
                idempotencyKey: IdempotencyKey(UUID().uuidString.lowercased()))
            let unable = try await wallet.run(
                ["transactions", "approve", presence.link.reveal(), "--yes", "--pin-stdin"], input: Self.pin + "\n")
            #expect(unable.errors.contains("only with face or fingerprint"), "\(unable.errors)")
            #expect(!unable.errors.contains("wallet pin set"), "\(unable.errors)")

            for _ in 1...5 {
                let coffee = try await create(shop)
                _ = try await wallet.run(
                    ["transactions", "approve", coffee.link.reveal(), "--yes", "--pin-stdin"],
                    input: TillWorld.wrong + "\n")
            }
            let next = try await create(shop)
            for command in [["approve", next.link.reveal(), "--yes"], ["create", "--state", "checkout"]] {
                let locked = try await wallet.run(
                    ["transactions"] + command + ["--pin-stdin"], input: Self.pin + "\n")
                #expect(locked.ending == .exited(1))
                #expect(locked.errors.contains("locked after too many wrong PINs"), "\(locked.errors)")
                #expect(locked.errors.contains("--two-factors"), "\(locked.errors)")
            }
            let open = try await shop.find(next.transactionID)
            #expect(open.status == .created)
        }
    }

    @Test("With two accounts on the device the one that signs is shown, and an open transaction is signed by no other")
    func accounts() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let henry = try await server.makeReachableAccount("henry")
            let grace = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            server.ledger.enter(Self.pin)
            let shop = try await server.openTill()
            #expect(try await wallet.signInByCode(henry) == .exited(0))
            try await wallet.succeeds("device", "enroll", "Terminal")
            try await wallet.succeeds("sign-out")
            let former = try await server.newestCode()
            let signedIn = try await wallet.run(
                ["sign-in", "--username", grace.username, "--password-stdin"], typing: grace.password + "\n"
            ) {
                guard let code = try? await server.newestCode(), code != former else { return nil }
                return code + "\n"
            }
            #expect(signedIn.succeeded, "\(signedIn.errors)")
            try await wallet.succeeds("device", "enroll", "Terminal")
            try await wallet.succeeds("pin", "set", "--pin-stdin", input: Self.pin + "\n")
            try await server.write("UPDATE devices SET cooling_until = 0")

            let created = try await create(shop)
            let id = created.transactionID
            let scanned = try await wallet.run(
                ["transactions", "approve", created.link.reveal(), "--account", "grace", "--yes", "--pin-stdin"],
                input: TillWorld.wrong + "\n")
            #expect(scanned.errorLines.contains("  for grace"), "\(scanned.errors)")
            for command in [["approve", id.rawValue, "--yes", "--pin-stdin"], ["reject", id.rawValue]] {
                let other = try await wallet.run(
                    ["transactions"] + command + ["--account", "henry"], input: Self.pin + "\n")
                #expect(other.ending == .exited(1))
                #expect(other.errors.contains("not for the account specified with --account"), "\(other.errors)")
            }
            let open = try await shop.find(id)
            #expect(!open.status.isFinal)
            try await wallet.succeeds(
                "transactions", "approve", id.rawValue, "--account", "grace", "--yes", "--pin-stdin",
                input: Self.pin + "\n")
            let paid = try await shop.find(id)
            #expect(paid.status == .signed)
        }
    }

    @Test("A person who answers no is asked why, only their choice is sent, and the command that was to sign fails")
    func rejected() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            server.ledger.enter(Self.pin)
            let shop = try await server.openTill()
            #expect(try await wallet.signInByCode(person) == .exited(0))
            try await wallet.succeeds("device", "enroll", "Terminal")
            try await wallet.succeeds("pin", "set", "--pin-stdin", input: Self.pin + "\n")
            try await server.write("UPDATE devices SET cooling_until = 0")
            for (answer, reason) in [
                ("1", RejectionReason.wrongData), ("2", .unexpected), ("3", .other), ("", .other),
            ] {
                let created = try await create(shop)
                let run = try await wallet.run(
                    ["transactions", "approve", created.link.reveal()],
                    answering: [("Sign this?", .text("no")), ("Number", .text(answer))])
                #expect(run.ending == .exited(1), "\(run.output) \(run.errors)")
                #expect(run.output.contains("you rejected it; nothing was signed"), "\(run.output) \(run.errors)")
                let told = try await shop.find(created.transactionID)
                #expect(told.reason == reason, "\(answer)")
            }
            let created = try await create(shop)
            let asked = try await wallet.succeeds("transactions", "reject", created.link.reveal())
            #expect(asked.output.contains("Rejected. Nothing was signed."), "\(asked.output)")
            let told = try await shop.find(created.transactionID)
            #expect(told.reason == .other)
            let help = try await wallet.run("transactions", "reject", "--help")
            #expect(help.output.contains("(default: other)"), "\(help.output)")
        }
    }

    @Test("Nothing to sign is wrong usage that says what to give, and nothing is signed")
    func emptyStatement() async throws {
        try await withWalletAlone { wallet in
            for arguments in [[], ["--state", ""], ["--require", "pin"]] {
                let refused = try await wallet.run(["transactions", "create"] + arguments)
                #expect(refused.ending == .exited(64), "\(refused.errors)")
                #expect(refused.errors.contains("use --data FILE, --state TEXT or both"), "\(refused.errors)")
            }
        }
    }

    @Test("A file without content is called empty before a PIN is asked for")
    func emptyFile() async throws {
        try await withWalletAlone { wallet in
            let file = wallet.folder.appending(path: "terms.txt")
            try Data().write(to: file)
            let refused = try await wallet.run(["transactions", "create", "--data", file.path])
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("\(file.path) is empty"), "\(refused.errors)")
        }
    }

    @Test("What cannot be a code, and another server's, are one line that says what to do")
    func wrongCodes() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let wallet = await TerminalWallet(server, client)
            let secret = String(repeating: "A", count: 22)
            let elsewhere = "https://auth.example.net/t/0190b3f2-0000-7000-8000-000000000001#\(secret)"
            // A single word is no id of a transaction, which could not be looked up without a session.
            for (code, told) in [
                ("hello world", "not a transaction code"), ("nonsense", "not a transaction code"),
                (elsewhere, "belongs to another server"),
            ] {
                let refused = try await wallet.run(["transactions", "approve", code, "--yes", "--pin-stdin"])
                #expect(refused.ending == .exited(1))
                #expect(refused.errorLines.count == 1, "\(refused.errors)")
                #expect(refused.errors.contains(told), "\(refused.errors)")
            }
            let empty = server.folder.appending(path: "empty.png")
            try Data().write(to: empty)
            let blank = try await wallet.run(["transactions", "approve", "--picture", empty.path, "--yes"])
            #expect(blank.errors.contains("neither a PNG nor a JPEG"), "\(blank.errors)")
        }
    }

    private func create(_ shop: WalletTransactions) async throws -> TransactionCreated {
        try await shop.create(try TillWorld.coffee(), idempotencyKey: IdempotencyKey(UUID().uuidString.lowercased()))
    }
}
