import Foundation
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthTesting
import WalletAuthWire

/// The SDK's PIN against the running program.
@Suite(
    "The PIN of a device",
    .covers("loginByPIN (Paydiant), loginWithPin (Paysafe)", "NextAuth.default.accounts, without await"))
struct PINAgainstServerTests {
    /// Twelve digits, so that the search of the logs finds no other number by chance.
    private static let pin = "804613972558"
    private static let other = "593071864422"
    private static let wrong = "170395826641"

    /// A linked phone with a PIN.
    private func withPIN(_ body: (LinkedPhone) async throws -> Void) async throws {
        try await LinkedPhone.use { phone in
            for pin in [Self.pin, Self.other, Self.wrong] { phone.server.ledger.enter(pin) }
            try await phone.wallet.pin.set(Self.pin)
            try await body(phone)
        }
    }

    private func code(_ body: () async throws -> LoginOutcome) async -> (WalletError.Code?, Int?) {
        let error = await #expect(throws: WalletError.self) { _ = try await body() }
        return (error?.code, error?.statusCode)
    }

    @Test("A PIN that was set signs in with two factors, after a sign-out and in an app started again")
    func signsIn() async throws {
        try await withPIN { phone in
            let active = try await phone.wallet.pin.state()
            #expect(active == .active)
            let devices = try await phone.wallet.devices.list()
            #expect(devices.map(\.hasPIN) == [true])
            _ = try await phone.wallet.logout()
            #expect(!phone.wallet.isLoggedIn)
            try await phone.wallet.login(pin: Self.pin).signedIn()
            #expect(phone.wallet.isLoggedIn)
            // It was two factors, minutes ago: enough to set another.
            try await phone.wallet.pin.set(Self.other)
            let again = try await phone.another()
            try await again.login(pin: Self.other).signedIn()
            #expect(phone.phone.browser.presented.isEmpty)
        }
    }

    @Test(
        "A PIN locked by a restore and one locked by wrong PINs are different errors, in an app started again as well")
    func restored() async throws {
        try await withPIN { phone in
            // As a restore leaves it: locked, with tries left.
            try await phone.server.write("UPDATE pins SET state = 'locked'")
            let error = await #expect(throws: WalletError.self) { _ = try await phone.wallet.login(pin: Self.pin) }
            #expect(error?.code == .pinLocked)
            #expect(error?.pinLockReason == .restore)
            let kept = try await phone.another().pin.lockReason()
            #expect(kept == .restore)
        }
    }

    @Test(
        """
        Five wrong PINs: 401 with the number of tries left, then 423, even for the right one; then a sign-in with two \
        factors and a new PIN
        """
    )
    func locks() async throws {
        try await withPIN { phone in
            for left in [4, 3, 2, 1] {
                let error = await #expect(throws: WalletError.self) {
                    _ = try await phone.wallet.login(pin: Self.wrong)
                }
                #expect(error?.code == .invalidCredentials)
                #expect(error?.statusCode == 401)
                #expect(error?.remainingAttempts == left)
            }
            for pin in [Self.wrong, Self.pin] {
                let (code, status) = await code { try await phone.wallet.login(pin: pin) }
                #expect(code == .pinLocked)
                #expect(status == 423)
            }
            let locked = try await phone.wallet.pin.state()
            #expect(locked == .locked)

            try await phone.signIn(phone.person).signedIn()
            try await phone.wallet.pin.forget()
            let none = try await phone.wallet.pin.state()
            #expect(none == .none)
            let (forgotten, _) = await code { try await phone.wallet.login(pin: Self.pin) }
            #expect(forgotten == .pinNotSet)
            try await phone.wallet.pin.set(Self.other)
            try await phone.wallet.login(pin: Self.other).signedIn()
            let active = try await phone.wallet.pin.state()
            #expect(active == .active)
        }
    }

    @Test(
        "A changed PIN opens in the place of the one before; with a wrong one in use nothing is changed",
        .onceForAllEngines)
    func changes() async throws {
        try await withPIN { phone in
            let wrong = await #expect(throws: WalletError.self) {
                try await phone.wallet.pin.change(from: Self.wrong, to: Self.other)
            }
            #expect(wrong?.code == .invalidCredentials)
            #expect(wrong?.remainingAttempts == 4)
            try await phone.wallet.pin.change(from: Self.pin, to: Self.other)
            let (former, _) = await code { try await phone.wallet.login(pin: Self.pin) }
            #expect(former == .invalidCredentials)
            try await phone.wallet.login(pin: Self.other).signedIn()
        }
    }

    @Test("Lost answers cost no second try: four wrong PINs, each with lost evaluations, leave the fifth try")
    func lostEvaluations() async throws {
        try await withPIN { phone in
            for _ in 0..<4 {
                phone.phone.network.loseAnswers(2, to: "/v1/pin/evaluate")
                let (code, _) = await code { try await phone.wallet.login(pin: Self.wrong) }
                #expect(code == .invalidCredentials)
            }
            phone.phone.network.loseAnswers(1, to: "/oauth2/authorize-challenge")
            try await phone.wallet.login(pin: Self.pin).signedIn()
        }
    }

    @Test(
        "A change whose answers are all lost is in use: the new PIN opens, the old one does not, and nothing is locked")
    func lostChange() async throws {
        try await withPIN { phone in
            let path = try await pinPath(phone)
            phone.phone.network.loseAnswers(1, to: path)
            try await phone.wallet.pin.change(from: Self.pin, to: Self.other)
            phone.phone.network.loseAnswers(3, to: path)
            let lost = await #expect(throws: WalletError.self) {
                try await phone.wallet.pin.change(from: Self.other, to: Self.pin)
            }
            #expect(lost?.outcome == .temporarilyUnavailable(retryAfter: nil))
            let (former, _) = await code { try await phone.wallet.login(pin: Self.other) }
            #expect(former == .invalidCredentials)
            try await phone.wallet.login(pin: Self.pin).signedIn()
        }
    }

    @Test(
        "An app killed while a PIN is set or changed goes on with the PIN that the server has, and sets another at will"
    )
    func killed() async throws {
        try await withPIN { phone in
            let path = try await pinPath(phone)
            // The server never heard of it, or its answer was lost.
            for (point, inUse) in [
                (SimulatedProcess.KillPoint.beforeSending(to: path), Self.pin), (.afterSending(to: path), Self.other),
            ] {
                let process = SimulatedProcess(phone.phone.ports)
                let doomed = try await phone.another(process.ports)
                try await doomed.login(pin: Self.pin).signedIn()
                process.kill(at: point)
                try? await doomed.pin.change(from: Self.pin, to: Self.other)
                #expect(!process.isAlive)
                let next = try await phone.another()
                try await next.login(pin: inUse).signedIn()
            }
            let process = SimulatedProcess(phone.phone.ports)
            let doomed = try await phone.another(process.ports)
            try await doomed.login(pin: Self.other).signedIn()
            process.kill(at: .afterSending(to: path))
            try? await doomed.pin.set(Self.pin)
            let next = try await phone.another()
            try await next.login(pin: Self.pin).signedIn()
            try await next.pin.set(Self.other)
            try await next.login(pin: Self.other).signedIn()
        }
    }

    @Test(
        "Two taps are one try, and two sign-ins of one phone follow one another instead of giving each other up",
        .onceForAllEngines)
    func together() async throws {
        try await withPIN { phone in
            for _ in 0..<4 {
                let (taps, tap) = AsyncStream.makeStream(of: Void.self)
                // Neither is answered before both have begun.
                phone.phone.network.before("/v1/pin/evaluate") { await taps.wait(for: 2) }
                async let first = code {
                    tap.yield()
                    return try await phone.wallet.login(pin: Self.wrong)
                }
                async let second = code {
                    tap.yield()
                    return try await phone.wallet.login(pin: Self.wrong)
                }
                let codes = await [first.0, second.0]
                #expect(codes == [.invalidCredentials, .invalidCredentials])
            }
            // Another process of the app at the same time, with the right PIN both.
            let another = try await phone.another()
            try await withThrowingTaskGroup(of: LoginOutcome.self) { group in
                for wallet in [phone.wallet, another] {
                    group.addTask { try await wallet.login(pin: Self.pin) }
                }
                for try await outcome in group { try outcome.signedIn() }
            }
        }
    }

    @Test(
        "Each account on a phone has its own PIN; a sign-in uses the account used last, or the one named",
        .onceForAllEngines)
    func severalAccounts() async throws {
        try await withPIN { phone in
            let second = try await phone.server.makeReachableAccount("hedy")
            _ = try await phone.wallet.logout()
            try await phone.link(second)
            try await phone.wallet.pin.set(Self.other)
            let accounts = try await phone.wallet.accounts
            #expect(accounts.map(\.username) == ["hedy", "grace"])
            let grace = try #require(accounts.last)
            try await phone.wallet.login(pin: Self.pin, account: grace.id).signedIn()
            #expect(phone.wallet.identity?.subject == grace.id.rawValue)
            try await phone.wallet.login(pin: Self.pin).signedIn()
            #expect(phone.wallet.identity?.subject == grace.id.rawValue)
            let (others, _) = await code { try await phone.wallet.login(pin: Self.other) }
            #expect(others == .invalidCredentials)
        }
    }

    @Test(
        "What no PIN may be is refused on the phone, and costs no try; a phone that lost its keys says what to do",
        .onceForAllEngines)
    func refusedHere() async throws {
        try await withPIN { phone in
            for (pin, code) in [
                ("12345", WalletError.Code.pinTooShort), ("1234567890123", .pinTooLong), ("49381o", .pinMalformed),
                ("123456", .pinTooCommon), ("112233", .pinTooCommon),
            ] {
                let error = await #expect(throws: WalletError.self) { try await phone.wallet.pin.set(pin) }
                #expect(error?.code == code)
                #expect(error?.reachedServer == false)
            }
            for _ in 0..<6 {
                let (code, status) = await code { try await phone.wallet.login(pin: "49") }
                #expect(code == .invalidCredentials)
                #expect(status == 401)
            }
            try await phone.wallet.login(pin: Self.pin).signedIn()
            phone.phone.keys.loseAll()
            let error = await #expect(throws: WalletError.self) { try await phone.wallet.login(pin: Self.pin) }
            #expect(error?.outcome == .keyLost(recovery: .setPINAgain))
        }
    }

    @Test("A forgotten PIN is gone on both sides; offline or signed out on this one, and on the other when asked again")
    func forgotten() async throws {
        try await withPIN { phone in
            let everywhere = try await phone.wallet.pin.forget()
            #expect(everywhere == .everywhere)
            #expect(try await phone.wallet.devices.list().map(\.hasPIN) == [false])

            try await phone.wallet.pin.set(Self.other)
            phone.phone.network.setOffline(true)
            let found = try await phone.wallet.pin.forget()
            guard case .onThisDevice(let offline) = found else {
                Issue.record("the server cannot know: \(String(describing: found))")
                return
            }
            #expect(offline.outcome == .offline)
            #expect(try await phone.wallet.pin.state() == .none)
            phone.phone.network.setOffline(false)
            #expect(try await phone.wallet.devices.list().map(\.hasPIN) == [true])
            #expect(try await phone.wallet.pin.forget() == .everywhere)
            #expect(try await phone.wallet.devices.list().map(\.hasPIN) == [false])

            _ = try await phone.wallet.logout()
            let answer = try await phone.wallet.pin.forget()
            guard case .onThisDevice(let signedOut) = answer else {
                Issue.record("without a signed-in person: \(String(describing: answer))")
                return
            }
            #expect(signedOut.code == .signedOut)
        }
    }

    @Test("A removed device's PIN is gone on both sides")
    func removed() async throws {
        try await withPIN { phone in
            let device = try #require(try await phone.wallet.devices.list().first)
            try await phone.wallet.devices.remove(device.id)
            let (code, _) = await code { try await phone.wallet.login(pin: Self.pin) }
            #expect(code == .deviceNotEnrolled)
            let kept = phone.phone.keys.names.filter { !$0.name.hasSuffix(".dpop") }
            #expect(kept.isEmpty)
        }
    }

    private func pinPath(_ phone: LinkedPhone) async throws -> String {
        let device = try #require(try await phone.wallet.accounts.first?.deviceID)
        return "/v1/devices/\(device.rawValue)/pin"
    }
}
