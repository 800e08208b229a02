import Foundation
import Testing

/// `wallet passkey` and `wallet sign-in --passkey` against the running server.
@Suite("Passkeys in the terminal wallet")
struct WalletProgramPasskeyTests {
    /// A person with a mailbox, signed in with two factors by a client that takes the wallet's passkeys.
    private func withWallet(_ body: (RunningServer, TerminalWallet, Person) async throws -> Void) async throws {
        try await withServer(["--host", "localhost"]) { server in
            let person = Person(username: "ada", password: "Pw-\(UUID().uuidString)")
            server.ledger.enter(person.password)
            try await server.require(
                [
                    "account", "create", person.username, "--password-stdin", "--email", "ada@example.com",
                    "--email-verified",
                ], input: person.password + "\n")
            let client = try await server.makePublicClient(options: ["--passkey-origin", "https://localhost"])
            let wallet = await TerminalWallet(server, client)
            #expect(try await wallet.signInByCode(person) == .exited(0))
            try await body(server, wallet, person)
        }
    }

    @Test(
        "A passkey is made and used after a yes at the terminal; a script that says nothing of it is refused",
        .onceForAllEngines)
    func asked() async throws {
        try await withWallet { server, wallet, _ in
            let question = "Type yes or no: "
            let script = try await wallet.runDetached(["passkey", "add"])
            #expect(script.ending == .exited(1))
            #expect(script.errors.contains("no terminal") && script.errors.contains("--passkey-unattended"))
            let declined = try await wallet.run(["passkey", "add"], answering: [(question, .text(""))])
            #expect(declined.ending == .exited(1))
            #expect(try await wallet.succeeds("passkey", "list").output.hasPrefix("No passkeys."))
            let added = try await wallet.run(
                ["passkey", "add"], answering: [("Create a passkey for ada at localhost? \(question)", .text("yes"))])
            #expect(added.succeeded, "\(added.output)")
            try await server.write("UPDATE passkeys SET cooling_until = created_at")

            let signIn = try await wallet.runDetached(["sign-in", "--passkey"])
            #expect(signIn.ending == .exited(1))
            #expect(signIn.errors.contains("--passkey-unattended"), "\(signIn.errors)")
            let signedIn = try await wallet.run(
                ["sign-in", "--passkey"],
                answering: [("Use the passkey of ada at localhost? \(question)", .text("yes"))])
            #expect(signedIn.succeeded, "\(signedIn.output)")
            #expect(signedIn.output.contains(" as ada."), "\(signedIn.output)")
            let access = try await wallet.succeeds("token").output
            #expect(try TokenClaims.all(of: access)["amr"] as? [String] == ["pop", "uv"])
        }
    }

    @Test(
        "A passkey is added after two factors, signs in alone and as a second factor, and opens nothing once it is removed"
    )
    func walk() async throws {
        try await withWallet { server, wallet, person in
            let added = try await wallet.succeeds(
                "passkey", "add", "--passkey-unattended", "--name", "Laptop", "--json"
            ).json
            let id = try #require(added["passkeyId"] as? String)
            #expect(added["name"] as? String == "Laptop")
            #expect(added["coolingUntil"] != nil)
            let second = try await wallet.run("passkey", "add", "--passkey-unattended")
            #expect(second.ending == .exited(1), "the device has one already")
            // A person waits for a day.
            try await server.write("UPDATE passkeys SET cooling_until = created_at")

            let alone = try await wallet.succeeds("sign-in", "--passkey", "--passkey-unattended", "--json").json
            #expect(alone["signedIn"] as? Bool == true)
            #expect(alone["username"] as? String == "ada", "the scope is openid alone")
            let access = try await wallet.succeeds("token").output
            #expect(try TokenClaims.all(of: access)["amr"] as? [String] == ["pop", "uv"])
            let other = try await wallet.run("sign-in", "--passkey", "--passkey-unattended", "--username", "eve")
            #expect(other.ending == .exited(1))
            #expect(other.errors.contains("this device has no passkey of eve"), "\(other.errors)")

            let both = try await wallet.run(
                [
                    "sign-in", "--username", "ada", "--password-stdin", "--two-factors", "--factor", "passkey",
                    "--passkey-unattended",
                ], input: person.password + "\n")
            #expect(both.succeeded, "\(both.errors)")
            let stronger = try await wallet.succeeds("token").output
            #expect(try TokenClaims.all(of: stronger)["amr"] as? [String] == ["pwd", "pop", "uv"])

            try await wallet.succeeds("passkey", "remove", id)
            #expect(try await wallet.succeeds("passkey", "list").output.hasPrefix("No passkeys."))
            let gone = try await wallet.run("sign-in", "--passkey", "--passkey-unattended")
            #expect(gone.ending == .exited(1))
            #expect(gone.errors.contains("--add-passkey-origin https://localhost"), "\(gone.errors)")
        }
    }

    @Test(
        "A passkey on the device approves a payment, and an independent verifier holds its signature against the payment"
    )
    func payment() async throws {
        try await PaymentWorld.use(["--host", "localhost"]) { world in
            try await world.server.require([
                "client", "update", world.client.id, "--add-passkey-origin", "https://localhost",
            ])
            let wallet = try await world.wallet()
            try await wallet.succeeds("passkey", "add", "--passkey-unattended")
            try await world.server.write("UPDATE passkeys SET cooling_until = created_at")
            let transfer = [
                "transfer", "--to", PaymentWorld.payee, "--amount", "250.00", "--answers-stdin", "--json", "--factor",
                "device-passkey",
            ]
            let refused = try await wallet.runDetached(transfer)
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("--passkey-unattended"), "\(refused.errors)")
            // Neither the passkey here nor the one on a page: the first that standard input can answer.
            let silent = try await wallet.run(Array(transfer.dropLast(2)))
            #expect(try silent.failure["code"] as? String == "no_answer", "\(silent.errors)")
            #expect(silent.errors.contains("Code by e-mail"), "\(silent.errors)")
            let paid = try await wallet.run(transfer + ["--passkey-unattended"])
            #expect(paid.succeeded, "\(paid.errors)")
            #expect(paid.errors.contains("  250.00 EUR"), "amount and payee are shown before")
            #expect(try paid.json["sca"] as? String == "VERIFIED")

            let office = try TemporaryFolder()
            defer { office.remove() }
            let id = try #require(try paid.json["transferId"] as? String)
            let (document, keys) = (office.url.appending(path: "op-1.jws"), office.url.appending(path: "keys.json"))
            try Data(try await world.server.require(["audit", "key"]).utf8).write(to: keys)
            // The backend has verified it with WalletAuthVerifier.
            let proof = try await world.backend.run("evidence", id, "--audit-keys", keys.path)
            #expect(proof.succeeded, "\(proof.errors)")
            try Data(proof.output.utf8).write(to: document)
            let program = Programs.repository.appending(path: "scripts/verify_evidence.py").path
            let found = try await ChildProcess.run(
                Programs.python, [program, document.path, keys.path], folder: office.url)
            #expect(found.output.hasPrefix("HOLDS AUTHORIZED"), "\(found.output) \(found.errors)")
        }
    }

    @Test(
        "At a server on an IP address, a passkey is refused before anyone is asked, with the reason", .onceForAllEngines
    )
    func address() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            let wallet = await TerminalWallet(server, try await server.makePublicClient())
            #expect(try await wallet.signIn(person).succeeded)
            for command in [["passkey", "add"], ["sign-in", "--passkey"]] {
                let refused = try await wallet.runDetached(command)
                #expect(refused.ending == .exited(1))
                #expect(refused.errors.contains("passkeys need a host name, not 127.0.0.1"), "\(refused.errors)")
            }
        }
    }
}
