package import Core
internal import Kernel
internal import Store
package import WalletAuthWire

/// The contents of an authorization code: the person, the client, and the proofs its redemption requires.
package struct AuthorizationGrant: Sendable, Hashable {
    /// 16 bytes, random or derived from a secret that may open one session only. The redemption is remembered under
    /// this id.
    package var id: [UInt8]
    package var client: ClientID
    /// The redirect URI of the request, which the redemption repeats; `nil` for a native sign-in.
    package var redirectURI: String?
    /// `nil` for a client that may leave PKCE out, and did: it authenticates, and finds the nonce of its request in the ID token.
    package var challenge: CodeChallenge?
    package var account: AccountID
    /// The account's security version at the sign-in.
    package var securityVersion: Int64
    package var scope: Scope
    package var nonce: Nonce?
    package var authTime: Timestamp
    package var acr: String?
    package var amr: [String]
    /// The thumbprint of the DPoP key that the redemption must prove: 32 bytes.
    package var keyThumbprint: [UInt8]?
    package var merchant: MerchantID?
    /// The enrolled device on which the sign-in was proved.
    package var device: DeviceID?
    /// The `resource` values of the request (RFC 8707); empty for the client's default.
    package var resources: [String]
    /// What the person granted besides scopes, for this authorization alone.
    package var authorizationDetails: AuthorizationDetails?
    /// The claims about the person that the ID token has, as far as the scope covers them.
    package var idTokenClaims: [String] = []
    /// The id of the person's consent to the client, of 16 bytes; `nil` for a first-party client, which needs none.
    package var consent: [UInt8]?
    package var issuedAt: Timestamp

    /// RFC 6749 §4.1.2 recommends ten minutes at most.
    package static let lifetime = Duration.seconds(60)

    /// How long a redemption is remembered. It exceeds the lifetime, so that a late replay is still recognized. It also exceeds the ten
    /// minutes that a sign-in may wait together with the lifetime of its last code: of several codes of one sign-in, one opens a session.
    package static let memory = Duration.minutes(12)
}

extension AuthorizationGrant {
    private static let version: UInt8 = 5

    /// To be sealed.
    var bytes: [UInt8] {
        get throws {
            var writer = ByteWriter()
            writer.fixed([Self.version])
            writer.fixed(id)
            writer.fixed(account.bytes)
            writer.integer(securityVersion)
            writer.integer(authTime.milliseconds)
            writer.integer(issuedAt.milliseconds)
            try writer.field(challenge.flatMap { Base64URL.decode($0.rawValue) } ?? [])
            try writer.field(keyThumbprint ?? [])
            try writer.field(consent ?? [])
            try writer.text(client.rawValue)
            try writer.text(redirectURI)
            try writer.text(scope.rawValue)
            try writer.text(nonce?.rawValue)
            try writer.text(acr)
            try writer.text(amr.joined(separator: " "))
            try writer.text(merchant?.rawValue)
            try writer.text(device?.rawValue)
            try writer.text(resources.joined(separator: " "))
            try writer.text(authorizationDetails?.rawValue)
            try writer.text(idTokenClaims.joined(separator: " "))
            return writer.bytes
        }
    }

    /// Returns `nil` for anything that ``bytes`` did not produce.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        func optional(_ text: String) -> String? { text.isEmpty ? nil : text }
        guard reader.fixed(1) == [Self.version], let id = reader.fixed(16), let accountBytes = reader.fixed(16),
            let account = try? AccountID(bytes: accountBytes), let securityVersion = reader.integer(),
            let authTime = reader.integer(), let issuedAt = reader.integer(), let challengeBytes = reader.field(),
            let thumbprint = reader.field(), let consent = reader.field(), let clientText = reader.text(),
            let client = try? ClientID(clientText),
            let redirectURI = reader.text(),
            let scopeText = reader.text(), let scope = try? Scope(scopeText), let nonceText = reader.text(),
            let acr = reader.text(), let amr = reader.text(), let merchantText = reader.text(),
            let deviceText = reader.text(), let resources = reader.text(), let detailsText = reader.text(),
            let claims = reader.text(), reader.isAtEnd
        else { return nil }
        let challenge = challengeBytes.isEmpty ? nil : try? CodeChallenge(Base64URL.encode(challengeBytes))
        let nonce = optional(nonceText).flatMap { try? Nonce($0) }
        let merchant = optional(merchantText).flatMap { try? MerchantID($0) }
        let device = optional(deviceText).flatMap { try? DeviceID($0) }
        let details = optional(detailsText).flatMap { try? AuthorizationDetails(recorded: $0) }
        guard (challenge == nil) == challengeBytes.isEmpty, (details == nil) == detailsText.isEmpty,
            (nonce == nil) == nonceText.isEmpty,
            (merchant == nil) == merchantText.isEmpty,
            (device == nil) == deviceText.isEmpty
        else { return nil }
        self.init(
            id: id, client: client, redirectURI: optional(redirectURI), challenge: challenge, account: account,
            securityVersion: securityVersion, scope: scope, nonce: nonce,
            authTime: Timestamp(milliseconds: authTime), acr: optional(acr),
            amr: amr.split(separator: " ").map(String.init), keyThumbprint: thumbprint.isEmpty ? nil : thumbprint,
            merchant: merchant, device: device, resources: resources.split(separator: " ").map(String.init),
            authorizationDetails: details, idTokenClaims: claims.split(separator: " ").map(String.init),
            consent: consent.isEmpty ? nil : consent,
            issuedAt: Timestamp(milliseconds: issuedAt))
    }
}

extension AuthorizationGrant {
    /// The facts of a redemption request.
    package struct Redemption: Sendable {
        package var client: ClientID
        /// The confidential client that may redeem this client's codes in its place.
        package var redeemer: ClientID?
        package var verifier: CodeVerifier?
        /// The redirect URI, if the request repeats it.
        package var redirectURI: String?
        /// The thumbprint of the proof's key: 32 bytes.
        package var keyThumbprint: [UInt8]?

        package init(
            client: ClientID, redeemer: ClientID?, verifier: CodeVerifier?, redirectURI: String?,
            keyThumbprint: [UInt8]?
        ) {
            self.client = client
            self.redeemer = redeemer
            self.verifier = verifier
            self.redirectURI = redirectURI
            self.keyThumbprint = keyThumbprint
        }
    }

    /// Whether client, verifier, redirect URI and key are all correct. Only then may a replay have consequences.
    /// Otherwise anyone who saw the code could sign the holder out.
    package func isProved(by redemption: Redemption) -> Bool {
        guard redemption.client == client || redemption.redeemer == redemption.client else { return false }
        guard isVerified(by: redemption.verifier) else { return false }
        // OAuth 2.1 no longer requires the redirect URI. If it is repeated, it must match.
        if let repeated = redemption.redirectURI, repeated != redirectURI { return false }
        guard let bound = keyThumbprint else { return true }
        return redemption.keyThumbprint.map { ConstantTime.equal($0, bound) } ?? false
    }

    /// A verifier without a challenge means that someone took the challenge out of the request: a downgrade (RFC 9700 §4.8.2).
    private func isVerified(by verifier: CodeVerifier?) -> Bool {
        switch (challenge, verifier) {
        case (let challenge?, let verifier?): challenge.verify(verifier)
        case (nil, nil): true
        case (nil, _?), (_?, nil): false
        }
    }

    package func isExpired(at now: Timestamp) -> Bool {
        now >= issuedAt + Self.lifetime || now < issuedAt - Self.lifetime
    }
}

/// The grant of a sign-in that passed the gate. A session begins from nothing else.
///
/// It is had from an ``Admission``, or by opening what ``AuthorizationCodes`` sealed for one. It has no other initializer, and does not
/// change: an ``AuthorizationGrant`` that other code put together opens nothing.
package struct AdmittedGrant: Sendable {
    // Not a `let`, which an initializer in another file could set.
    package private(set) var grant: AuthorizationGrant

    package init(_ admission: Admission) { grant = admission.grant }

    /// The grant for another device than the one on which the person approved it. A stranger may hold that one, so it counts for less.
    /// - Parameter method: how it was approved.
    init(_ admission: Admission, approvedElsewhereBy method: String) {
        grant = admission.grant
        grant.amr += [AuthenticationStrength.crossDevice, method]
        grant.acr = AuthenticationStrength.acr(of: grant.amr)
    }

    /// Returns `nil` for anything that this server did not seal.
    /// - Parameters:
    ///   - sealed: the content of a code.
    ///   - place: the sealing context of the place where it was.
    init?(sealed: [UInt8], in place: String, by keys: SealingKeys) {
        guard let bytes = keys.open(sealed, for: .code, context: keys.untilRestored(place)),
            let grant = AuthorizationGrant(bytes: bytes)
        else { return nil }
        self.grant = grant
    }
}

/// Authorization codes as text: sealed and self-contained, so that a sign-in writes no row. A grant that would make the code
/// too long for some client's field is stored in a row.
package struct AuthorizationCodes: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let random: any RandomBytes

    private static let prefix = "wac_"
    private static let longest = 512
    private static let handleLength = 32
    private static let codeContext = "authorization-code"
    private static let rowContext = "stored_codes|sealed"

    /// Creates a code for a sign-in that passed the gate.
    func code(for admission: Admission) async throws -> AuthorizationCode {
        let bytes = try admission.grant.bytes
        let sealed = try sealing.seal(
            bytes, for: .code, context: sealing.untilRestored(Self.codeContext))
        let text = Self.prefix + Base64URL.encode(sealed)
        if text.utf8.count <= Self.longest { return try AuthorizationCode(text) }
        let handle = random.bytes(Self.handleLength)
        let digest = Self.digest(handle)
        let kept = try sealing.seal(bytes, for: .code, context: sealing.untilRestored(Self.rowContext))
        let end = admission.grant.issuedAt + AuthorizationGrant.memory
        try await database.write { try StoredCodes.keep(digest, sealed: kept, until: end, on: $0) }
        return try AuthorizationCode(Self.prefix + Base64URL.encode(handle))
    }

    /// The grant of a code; `nil` for anything that this server never issued.
    package func open(_ code: AuthorizationCode, now: Timestamp) async throws -> AdmittedGrant? {
        let text = code.reveal()
        guard text.hasPrefix(Self.prefix), text.utf8.count <= Self.longest,
            let bytes = Base64URL.decode(Array(text.utf8)[Self.prefix.utf8.count...])
        else { return nil }
        if bytes.count == Self.handleLength {
            let digest = Self.digest(bytes)
            guard let kept = try await database.read({ try StoredCodes.find(digest, now: now, on: $0) })
            else { return nil }
            return AdmittedGrant(sealed: kept, in: Self.rowContext, by: sealing)
        }
        return AdmittedGrant(sealed: bytes, in: Self.codeContext, by: sealing)
    }

    /// Distinguishes two codes of one sign-in. Codes are long and random, so the digest needs no key.
    package static func digest(of code: AuthorizationCode) -> [UInt8] {
        Digests.of("authorization-code", Array(code.reveal().utf8))
    }

    private static func digest(_ handle: [UInt8]) -> [UInt8] { Digests.of("stored-code", handle) }
}
