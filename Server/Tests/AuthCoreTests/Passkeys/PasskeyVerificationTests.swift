import SoftwareAttesters
import TestSupport
import Testing
import WalletAuthWire

@testable import SignIn

@Suite("Verifying passkeys")
struct PasskeyVerificationTests {
    private static let party = PasskeyRelyingParty(id: "auth.example.com", origins: ["https://auth.example.com"])
    private static let page = SoftwarePasskey.Page(
        relyingParty: "auth.example.com", origin: "https://auth.example.com")
    private static let challenge = [UInt8](1...40)

    private func register(
        _ passkey: SoftwarePasskey, on page: SoftwarePasskey.Page = page,
        _ change: (inout PasskeyRegistrationResponse) -> Void = { _ in }
    ) throws -> Result<PasskeyRegistration, PasskeyFault> {
        var response = try passkey.register(Self.challenge, on: page)
        change(&response)
        return outcome(of: response)
    }

    private func outcome(of response: PasskeyRegistrationResponse) -> Result<PasskeyRegistration, PasskeyFault> {
        do { return .success(try .verify(response, challenge: Self.challenge, party: Self.party)) } catch {
            return .failure(error)
        }
    }

    private func outcome(
        of response: PasskeyAssertionResponse, by known: PasskeyAssertion.Known, challenge: [UInt8] = challenge
    ) -> Result<PasskeyAssertion, PasskeyFault> {
        do { return .success(try .verify(response, challenge: challenge, party: Self.party, by: known)) } catch {
            return .failure(error)
        }
    }

    private func known(_ passkey: SoftwarePasskey, counter: UInt32 = 0) throws -> PasskeyAssertion.Known {
        PasskeyAssertion.Known(
            credentialID: passkey.credentialID, publicKey: try passkey.publicKey, counter: counter,
            isBackupEligible: passkey.flags.contains(.backupEligible))
    }

    private func fault<Value>(_ result: Result<Value, PasskeyFault>) -> PasskeyFault? {
        if case .failure(let fault) = result { fault } else { nil }
    }

    @Test("A key of every algorithm is registered and used", arguments: PasskeyAlgorithm.allCases, [false, true])
    func algorithms(algorithm: PasskeyAlgorithm, attestsItself: Bool) throws {
        var passkey = try SoftwarePasskey(algorithm)
        passkey.attestsItself = attestsItself
        let registration = try register(passkey).get()
        #expect(registration.attestation == (attestsItself ? .selfSigned : .none))
        #expect(try registration.publicKey == passkey.publicKey)
        passkey.counter = 7
        let assertion = try outcome(of: passkey.use(Self.challenge, on: Self.page), by: known(passkey)).get()
        #expect(assertion.counter == 7)
    }

    @Test("Every single bit of an assertion that is changed refuses it", arguments: PasskeyAlgorithm.allCases)
    func everyBitOfAnAssertion(algorithm: PasskeyAlgorithm) throws {
        let passkey = try SoftwarePasskey(algorithm)
        let (response, known) = (try passkey.use(Self.challenge, on: Self.page), try known(passkey))
        _ = try outcome(of: response, by: known).get()
        let parts: [WritableKeyPath<PasskeyAssertionResponse, [UInt8]>] = [
            \.id, \.clientData, \.authenticatorData, \.signature,
        ]
        var taken: [String] = []
        for part in parts {
            for bit in 0..<response[keyPath: part].count * 8 {
                var changed = response
                changed[keyPath: part][bit / 8] ^= 1 << (bit % 8)
                if fault(outcome(of: changed, by: known)) == nil { taken.append("\(part) \(bit)") }
            }
        }
        for bit in 0..<known.publicKey.count * 8 {
            var changed = known
            changed.publicKey[bit / 8] ^= 1 << (bit % 8)
            if fault(outcome(of: response, by: changed)) == nil { taken.append("key \(bit)") }
        }
        for bit in 0..<Self.challenge.count * 8 {
            var changed = Self.challenge
            changed[bit / 8] ^= 1 << (bit % 8)
            if fault(outcome(of: response, by: known, challenge: changed)) == nil { taken.append("challenge \(bit)") }
        }
        #expect(taken.isEmpty)
    }

    @Test(
        "Every single bit of a self-attested registration that is changed refuses it, or makes it one that attests nothing"
    )
    func everyBitOfARegistration() throws {
        var passkey = try SoftwarePasskey()
        passkey.attestsItself = true
        let response = try passkey.register(Self.challenge, on: Self.page)
        var taken: [Int] = []
        for bit in 0..<response.attestationObject.count * 8 {
            var changed = response
            changed.attestationObject[bit / 8] ^= 1 << (bit % 8)
            if case .success(let registration) = outcome(of: changed), registration.attestation != .unread {
                taken.append(bit)
            }
        }
        #expect(taken.isEmpty)
        for bit in 0..<response.clientData.count * 8 {
            var changed = response
            changed.clientData[bit / 8] ^= 1 << (bit % 8)
            #expect(fault(outcome(of: changed)) != nil)
        }
    }

    @Test("attack: a page of another origin, another site's key, a frame, the other ceremony")
    func pages() throws {
        let passkey = try SoftwarePasskey()
        let known = try known(passkey)
        var attempts: [(SoftwarePasskey.Page, PasskeyFault)] = []
        for origin in [
            "https://auth.example.com.evil.example", "https://auth.example.com:8443", "http://auth.example.com",
            "https://AUTH.example.com", "https://auth.example.com/", "https://example.com", "null", "",
        ] {
            attempts.append((SoftwarePasskey.Page(relyingParty: "auth.example.com", origin: origin), .wrongOrigin))
        }
        attempts.append(
            (
                SoftwarePasskey.Page(relyingParty: "example.com", origin: "https://auth.example.com"),
                .wrongRelyingParty
            ))
        var page = Self.page
        page.crossOrigin = true
        attempts.append((page, .crossOrigin))
        page.crossOrigin = false
        page.topOrigin = "https://evil.example"
        attempts.append((page, .crossOrigin))
        for (page, expected) in attempts {
            #expect(try fault(outcome(of: passkey.use(Self.challenge, on: page), by: known)) == expected)
            #expect(try fault(register(passkey, on: page)) == expected)
        }
        page = Self.page
        page.type = "webauthn.create"
        #expect(try fault(outcome(of: passkey.use(Self.challenge, on: page), by: known)) == .wrongCeremony)
        page.type = "webauthn.get"
        #expect(try fault(register(passkey, on: page)) == .wrongCeremony)
        page.crossOrigin = false
        page.type = nil
        _ = try outcome(of: passkey.use(Self.challenge, on: page), by: known).get()
    }

    @Test("A passkey use without a touch or without user verification is refused")
    func presence() throws {
        var passkey = try SoftwarePasskey()
        let known = try known(passkey)
        for (flags, expected): (SoftwarePasskey.Flags, PasskeyFault) in [
            ([.userPresent], .userNotVerified), ([.userVerified], .userNotPresent), ([], .userNotPresent),
        ] {
            passkey.flags = flags
            #expect(try fault(outcome(of: passkey.use(Self.challenge, on: Self.page), by: known)) == expected)
            #expect(try fault(register(passkey)) == expected)
        }
    }

    @Test("A key is copied only where it may be, and never changes whether it may")
    func backup() throws {
        var passkey = try SoftwarePasskey()
        let bound = try known(passkey)
        passkey.flags.insert(.backedUp)
        #expect(try fault(register(passkey)) == .inconsistentBackup)
        #expect(try fault(outcome(of: passkey.use(Self.challenge, on: Self.page), by: bound)) == .inconsistentBackup)
        passkey.flags.insert(.backupEligible)
        #expect(try register(passkey).get().isBackedUp)
        #expect(try fault(outcome(of: passkey.use(Self.challenge, on: Self.page), by: bound)) == .inconsistentBackup)
        let synced = try known(passkey)
        #expect(try outcome(of: passkey.use(Self.challenge, on: Self.page), by: synced).get().isBackedUp)
        passkey.flags.remove(.backedUp)
        #expect(try !outcome(of: passkey.use(Self.challenge, on: Self.page), by: synced).get().isBackedUp)
    }

    @Test("A counter moves on, or stays at nothing for ever")
    func counter() throws {
        var passkey = try SoftwarePasskey()
        for (stored, shown, isTaken): (UInt32, UInt32, Bool) in [
            (0, 0, true), (0, 1, true), (1, 2, true), (5, 5, false), (5, 4, false), (5, 0, false),
            (.max - 1, .max, true), (.max, .max, false), (.max, 0, false),
        ] {
            passkey.counter = shown
            let found = try fault(
                outcome(of: passkey.use(Self.challenge, on: Self.page), by: known(passkey, counter: stored)))
            #expect(found == (isTaken ? nil : .counterBehind), "\(stored) then \(shown)")
        }
    }

    @Test("attack: another key's signature, id, or a registration under another id")
    func otherKeys() throws {
        let (passkey, other) = (try SoftwarePasskey(), try SoftwarePasskey())
        var response = try other.use(Self.challenge, on: Self.page)
        #expect(try fault(outcome(of: response, by: known(passkey))) == .wrongCredential)
        response.id = passkey.credentialID
        #expect(try fault(outcome(of: response, by: known(passkey))) == .wrongSignature)
        #expect(try fault(register(passkey) { $0.id = other.credentialID }) == .wrongCredential)
    }

    @Test(
        "attack: a COSE key with its private half, without its algorithm, off its curve, or of a curve that is not offered"
    )
    func keys() throws {
        let point = Array(repeating: UInt8(1), count: 32)
        func key(_ members: [(Int64, Any)]) -> [UInt8] {
            var writer = CBORWriter()
            writer.map(members.count)
            for (label, value) in members {
                writer.integer(label)
                if let number = value as? Int { writer.integer(Int64(number)) }
                if let bytes = value as? [UInt8] { writer.bytes(bytes) }
            }
            return writer.bytes
        }
        let faulty: [([(Int64, Any)], PasskeyFault)] = [
            ([(1, 2), (3, -7), (-1, 1), (-2, point), (-3, point)], .unusableKey),
            ([(1, 2), (-1, 1), (-2, point), (-3, point)], .unsupportedAlgorithm),
            ([(1, 2), (3, -35), (-1, 2), (-2, point), (-3, point)], .unsupportedAlgorithm),
            ([(1, 1), (3, -8), (-1, 7), (-2, point)], .unusableKey),
            ([(1, 1), (3, -8), (-1, 6), (-2, point), (-4, point)], .unusableKey),
            ([(1, 1), (3, -8), (-1, 6), (-2, Array(point.dropLast()))], .unusableKey),
            ([(1, 3), (3, -257), (-1, point), (-2, [UInt8]([1, 0, 1]))], .unusableKey),
            ([(1, 2), (3, -8), (-1, 6), (-2, point)], .unusableKey),
        ]
        for (members, expected) in faulty {
            #expect(throws: expected) { _ = try PasskeyKey(encoded: key(members)) }
        }
    }

    @Test("A statement about the authenticator is left unread; an empty one that says something is refused")
    func statements() throws {
        let passkey = try SoftwarePasskey()
        let response = try passkey.register(Self.challenge, on: Self.page)
        let data = try #require(try CBORReader.value(of: response.attestationObject).map?[.text("authData")]?.bytes)
        func object(_ format: String, certificate: Bool) -> [UInt8] {
            var writer = CBORWriter()
            writer.map(3)
            writer.text("authData")
            writer.bytes(data)
            writer.text("fmt")
            writer.text(format)
            writer.text("attStmt")
            writer.map(certificate ? 1 : 0)
            if certificate {
                writer.text("x5c")
                writer.bytes([1, 2, 3])
            }
            return writer.bytes
        }
        for format in ["packed", "tpm", "apple", "android-key", "fido-u2f", "of-tomorrow"] {
            let registration = try register(passkey) { $0.attestationObject = object(format, certificate: true) }.get()
            #expect(registration.attestation == .unread)
        }
        #expect(try fault(register(passkey) { $0.attestationObject = object("none", certificate: true) }) != nil)
        #expect(try fault(register(passkey) { $0.attestationObject = object("packed", certificate: false) }) != nil)
        #expect(
            try register(passkey) { $0.attestationObject = object("none", certificate: false) }.get().attestation
                == .none)
    }

    @Test("The site is the issuer's host and its one origin; an address has none")
    func site() throws {
        func site(_ issuer: String) throws -> PasskeyRelyingParty? { PasskeyRelyingParty(issuer: try Issuer(issuer)) }
        #expect(try site("https://auth.example.com") == Self.party)
        #expect(try site("https://auth.example.com/wallet") == Self.party)
        #expect(try site("https://auth.example.com:8443")?.origins == ["https://auth.example.com:8443"])
        #expect(try site("http://localhost:8080")?.origins == ["http://localhost:8080"])
        #expect(try site("http://localhost:8080")?.id == "localhost")
        #expect(try site("http://127.0.0.1:8080") == nil)
        #expect(try site("http://[::1]:8080") == nil)
    }
}
