import Foundation
import Testing

/// `wallet mfa`, `wallet password` and a second factor in `wallet sign-in`, as scripts use them.
@Suite("Second factors in the terminal wallet", .onceForAllEngines)
struct WalletFactorCommandTests {
    @Test("An authenticator app is set up, and a new device signs in by it; another one by a recovery code")
    func authenticator() async throws {
        try await withTerminalWallet { server, wallet, person in
            let begin = try await wallet.signIn(person)
            #expect(begin.succeeded, "\(begin.errors)")
            let none = try await wallet.run("mfa", "list")
            #expect(none.output == "No second factor. Set one up: wallet mfa authenticator")

            let begun = try await wallet.run("mfa", "authenticator", "--begin", "--json")
            let secret = try #require(begun.json["secret"] as? String)
            server.ledger.enter(secret)
            let uri = try #require(begun.json["otpauthUri"] as? String)
            #expect(uri.hasPrefix("otpauth://totp/"))
            let app = AuthenticatorApp(secret: secret)
            let wrong = try await wallet.run(
                ["mfa", "authenticator", "--confirm", "--code-stdin"], input: "00000x\n")
            #expect(wrong.ending == .exited(1))
            #expect(
                wrong.errors
                    == "wallet: the code is wrong or has expired; wait for the app's next code; only the most recently shown secret works\n"
            )
            let first = try await app.nextCode()
            let confirmed = try await wallet.run(
                ["mfa", "authenticator", "--confirm", "--code-stdin"], input: "\(first)\n")
            #expect(confirmed.succeeded, "\(confirmed.errors)")

            // The session is of one factor, and the account has two now.
            let refused = try await wallet.run("mfa", "recovery-codes")
            #expect(refused.errors.contains("wallet sign-in --username \(person.username) --two-factors"))
            let strong = try await wallet.run(
                ["sign-in", "--username", person.username, "--two-factors"],
                answering: [
                    ("Password for ", .text(person.password)),
                    ("Code from your authenticator app", .text(first)),
                    ("Code from your authenticator app", .text(try await app.nextCode())),
                ])
            #expect(strong.succeeded, "\(strong.output)")
            // The code that confirmed the app counts once, and typing it again says what to wait for.
            #expect(strong.output.contains("wait for the app's next code"), "\(strong.output)")
            let made = try await wallet.run("mfa", "recovery-codes", "--json")
            let codes = try #require(made.json["codes"] as? [String], "\(made.errors)")
            for code in codes { server.ledger.enter(code) }
            #expect(codes.count == 10)
            let listed = try await wallet.run("mfa", "list")
            #expect(listed.output == "authenticator app\nrecovery codes, 10 left")

            let tablet = wallet.onAnotherDevice("tablet")
            let unknown = try await tablet.run(
                ["sign-in", "--username", person.username, "--password-stdin", "--factor", "sms"],
                input: "\(person.password)\n000000\n")
            #expect(unknown.errors.contains("use one of: authenticator, recovery_code"))
            let linked = try await tablet.run(
                [
                    "sign-in", "--username", person.username, "--password-stdin", "--factor", "recovery_code",
                    "--link", "Tablet",
                ], input: "\(person.password)\n\(codes[0])\n")
            #expect(linked.succeeded, "\(linked.errors)")
            #expect(linked.errors.contains("This device is linked to your account as \"Tablet\""))
            let again = try await tablet.signIn(person)
            #expect(again.succeeded, "\(again.errors)")
            let devices = try await tablet.run("device", "list")
            #expect(devices.output.contains("Tablet (linux, this one), active"))
        }
    }

    @Test("A person sees a QR symbol of a size that there is, with the light modules around it that readers need")
    func qrCode() async throws {
        try await withTerminalWallet { server, wallet, person in
            _ = try await wallet.signIn(person)
            let begun = try await wallet.run("mfa", "authenticator", "--begin")
            let drawn = begun.output.split(separator: "\n").filter { $0.contains("\u{1B}[30;107m") }
            // A square with four light modules on each side, two rows to a line.
            let widths = Set(drawn.map { $0.split(separator: "m")[1].prefix { $0 != "\u{1B}" }.count })
            let width = try #require(widths.first)
            #expect(widths.count == 1)
            #expect(drawn.count == (width + 1) / 2)
            #expect((width - 8 - 17) % 4 == 0)
        }
    }

    @Test("A new password takes the present one; it signs in afterwards, the old one does not")
    func password() async throws {
        try await withTerminalWallet { server, wallet, person in
            _ = try await wallet.signIn(person)
            let new = "Pw-\(UUID().uuidString)"
            server.ledger.enter(new)
            let wrong = try await wallet.run(["password", "--password-stdin"], input: "not-it-at-all\n\(new)\n")
            #expect(wrong.errors == "wallet: the current password is wrong; try again\n")
            let done = try await wallet.run(["password", "--password-stdin"], input: "\(person.password)\n\(new)\n")
            #expect(done.succeeded, "\(done.errors)")
            let old = try await wallet.onAnotherDevice("tablet").signIn(person)
            #expect(old.ending == .exited(1))
            let right = try await wallet.onAnotherDevice("tablet")
                .signIn(Person(username: person.username, password: new))
            #expect(right.succeeded, "\(right.errors)")
        }
    }
}
