import Foundation
import Testing
import WalletAuth
import WalletAuthWire

/// Recovery by the SDK against the running program, the code read where a developer reads it.
@Suite("Recovery against the server")
struct RecoveryAgainstServerTests {
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
            // However long this took, the code was sent a moment ago.
            try await server.write("UPDATE recoveries SET sent_at = sent_at + 600000")
            let again = try await challenge.resend()
            #expect(challenge.wasSent && !again.wasSent)
            let code = try await server.newestCode(digits: 8)
            server.ledger.enter(code)
            let change = try await again.answer(code).passwordChange()
            #expect(change.fault == nil)
            for (weak, fault) in [("short", .tooShort), ("password1", .tooCommon), (person.password, .unchanged)]
                as [(String, PasswordFault)]
            {
                let told = try await change.choose(newPassword: weak).passwordChange()
                #expect(told.fault == fault)
            }
            let new = "Pw-\(UUID().uuidString)"
            server.ledger.enter(new)
            try await change.choose(newPassword: new).signedIn()
            let refused = await #expect(throws: WalletError.self) {
                try await wallet.devices.enroll(name: "phone", username: person.username)
            }
            #expect(refused?.code == .recoveryCooling)
            let old = await #expect(throws: WalletError.self) {
                try await wallet.login(username: person.username, password: person.password)
            }
            #expect(old?.code == .invalidCredentials)
        }
    }

    @Test("A phone that wrong passwords closed is opened on the phone itself, is linked as before, and stays enrolled")
    func closedPhone() async throws {
        try await LinkedPhone.use { linked in
            // No command makes a device a day old.
            try await linked.server.write("UPDATE devices SET cooling_until = 0")
            _ = try await linked.wallet.logout()
            for number in 1...5 {
                let wrong = await #expect(throws: WalletError.self) {
                    try await linked.wallet.login(username: linked.person.username, password: "not-the-password")
                }
                #expect(wrong?.code == (number < 5 ? .invalidCredentials : .deviceDeactivated))
                #expect(wrong?.statusCode == (number < 5 ? 401 : 423))
            }
            let closed = await #expect(throws: WalletError.self) { try await linked.signIn(linked.person) }
            #expect(closed?.code == .deviceDeactivated)
            let challenge = try await linked.another().recover(username: linked.person.username)
            let code = try await linked.server.newestCode(digits: 8)
            linked.server.ledger.enter(code)
            let change = try await challenge.answer(code).passwordChange()
            let new = "Pw-\(UUID().uuidString)"
            linked.server.ledger.enter(new)
            try await change.choose(newPassword: new).signedIn()
            let devices = try await linked.another().devices.list()
            #expect(devices.map(\.state) == [.active])
            #expect(devices.map(\.isCurrent) == [true])
            _ = try await linked.another().logout()
            let person = Person(username: linked.person.username, password: new)
            try await linked.signIn(person).signedIn()
            let listed = try await linked.server.administer(["device", "list", "--json", person.username])
            #expect(listed.output.contains(#""state":"active""#) || listed.output.contains(#""state": "active""#))
        }
    }
}

/// The same as a person types it.
@Suite("Recovery in the terminal wallet", .onceForAllEngines)
struct WalletRecoveryTests {
    @Test("Five wrong passwords close the terminal's own device; it names the way out, and wallet recover is it")
    func closedDevice() async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let person = try await server.makeReachableAccount("grace")
            let wallet = await TerminalWallet(server, client)
            #expect(try await wallet.signInByCode(person) == .exited(0))
            let enrolled = try await wallet.run("device", "enroll", "Terminal")
            #expect(enrolled.succeeded, "\(enrolled.errors)")
            try await server.write("UPDATE devices SET cooling_until = 0")
            _ = try await wallet.run("sign-out")
            let wrong = Person(username: person.username, password: "not-the-password")
            for _ in 1...4 {
                #expect(try await wallet.signIn(wrong, "--json").failure["code"] as? String == "invalid_credentials")
            }
            let closed = try await wallet.signIn(wrong, "--json")
            #expect(closed.ending == .exited(1))
            #expect(try closed.failure["code"] as? String == "device_deactivated")
            #expect(closed.errors.contains("wallet recover"), "\(closed.errors)")

            let new = "Pw-\(UUID().uuidString)"
            server.ledger.enter(new)
            #expect(try await wallet.recover(person, choosing: new) == .exited(0))
            let devices = try await wallet.run("device", "list")
            #expect(devices.output.contains("Terminal (linux, this one), active"), "\(devices.output)")
            _ = try await wallet.run("sign-out")
            let again = try await wallet.signIn(Person(username: person.username, password: new))
            #expect(again.succeeded, "\(again.errors)")
        }
    }
}

extension TerminalWallet {
    /// Recovers by the code that is sent, which a person reads and types, and a new password.
    fileprivate func recover(_ person: Person, choosing password: String) async throws -> ChildProcess.Ending {
        try await run(["recover", "--username", person.username, "--answers-stdin"], typing: "") { [server] in
            guard let code = try? await server.newestCode(digits: 8) else { return nil }
            server.ledger.enter(code)
            return "\(code)\n\(password)\n"
        }.ending
    }
}
