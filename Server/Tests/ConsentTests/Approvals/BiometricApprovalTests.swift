import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Approving on the phone by face or fingerprint", .covers("PUSH_NOTIFICATION"), .article("8 inherence"))
struct BiometricApprovalTests {
    /// Ada's two phones, each with a biometric key of its own.
    private struct Setting: Sendable {
        let base: TestPhones
        let keys: [TestKey]

        var server: TestServer { base.server }
        var phones: [TestPIN] { base.phones }

        static func open() async throws -> Setting {
            let base = try await TestPhones.open(2)
            let keys = [TestKey(), TestKey()]
            for (phone, key) in zip(base.phones, keys) {
                try await base.server.setBiometricKey(key, of: phone, pin: TestPhones.pin)
            }
            return Setting(base: base, keys: keys)
        }

        /// What waits on a phone.
        func entry(on phone: TestPIN) async throws -> ApprovalEntry {
            try #require(try await base.pending(on: phone).get().approvals.first)
        }

        /// What a phone signs for an entry of its list.
        /// - Parameter deviceKey: the key that signs in the place of the phone's own.
        func assertion(
            _ entry: ApprovalEntry, on phone: TestPIN, by key: TestKey, deviceKey: TestKey? = nil
        ) async throws -> SignedAssertion {
            let challenge = try #require(entry.challenge)
            return try await DeviceAssertion(
                audience: server.context.settings.issuer, account: phone.account, deviceID: phone.id,
                factor: .biometric, challengeID: challenge.challengeID, nonce: challenge.nonce,
                act: .sca(entry.id, .operation(try #require(entry.payload))),
                issuedAt: NumericDate(clamping: server.clock.now().seconds)
            ).signed(by: (deviceKey ?? phone.device.deviceKey).signer, key.signer)
        }
    }

    @Test("The biometric key approves, the waiting app goes on, and evidence names the device, its key and inherence")
    func approves() async throws {
        let setting = try await Setting.open()
        let phone = setting.phones[0]
        let (event, _) = try await setting.base.asked()
        let entry = try await setting.entry(on: phone)
        #expect(entry.allowedSecondFactors == [.pin, .biometric])
        let assertion = try await setting.assertion(entry, on: phone, by: setting.keys[0])
        #expect(try await setting.base.approve(assertion, at: event, on: phone).get().status == .verified)
        #expect(try await setting.base.outcome(of: event).get().status == .verified)
        _ = try await setting.base.shop.consume(TestShop.transfer(), event: event).get()

        let attempt = try #require(try await setting.base.shop.verifiedEvidence().attempts.first)
        #expect(attempt.verification == .push && attempt.methods == ["swk", "bio"])
        #expect(attempt.device?.id == phone.id)
        #expect(attempt.device?.key.thumbprint == phone.device.deviceKey.thumbprint)
        #expect(try await attempt.session == setting.server.claims(of: phone.device.tokens).sessionID)
    }

    @Test("The evidence names the app that vouched for the device, and on whose word its biometric key counts")
    func attested() async throws {
        let setting = try await Setting.open()
        let phone = setting.phones[0]
        let device = try phone.id.rowID
        _ = try await setting.server.context.database.write {
            try $0.execute(
                "UPDATE devices SET attestation = $2, biometric_key_voucher = 'app' WHERE id = $1",
                [
                    .id(device),
                    .text(#"{"platform":"apple","environment":"production","app":"ABCDE12345.app","attestedAt":7}"#),
                ])
        }
        let (event, _) = try await setting.base.asked()
        let assertion = try await setting.assertion(setting.entry(on: phone), on: phone, by: setting.keys[0])
        _ = try await setting.base.approve(assertion, at: event, on: phone).get()
        _ = try await setting.base.shop.consume(TestShop.transfer(), event: event).get()
        let signer = try #require(try await setting.base.shop.verifiedEvidence().attempts.first?.device)
        #expect(signer.attestation?.app == "ABCDE12345.app")
        #expect(signer.attestation?.platform == .apple)
        #expect(signer.biometricKey == .app)
    }

    @Test(
        "attack: keys of another phone of the person, and a key that no phone has, approve nothing",
        .threat("Consent to something other than what was shown"))
    func otherKeys() async throws {
        let setting = try await Setting.open()
        let (phone, other) = (setting.phones[0], setting.phones[1])
        let (event, _) = try await setting.base.asked()
        for (biometric, device) in [
            (setting.keys[1], nil), (TestKey(), nil), (setting.keys[0], other.device.deviceKey),
            (setting.keys[1], other.device.deviceKey),
        ] as [(TestKey, TestKey?)] {
            let entry = try await setting.entry(on: phone)
            let assertion = try await setting.assertion(entry, on: phone, by: biometric, deviceKey: device)
            let outcome = try await setting.base.approve(assertion, at: event, on: phone)
            // The fifth wrong value would lock it.
            #expect((try? outcome.get().reason) == .invalidValue)
        }
        // A whole assertion of the other phone, from the first phone's session.
        #expect(try await setting.base.shop.status() == .scaRequired)
        let (second, _) = try await setting.base.asked("op-2")
        let entry = try #require(
            try await setting.base.pending(on: other).get().approvals.first { $0.id.rawValue == second.rawValue })
        let moved = try await setting.assertion(entry, on: other, by: setting.keys[1])
        #expect(try await setting.base.approve(moved, at: second, id: "op-2", on: phone).get().reason == .invalidValue)
        #expect(try await setting.base.shop.status("op-2") == .scaRequired)
    }

    @Test(
        "attack: a phone that was removed approves nothing, neither in its session nor from another phone's",
        .threat("Someone else's use of a finger or an unlocked phone"))
    func removedPhone() async throws {
        let setting = try await Setting.open()
        let (phone, removed) = (setting.phones[0], setting.phones[1])
        let (event, _) = try await setting.base.asked()
        let assertion = try await setting.assertion(
            setting.entry(on: removed), on: removed, by: setting.keys[1])
        try await setting.server.administer(["device", "remove", removed.id.rawValue])
        await #expect(throws: (any Error).self, "its session is over") {
            _ = try await setting.base.approve(assertion, at: event, on: removed)
        }
        let elsewhere = try await setting.base.approve(assertion, at: event, on: phone).get()
        #expect(elsewhere.reason == .invalidValue)
        #expect(try await setting.base.shop.status() == .scaRequired)
        let own = try await setting.assertion(setting.entry(on: phone), on: phone, by: setting.keys[0])
        #expect(try await setting.base.approve(own, at: event, on: phone).get().status == .verified)
    }

    @Test(
        "attack: after the biometric key was turned off, what it signed before approves nothing",
        .threat("Someone else's use of a finger or an unlocked phone"))
    func turnedOff() async throws {
        let setting = try await Setting.open()
        let phone = setting.phones[0]
        let (event, _) = try await setting.base.asked()
        let assertion = try await setting.assertion(setting.entry(on: phone), on: phone, by: setting.keys[0])
        let device = try #require(UniqueID(uuid: phone.id.rawValue))
        _ = try await setting.server.context.database.write {
            try $0.execute(
                "UPDATE devices SET biometric_key = NULL, biometric_key_set_at = NULL WHERE id = $1", [.id(device)])
        }
        #expect(try await setting.entry(on: phone).allowedSecondFactors == [.pin])
        let outcome = try await setting.base.approve(assertion, at: event, on: phone)
        #expect((try? outcome.get().status) != .verified)
        #expect(try await setting.base.shop.status() == .scaRequired)
    }
}
