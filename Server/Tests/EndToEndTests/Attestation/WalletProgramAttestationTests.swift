import Crypto
import Foundation
import Testing
import WalletAuthWire

/// `wallet attester`, `wallet biometrics` and payments by face and passkey, against a server in production.
@Suite(
    "An attested app in the terminal wallet", .onceForAllEngines,
    .covers("attestation of apps and of biometric keys"))
struct WalletProgramAttestationTests {
    private static let pin = "804613972558"

    @Test("Only the attested app enrolls; then its face and its passkey approve payments, and the proofs name the app")
    func walk() async throws {
        try await ProductionWorld.use { world in
            try await signIn(world)
            let refused = try await world.run(["device", "enroll", "Phone", "--json"], isAttested: false)
            #expect(refused.ending == .exited(1))
            #expect(try refused.failure["code"] as? String == "attestation_required")
            let none = try await world.server.require(["device", "list", world.person.username])
            #expect(!none.contains("Phone"), "\(none)")

            try await world.succeeds("device", "enroll", "Phone")
            let listed = try await world.server.require(["device", "list", world.person.username])
            #expect(listed.contains("Phone") && listed.contains(ProductionWorld.appID), "\(listed)")
            let reasons = try await world.server.require(["audit", "tail"])
            #expect(reasons.contains("device.attestation_refused"), "\(reasons)")

            try await setUpFactors(world)
            let face = try await pay("250.00", by: "biometric", world)
            #expect(face.contains("the app \(ProductionWorld.appID) attested by apple"), "\(face)")
            #expect(face.contains("the biometric key on the word of the app"), "\(face)")
            try await refuseLate(world.server.folder)
            _ = try await pay("90.00", by: "device-passkey", world)

            try await world.succeeds("biometrics", "disable")
            let off = try await world.run(
                [
                    "transfer", "--to", PaymentWorld.payee, "--amount", "50.00", "--answers-stdin", "--factor",
                    "biometric",
                ])
            #expect(off.ending == .exited(1))
        }
    }

    /// Signs in by password and an authenticator app, since production has no outbox to read codes in.
    private func signIn(_ world: ProductionWorld) async throws {
        let (person, ledger) = (world.person, world.server.ledger)
        ledger.enter(Self.pin)
        try await world.succeeds(
            "sign-in", "--username", person.username, "--password-stdin", "--scope", PaymentWorld.scopes,
            input: person.password + "\n")
        let begun = try await world.succeeds("mfa", "authenticator", "--begin", "--json")
        let secret = try #require(begun.json["secret"] as? String)
        ledger.enter(secret)
        let app = AuthenticatorApp(secret: secret)
        let first = try await app.nextCode()
        try await world.succeeds("mfa", "authenticator", "--confirm", "--code-stdin", input: first + "\n")
        let second = try await app.nextCode()
        try await world.succeeds(
            "sign-in", "--username", person.username, "--password-stdin", "--two-factors",
            input: "\(person.password)\n\(second)\n")
    }

    private func setUpFactors(_ world: ProductionWorld) async throws {
        try await world.succeeds("pin", "set", "--pin-stdin", input: Self.pin + "\n")
        let without = try await world.run(
            ["biometrics", "enable", "--pin-stdin"], input: Self.pin + "\n", isAttested: false)
        #expect(without.errors.contains("wallet attester create"), "\(without.errors)")
        try await world.succeeds("biometrics", "enable", "--pin-stdin", input: Self.pin + "\n")
        try await world.succeeds("passkey", "add", "--passkey-unattended")
        // What takes a day otherwise.
        try await world.server.write("UPDATE devices SET cooling_until = 0")
        try await world.server.write("UPDATE passkeys SET cooling_until = created_at")
        try await world.succeeds("sign-out")
        try await world.succeeds("sign-in", "--pin", "--pin-stdin", input: Self.pin + "\n")
        try await world.succeeds(
            "payees", "add", PaymentWorld.payee, PaymentWorld.account, "--backend", world.backend.url.absoluteString)
    }

    /// Pays, and has the proof verified by the program that shares no code with the server.
    /// - Returns: what that program says.
    private func pay(_ amount: String, by factor: String, _ world: ProductionWorld) async throws -> String {
        let paid = try await world.succeeds(
            "transfer", "--to", PaymentWorld.payee, "--amount", amount, "--answers-stdin", "--json", "--factor", factor,
            "--passkey-unattended")
        #expect(try paid.json["sca"] as? String == "VERIFIED")
        let id = try #require(try paid.json["transferId"] as? String)
        let folder = world.server.folder
        let (document, keys) = (folder.appending(path: "\(factor).jws"), folder.appending(path: "keys.json"))
        try Data(try await world.server.require(["audit", "key"]).utf8).write(to: keys)
        let proof = try await world.backend.run("evidence", id, "--audit-keys", keys.path)
        #expect(proof.succeeded, "\(proof.errors)")
        try Data(proof.output.utf8).write(to: document)
        let found = try await independent(document, keys)
        #expect(found.output.hasPrefix("HOLDS AUTHORIZED"), "\(found.output) \(found.errors)")
        return found.output
    }

    /// The holder of the audit key dates the app's attestation after the payment by face, and neither verifier accepts it.
    private func refuseLate(_ folder: URL) async throws {
        func text(_ name: String) throws -> String {
            try String(contentsOf: folder.appending(path: name), encoding: .utf8).trimmingCharacters(in: .newlines)
        }
        let keys = try JWKSet(JSONValue.object(parsing: Array(text("keys.json").utf8)))
        var claims = try OperationEvidence(text("biometric.jws")).verified(by: keys)
        let index = try #require(claims.attempts.firstIndex { $0.device?.attestation != nil })
        let late = NumericDate(clamping: claims.attempts[index].at / 1000 + 61)
        claims.attempts[index].device?.attestation?.attestedAt = late
        let liar = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
        let lie = try await CompactJWSEncoder(signer: liar, type: .walletOperationEvidence)
            .encode(claims.json.bytes, signer: liar)
        let (document, liars) = (folder.appending(path: "late.jws"), folder.appending(path: "liar.json"))
        try Data(lie.utf8).write(to: document)
        try Data(JWKSet([liar].compactMap(\.publicJWK)).json.bytes).write(to: liars)
        let found = try await independent(document, liars)
        #expect(found.output == "FAULT the app was attested after the signature", "\(found.output) \(found.errors)")
        let refused = try await ChildProcess.run(
            Programs.walletauth, ["audit", "verify-evidence", document.path, "--keys", liars.path], folder: folder)
        #expect(refused.errors.contains("attested after its signature"), "\(refused.output) \(refused.errors)")
    }

    /// The program that shares no code with the server.
    private func independent(_ document: URL, _ keys: URL) async throws -> CommandResult {
        let script = Programs.repository.appending(path: "scripts/verify_evidence.py").path
        return try await ChildProcess.run(
            Programs.python, [script, document.path, keys.path], folder: document.deletingLastPathComponent())
    }
}
