import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

/// Recovery by the SDK against the running program, the code read where a developer reads it.
@Suite("Recovery against the server")
struct RecoveryAgainstServerTests {
    private struct Unexpected: Error {
        let what: String
    }

    @Test("A forgotten password is recovered by the code alone, and the old one opens nothing")
    func recovers() async throws {
        try await withServer { server in
            let person = try await server.makeReachableAccount("grace")
            let client = try await server.makePublicClient()
            let phone = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            let wallet = try phone.wallet(issuer: await server.issuer, client: client)
            let nobody = try await wallet.recover(username: "nobody")
            let challenge = try await wallet.recover(username: person.username)
            #expect(challenge.digits == nobody.digits)
            #expect(challenge.resendAfter == nobody.resendAfter)
            #expect(challenge.expiresIn == .seconds(600))
            let wrong = await #expect(throws: WalletError.self) { try await challenge.answer("00000000") }
            #expect(wrong?.code == .invalidCredentials)
            #expect(wrong?.operation == .recover)
            let again = try await challenge.resend()
            let code = try await server.newestRecoveryCode()
            server.ledger.enter(code)
            guard case .passwordChangeRequired(let change) = try await again.answer(code) else {
                throw Unexpected(what: "no new password was asked for")
            }
            #expect(change.fault == nil)
            for (weak, fault) in [("short", .tooShort), ("password1", .tooCommon), (person.password, .unchanged)]
                as [(String, PasswordFault)]
            {
                guard case .passwordChangeRequired(let told) = try await change.choose(newPassword: weak) else {
                    throw Unexpected(what: "a weak password was taken")
                }
                #expect(told.fault == fault)
            }
            let new = "Pw-\(UUID().uuidString)"
            server.ledger.enter(new)
            guard case .authenticated = try await change.choose(newPassword: new) else {
                throw Unexpected(what: "the recovery did not sign in")
            }
            let refused = await #expect(throws: WalletError.self) {
                try await wallet.devices.enroll(name: "phone", username: person.username)
            }
            #expect(refused?.code == .insufficientUserAuthentication)
            let old = await #expect(throws: WalletError.self) {
                try await wallet.login(username: person.username, password: person.password)
            }
            #expect(old?.code == .invalidCredentials)
        }
    }
}

extension RunningServer {
    /// The newest code of a recovery in the sandbox's outbox.
    nonisolated func newestRecoveryCode() async throws -> String {
        let page = try await WebClient(ledger: ledger).get(await url("/sandbox/outbox"))
        guard let match = page.text.firstMatch(of: /<code>(\d{8})<\/code>/) else {
            throw LinkedPhone.Unexpected(what: "no code of a recovery in the outbox")
        }
        return String(match.output.1)
    }
}
