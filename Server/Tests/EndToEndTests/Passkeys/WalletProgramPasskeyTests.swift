import Foundation
import Testing

/// `wallet passkey` and `wallet sign-in --passkey` against the running server.
@Suite("Passkeys in the terminal wallet")
struct WalletProgramPasskeyTests {
    @Test(
        "A passkey is added after two factors, signs in alone and as a second factor, and opens nothing once it is removed"
    )
    func walk() async throws {
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

            let added = try await wallet.succeeds("passkey", "add", "--name", "Laptop", "--json").json
            let id = try #require(added["passkeyId"] as? String)
            #expect(added["name"] as? String == "Laptop")
            #expect(added["coolingUntil"] != nil)
            let second = try await wallet.run("passkey", "add")
            #expect(second.ending == .exited(1), "the device has one already")
            // A person waits for a day.
            try await server.write("UPDATE passkeys SET cooling_until = created_at")

            let alone = try await wallet.succeeds("sign-in", "--passkey", "--json").json
            #expect(alone["signedIn"] as? Bool == true)
            let access = try await wallet.succeeds("token").output
            #expect(try TokenClaims.all(of: access)["amr"] as? [String] == ["pop", "uv"])
            let other = try await wallet.run("sign-in", "--passkey", "--username", "eve")
            #expect(other.ending == .exited(1))

            let both = try await wallet.run(
                ["sign-in", "--username", "ada", "--password-stdin", "--two-factors", "--factor", "passkey"],
                input: person.password + "\n")
            #expect(both.succeeded, "\(both.errors)")
            let stronger = try await wallet.succeeds("token").output
            #expect(try TokenClaims.all(of: stronger)["amr"] as? [String] == ["pwd", "pop", "uv"])

            try await wallet.succeeds("passkey", "remove", id)
            #expect(try await wallet.succeeds("passkey", "list").output.hasPrefix("No passkeys."))
            let gone = try await wallet.run("sign-in", "--passkey")
            #expect(gone.ending == .exited(1))
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
            try await wallet.succeeds("passkey", "add")
            try await world.server.write("UPDATE passkeys SET cooling_until = created_at")
            let paid = try await wallet.run([
                "transfer", "--to", PaymentWorld.payee, "--amount", "250.00", "--answers-stdin", "--json", "--factor",
                "device-passkey",
            ])
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
            let script = Programs.repository.appending(path: "scripts/verify_evidence.py").path
            let found = try await ChildProcess.run(
                Programs.python, [script, document.path, keys.path], folder: office.url)
            #expect(found.output.hasPrefix("HOLDS AUTHORIZED"), "\(found.output) \(found.errors)")
        }
    }
}
