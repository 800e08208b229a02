import Foundation
import Testing

/// The terminal wallet's PIN, as a person or a script uses it.
@Suite("The PIN of the wallet program", .onceForAllEngines)
struct WalletProgramPINTests {
    private static let pin = "804613972558"
    private static let other = "593071864422"

    @Test("Enrolled, a PIN set, signed in by it, changed, locked, told what to do, forgotten: each its own process")
    func wholeJourney() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            for pin in [Self.pin, Self.other] { server.ledger.enter(pin) }

            let early = try await wallet.run(["sign-in", "--pin", "--pin-stdin"], input: Self.pin + "\n")
            #expect(early.errors.contains("wallet device enroll"), "\(early.errors)")
            #expect(try await wallet.signInByCode(person) == .exited(0))
            try await wallet.succeeds("device", "enroll", "Terminal")

            let common = try await wallet.run(["pin", "set", "--pin-stdin", "--json"], input: "123456\n")
            #expect(common.ending == .exited(1))
            #expect(try common.failure["code"] as? String == "pin_too_common")
            try await wallet.succeeds("pin", "set", "--pin-stdin", "--json", input: Self.pin + "\n")
            let status = try await wallet.succeeds("pin", "status", "--json")
            #expect(try status.json["state"] as? String == "active")

            try await wallet.succeeds("sign-out")
            try await wallet.succeeds("sign-in", "--pin", "--pin-stdin", input: Self.pin + "\n")
            try await wallet.succeeds("pin", "change", "--pin-stdin", input: Self.pin + "\n" + Self.other + "\n")
            try await signInFromFile(wallet, server)

            for round in 1...5 {
                let wrong = try await wallet.run(
                    ["sign-in", "--pin", "--pin-stdin", "--account", "grace", "--json"], input: Self.pin + "\n")
                #expect(wrong.ending == .exited(1))
                #expect(wrong.errorLines.count == 1, "\(wrong.errors)")
                #expect(try wrong.failure["code"] as? String == (round < 5 ? "invalid_credentials" : "pin_locked"))
                if round < 4 { #expect(wrong.errors.contains("\(5 - round) attempts left"), "\(wrong.errors)") }
                if round == 4 { #expect(wrong.errors.contains("one attempt left"), "\(wrong.errors)") }
                #expect(!wrong.errors.contains(Self.pin))
            }
            let locked = try await wallet.run("pin", "status")
            #expect(locked.ending == .exited(1))
            #expect(locked.output.contains("wallet pin set"), "\(locked.output)")

            #expect(try await wallet.signIn(person).succeeded)
            let told = try await wallet.succeeds("pin", "remove")
            #expect(!told.errors.contains("could not be notified"), "\(told.errors)")
            let forgotten = try await wallet.run("pin", "status", "--json")
            #expect(try forgotten.json["state"] as? String == "none")
            try await wallet.succeeds("pin", "set", "--pin-stdin", input: Self.pin + "\n")
            try await wallet.succeeds("sign-in", "--pin", "--pin-stdin", input: Self.pin + "\n")

            // As a restore leaves it: locked, with tries left.
            try await server.write("UPDATE pins SET state = 'locked'")
            let restored = try await wallet.run(["sign-in", "--pin", "--pin-stdin"], input: Self.pin + "\n")
            #expect(restored.errors.contains("restored from a backup, not by wrong PINs"), "\(restored.errors)")
            let why = try await wallet.run("pin", "status")
            #expect(why.output.contains("restored from a backup"), "\(why.output)")
        }
    }

    @Test("A new device's PIN signs in; a change that it does not count for yet says until when")
    func newDevice() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            server.ledger.enter(Self.pin)
            #expect(try await wallet.signInByCode(person) == .exited(0))
            try await wallet.succeeds("device", "enroll", "Terminal")
            try await wallet.succeeds("pin", "set", "--pin-stdin", input: Self.pin + "\n")
            try await wallet.succeeds("sign-in", "--pin", "--pin-stdin", input: Self.pin + "\n")
            let early = try await wallet.run("mfa", "recovery-codes")
            #expect(early.ending == .exited(1))
            #expect(early.errors.contains("this device is new: until "), "\(early.errors)")
            #expect(early.errors.contains("use another second factor"), "\(early.errors)")
        }
    }

    /// A file that others may read is refused; one that is the person's alone is read.
    private func signInFromFile(_ wallet: TerminalWallet, _ server: RunningServer) async throws {
        let file = server.folder.appending(path: "pin")
        try Data((Self.other + "\n").utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let open = try await wallet.run("sign-in", "--pin", "--pin-file", file.path)
        #expect(open.ending == .exited(1))
        #expect(open.errors.contains("chmod 600"), "\(open.errors)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        try await wallet.succeeds("sign-in", "--pin", "--pin-file", file.path)
    }

    @Test("--pin with another way in, or its options without it, is wrong usage that names both")
    func usage() async throws {
        try await withWalletAlone { wallet in
            for arguments in [
                ["sign-in", "--pin", "--username", "ada"], ["sign-in", "--pin-stdin"],
                ["sign-in", "--pin", "--browser"], ["sign-in", "--account-pin"],
                ["sign-in", "--account-pin", "--username", "ada", "--password-stdin"],
                ["sign-in", "--pin", "--pin-stdin", "--pin-file", "x"], ["pin", "set", "--minimum-length", "3"],
            ] {
                let result = try await wallet.run(arguments)
                #expect(result.ending == .exited(64), "\(arguments): \(result.errors)")
                #expect(result.errors.contains("--"), "\(result.errors)")
            }
        }
    }
}
