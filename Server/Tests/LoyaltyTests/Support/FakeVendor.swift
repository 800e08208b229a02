import Core
import Kernel
import Store
import Synchronization
import WalletAuthWire

/// A vendor in a test's hands: whose tokens and codes there are, and what it was asked.
final class FakeVendor: ProviderVendor {
    let kind = "fake"

    private struct Person {
        var subject: String
        var nonce: String?
        var email: String?
        var authTime: Timestamp?
    }

    private struct State {
        var tokens: [String: Person] = [:]
        var codes: [String: Person] = [:]
        var redeemed: [String] = []
        var kept: [[UInt8]] = []
        var isDown = false
        var isDownForCodes = false
        var hasConsentEnded = false
        var number = 0
        var meanwhile: (@Sendable () async throws -> Void)?
    }

    private let state = Mutex(State())

    // MARK: What a test says

    /// An identity token of a person.
    func token(
        of subject: String, issuedAt: Timestamp, nonce: String? = nil, email: String? = nil,
        authTime: Timestamp? = nil
    ) -> String {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        var claims = JSONObject()
        claims.set("sub", subject)
        claims.set("iat", issuedAt.seconds)
        claims.set("jti", String(number))
        let parts = [#"{"alg":"RS256"}"#, String(decoding: claims.bytes, as: UTF8.self), "signature"]
        let token = parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        state.withLock {
            $0.tokens[token] = Person(subject: subject, nonce: nonce, email: email, authTime: authTime)
        }
        return token
    }

    /// A code of a person, which works once.
    func code(
        of subject: String, nonce: String? = nil, email: String? = nil, authTime: Timestamp? = nil,
        named name: String? = nil
    ) -> String {
        state.withLock { state in
            state.number += 1
            let code = name ?? "code-\(state.number)"
            state.codes[code] = Person(subject: subject, nonce: nonce, email: email, authTime: authTime)
            return code
        }
    }

    /// Whether the whole service is down.
    func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    /// Whether the token endpoint is down.
    func setDownForCodes(_ isDown: Bool) { state.withLock { $0.isDownForCodes = isDown } }

    /// Whether people end their consent after the vendor vouched for them.
    func setConsentEnded(_ hasEnded: Bool) { state.withLock { $0.hasConsentEnded = hasEnded } }

    /// What happens while the vendor redeems the next code.
    func whileRedeeming(_ body: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.meanwhile = body }
    }

    /// Runs a request that its client gives up while the vendor redeems its code.
    func givingUp(_ request: @escaping @Sendable () async throws -> Void) async {
        let (arrivals, arrive) = AsyncStream.makeStream(of: Void.self)
        let (permission, permit) = AsyncStream.makeStream(of: Void.self)
        whileRedeeming {
            arrive.finish()
            for await _ in permission {}
            // A request to a vendor ends with its task.
            try Task.checkCancellation()
        }
        let task = Task {
            defer { arrive.finish() }
            try await request()
        }
        for await _ in arrivals {}
        task.cancel()
        permit.finish()
        _ = await task.result
    }

    /// The codes that it was asked to redeem, in order.
    var redeemed: [String] { state.withLock { $0.redeemed } }

    /// The identities whose grants it was given to keep.
    var kept: [[UInt8]] { state.withLock { $0.kept } }

    // MARK: The port

    func provider(_ record: IdentityProviderRecord, secret: [UInt8]?) throws -> any VendorProvider {
        FakeProvider(vendor: self, namespace: record.settings)
    }

    fileprivate func verify(_ token: IDToken, nonce: Nonce?, call: VendorCall) throws -> VerifiedToken? {
        let person = try state.withLock { state in
            if state.isDown { throw ProviderFailure("the service is down") }
            return state.tokens[token.reveal()]
        }
        return try identity(person, nonce, call).map { VerifiedToken(identity: $0) }
    }

    fileprivate func redeem(_ code: VendorCode, nonce: Nonce?, call: VendorCall) async throws -> VendorRedemption {
        let meanwhile = state.withLock { state in
            defer { state.meanwhile = nil }
            return state.meanwhile
        }
        try await meanwhile?()
        let person = try state.withLock { state in
            if state.isDown || state.isDownForCodes { throw ProviderFailure("the service is down") }
            state.redeemed.append(code.code.reveal())
            return state.codes.removeValue(forKey: code.code.reveal())
        }
        return try identity(person, nonce, call).map(VendorRedemption.redeemed) ?? .refused
    }

    fileprivate func keep(_ identity: [UInt8]) throws {
        try state.withLock { state in
            if state.hasConsentEnded { throw VendorConsentEnded() }
            state.kept.append(identity)
        }
    }

    private func identity(_ person: Person?, _ nonce: Nonce?, _ call: VendorCall) throws -> ProvenIdentity? {
        guard let person, nonce == nil || person.nonce == nonce?.rawValue else { return nil }
        return try ProvenIdentity(
            person.subject, email: person.email, isEmailVerified: person.email != nil,
            grant: VendorGrant(bytes: Array("grant of \(person.subject)".utf8)), authTime: person.authTime,
            at: call.provider, now: call.now)
    }
}

/// One provider of the vendor.
private struct FakeProvider: VendorProvider {
    let vendor: FakeVendor
    let namespace: String
    var place: String { "https://vendor.example.com" }
    var trustsEmail: Bool { true }
    var emailIsSecondFactor: Bool { false }
    var facts: [VendorFact] { [] }
    var name: String { "Vendor" }
    var pageName: String? { nil }

    func authorizationURL(for request: VendorAuthorization) -> String? { nil }

    func verify(_ token: IDToken, nonce: Nonce?, call: VendorCall) async throws -> VerifiedToken? {
        try vendor.verify(token, nonce: nonce, call: call)
    }

    func redeem(_ code: VendorCode, nonce: Nonce?, call: VendorCall) async throws -> VendorRedemption {
        try await vendor.redeem(code, nonce: nonce, call: call)
    }

    func keep(
        _ grant: VendorGrant, of identity: [UInt8], call: VendorCall, on connection: any SQLConnection
    ) throws {
        try vendor.keep(identity)
    }

    func problems(
        http: ProviderHTTP, environment: ServerSettings.Environment, now: Timestamp
    ) async throws -> [String] { [] }
}
