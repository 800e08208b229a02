import Foundation
import Testing
import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuth

/// alice's phone with a PIN and a biometric key. That a right PIN resets the limits is shown against the running
/// program: the scripted server knows no PIN.
@Suite("The PIN again after a while", .covers("the PIN again after n biometric approvals"))
struct BiometricPolicyTests {
    private let till: Till

    init() async throws { till = try await Till() }

    private func wallet(_ policy: Wallet.BiometricPolicy) throws -> Wallet {
        var configuration = till.world.configuration()
        configuration.biometricPolicy = policy
        return try Wallet(configuration: configuration)
    }

    private func enrollment() async throws -> Enrollment {
        try await till.wallet.deviceAuthentication.signedInEnrollment(during: .signTransaction)
    }

    /// As if a PIN were set, and had just been typed.
    private func typePIN(_ wallet: Wallet) async throws {
        let enrollment = try await enrollment()
        try await till.world.store.put(Data("a PIN".utf8), for: enrollment.pinItem)
        await wallet.deviceAuthentication.biometricLimit.notePIN(of: enrollment)
    }

    private func sign(_ wallet: Wallet) async throws -> Person.Story {
        await Person().follow(try wallet.flows.start(with: till.code()))
    }

    private func requiresPIN(_ wallet: Wallet) async throws -> Bool { try await wallet.biometrics.requiresPIN() }

    @Test("After so many approvals in a row the PIN is due, without a prompt, until it is typed")
    func approvals() async throws {
        let wallet = try wallet(.init(approvals: 2))
        try await typePIN(wallet)
        for _ in 0..<2 { #expect(try await sign(wallet).words.last == "done") }
        #expect(try await requiresPIN(wallet))
        let third = try await sign(wallet)
        #expect(third.words == ["processing", "confirm transaction", "processing", "failed"])
        #expect(third.error?.code == .pinRequired)
        #expect(third.error?.outcome == .refused)
        #expect(till.world.keys.presence.reasons.count == 2)
        try await typePIN(wallet)
        #expect(try await sign(wallet).words.last == "done")
    }

    @Test("A restarted app and another process share the count")
    func restarted() async throws {
        let first = try wallet(.init(approvals: 2))
        try await typePIN(first)
        _ = try await sign(first)
        #expect(try await sign(try wallet(.init(approvals: 2))).words.last == "done")
        #expect(try await sign(try wallet(.init(approvals: 2))).error?.code == .pinRequired)
        #expect(try await sign(first).error?.code == .pinRequired)
    }

    @Test("The time since the PIN counts, however often a face was recognized")
    func sincePIN() async throws {
        let wallet = try wallet(.init(timeSincePIN: .seconds(600)))
        try await typePIN(wallet)
        till.world.clock.advance(by: .seconds(590))
        #expect(try await sign(wallet).words.last == "done")
        till.world.clock.advance(by: .seconds(11))
        #expect(try await sign(wallet).error?.code == .pinRequired)
    }

    @Test("Each use extends the time of inactivity, and an approval alone does not extend the time since the PIN")
    func inactivity() async throws {
        let wallet = try wallet(.init(timeSincePIN: .seconds(1000), inactivity: .seconds(400)))
        try await typePIN(wallet)
        for _ in 0..<2 {
            till.world.clock.advance(by: .seconds(390))
            #expect(try await sign(wallet).words.last == "done")
        }
        till.world.clock.advance(by: .seconds(401))
        #expect(try await sign(wallet).error?.code == .pinRequired)
    }

    @Test(
        "attack: setting the phone's clock back extends no limit, not even in an app started afterwards",
        .threat("Someone else's use of a finger or an unlocked phone"))
    func clock() async throws {
        let policy = Wallet.BiometricPolicy(timeSincePIN: .seconds(600))
        try await typePIN(try wallet(policy))
        till.world.clock.advance(by: .seconds(700))
        till.world.clock.setWallClock(offBy: .seconds(-650))
        #expect(try await requiresPIN(try wallet(policy)))
        #expect(try await sign(try wallet(policy)).error?.code == .pinRequired)
    }

    @Test(
        "attack: deleting or damaging the record makes the PIN due",
        .threat("Someone else's use of a finger or an unlocked phone"))
    func deleted() async throws {
        let wallet = try wallet(.init(approvals: 5))
        try await typePIN(wallet)
        let item = try await enrollment().biometricLimitItem
        try await till.world.store.remove(item)
        #expect(try await requiresPIN(wallet))
        try await till.world.store.put(Data("{}".utf8), for: item)
        #expect(try await requiresPIN(wallet))
        try await typePIN(wallet)
        till.world.store.damage(item)
        #expect(try await requiresPIN(wallet))
        try await typePIN(wallet)
        #expect(try await !requiresPIN(wallet))
    }

    @Test("attack: forgetting the PIN lifts no limit")
    func forgotten() async throws {
        let wallet = try wallet(.init(approvals: 1))
        try await typePIN(wallet)
        #expect(try await sign(wallet).words.last == "done")
        try await till.world.store.remove(try await enrollment().pinItem)
        #expect(try await requiresPIN(wallet))
        #expect(try await sign(wallet).error?.code == .pinRequired)
    }

    @Test(
        "An approval that cannot be counted is not sent", .threat("Someone else's use of a finger or an unlocked phone")
    )
    func uncounted() async throws {
        let wallet = try wallet(.init(approvals: 5))
        try await typePIN(wallet)
        let code = try till.code()
        let person = Person(proves: { question in
            till.world.store.condition = .full
            question.biometrics(reason: "Sign")
        })
        #expect(await person.follow(try wallet.flows.start(with: code)).error?.code == .storeUnavailable)
        #expect(till.statuses == [.confirmed])
    }

    @Test("Without a PIN on the device, and without a policy, face and fingerprint go on")
    func unlimited() async throws {
        let wallet = try wallet(.init(approvals: 1))
        for _ in 0..<3 { #expect(try await sign(wallet).words.last == "done") }
        try await till.world.store.put(Data("a PIN".utf8), for: try await enrollment().pinItem)
        for _ in 0..<3 { #expect(try await sign(till.wallet).words.last == "done") }
        let item = try await enrollment().biometricLimitItem
        #expect(till.world.store.items[item] == nil)
    }

    @Test("A sign-in by face is refused before anything is sent, and a consent offers the other ways")
    func signInsAndConsents() async throws {
        let shop = try Shop(by: .deviceBiometric)
        try shop.requireConsent(by: [.sms, .deviceBiometric])
        let first = try await shop.world.signedIn()
        try await first.devices.enroll(name: "Alice's phone", username: "alice")
        let device = first.deviceAuthentication
        let enrollment = try await device.signedInEnrollment(during: .enableBiometrics)
        try await device.adoptPresenceKey(try await device.makePresenceKey(of: enrollment), of: enrollment)
        try await shop.world.store.put(Data("a PIN".utf8), for: enrollment.pinItem)

        var configuration = shop.world.configuration()
        configuration.biometricPolicy = .init(approvals: 1)
        let wallet = try Wallet(configuration: configuration)
        try await wallet.setUp()
        let sent = shop.server.requests.count
        let refused = await failure { try await wallet.login(biometrics: "Sign in") }
        #expect(refused?.code == .pinRequired)
        // At most for the server's time.
        #expect(shop.server.requests.dropFirst(sent).allSatisfy { $0.path.contains("/.well-known/") })
        let person = Answers(.code(Shop.code))
        _ = try await wallet.perform(shop.payment(), onSCA: person.handler)
        #expect(person.prompts.map(\.verification) == [.sms])
        try shop.requireConsent(by: [.deviceBiometric])
        let error = await failure {
            try await wallet.perform(shop.payment(), onSCA: Answers(.biometrics(reason: "Pay")).handler)
        }
        #expect(error?.code == .pinRequired)
        #expect(shop.world.keys.presence.reasons.isEmpty)
    }

    @Test(
        "A policy that would never allow a face is refused with the configuration",
        arguments: [
            Wallet.BiometricPolicy(approvals: 0), Wallet.BiometricPolicy(timeSincePIN: .zero),
            Wallet.BiometricPolicy(inactivity: .seconds(-1)),
        ])
    func invalid(policy: Wallet.BiometricPolicy) throws {
        let error = #expect(throws: WalletError.self) { _ = try wallet(policy) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.reason.contains("biometricPolicy") == true)
    }
}
