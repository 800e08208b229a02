internal import Core
internal import Foundation
package import Kernel
internal import Logging
internal import SignIn
package import Store
internal import Synchronization
package import WalletAuthWire

/// Apple as a brand's provider: a team, its key and its clients.
package struct AppleProvider: VendorProvider {
    let settings: AppleSettings
    /// The key in the `.p8` file; `nil` if only the settings are needed.
    let key: Key?

    enum Key: Sendable {
        case key(ApplePrivateKey)
        case unreadable
    }

    /// - Parameter keyFile: the `.p8` file; `nil` if only the settings are needed.
    init(settings: AppleSettings, keyFile: [UInt8]?) {
        self.settings = settings
        key = keyFile.map { file in (try? ApplePrivateKey(file: file)).map(Key.key) ?? Key.unreadable }
    }

    package var namespace: String { settings.namespace }
    package var place: String { settings.base }
    /// Apple verifies every address that it reports, including those of its relay.
    package var trustsEmail: Bool { true }
    /// The Apple account opens the mailbox, or forwards to it.
    package var emailIsSecondFactor: Bool { false }
    package var buttonStyle: ProviderButtonStyle { .apple }
    package var name: String { AppleVendor.name }
    package var pageName: String? { settings.servicesID == nil ? nil : AppleVendor.name }

    package var facts: [VendorFact] {
        var facts = [
            VendorFact(label: "team id", member: "teamId", values: [settings.teamID]),
            VendorFact(label: "key id", member: "keyId", values: [settings.keyID]),
            VendorFact(label: "client ids", member: "clientIds", values: settings.clientIDs),
        ]
        if let id = settings.servicesID {
            facts.append(VendorFact(label: "services id", member: "servicesId", values: [id]))
        }
        return facts
    }

    package func authorizationURL(for request: VendorAuthorization) -> String? {
        guard let servicesID = settings.servicesID else { return nil }
        var query = FormParameters()
        query.append("response_type", "code")
        // Apple requires this mode for requests with a scope.
        query.append("response_mode", "form_post")
        query.append("client_id", servicesID)
        query.append("redirect_uri", request.redirectURI)
        query.append("scope", "name email")
        query.append("state", request.state)
        query.append("nonce", request.nonce)
        // A plus sign means a space only in the body of a form.
        return settings.url(.authorize) + "?" + query.encoded.replacing("+", with: "%20")
    }

    package func verify(_ token: IDToken, nonce: Nonce?, call: VendorCall) async throws -> VerifiedToken? {
        let tokens = AppleIdentityTokens(settings: settings, call: call)
        do {
            let signed = try await tokens.signed(token, broughtBy: .person)
            let claims = try tokens.claims(
                signed, tokens.expectation(clientIDs: settings.clientIDs, freshness: freshness(nonce)))
            // Only a code proves that a consent still exists, so a token from before its end proves nothing.
            guard try await isAfterSuspension(claims, call: call) else { return nil }
            try await completeTransfer(of: claims, verifiedAt: claims.issuedAt, call: call)
            return VerifiedToken(
                identity: try identity(claims, refreshToken: nil, verifiedAt: claims.issuedAt, call: call),
                signed: signed)
        } catch let refusal as ProviderIDToken.Refusal {
            tokens.log(refusal)
            return nil
        }
    }

    package func redeem(_ code: VendorCode, nonce: Nonce?, call: VendorCall) async throws -> VendorRedemption {
        let tokens = AppleIdentityTokens(settings: settings, call: call)
        let (clientID, accompanying): (String, AppleTokenClaims?)
        do {
            guard let client = try await client(of: code, nonce: nonce, tokens) else { return .refused }
            (clientID, accompanying) = client
        } catch let refusal as ProviderIDToken.Refusal {
            tokens.log(refusal)
            return refusal == .wrong(.claim(name: "c_hash", .mismatch)) ? .mismatched : .refused
        }
        let redeemed = try await service(http: call.access.http, environment: call.access.environment).redeem(
            code.code, redirectURI: code.redirectURI, clientID: clientID, now: call.now)
        guard let redeemed else { return .refused }

        var expected = tokens.expectation(
            clientIDs: [clientID],
            // The nonce, if there was one, was verified in the token that came with the code.
            freshness: accompanying == nil ? freshness(nonce) : nonce.map { .nonceWherePresent($0) } ?? freshness(nil))
        expected.accessToken = redeemed.accessToken
        expected.subject = accompanying?.subject
        do {
            let signed = try await tokens.signed(redeemed.idToken, broughtBy: .provider)
            let claims = try tokens.claims(signed, expected)
            try await completeTransfer(of: claims, verifiedAt: call.now, call: call)
            return .redeemed(
                try identity(claims, refreshToken: redeemed.refreshToken, verifiedAt: call.now, call: call))
        } catch ProviderIDToken.Refusal.wrong(.claim(let name, let fault)) {
            tokens.log(.wrong(.claim(name: name, fault)))
            return name == "sub" && fault == .mismatch ? .mismatched : .refused
        } catch is ProviderIDToken.Refusal {
            // It came from Apple over TLS, so the person did nothing wrong.
            throw ProviderFailure("its token endpoint returned an identity token that cannot be verified")
        }
    }

    package func keep(
        _ grant: VendorGrant, of identity: [UInt8], call: VendorCall, on connection: any SQLConnection
    ) throws {
        let grant = try AppleGrant(grant)
        let brand = call.provider.brand.rawValue
        let link = try FederatedIdentities.find(identity, brand: brand, on: connection)
        let former = try AppleGrants.find(identity, brand: brand, on: connection)
        // This token no longer works. Recording it would leave the link suspended, and the end of the next consent would end no session.
        if let suspendedAt = former?.suspendedAt, grant.verifiedAt < suspendedAt { throw VendorConsentEnded() }
        let vault = AppleGrantVault(call.access.sealing)
        let sealed = try grant.refreshToken.map { token in
            // Keep the tokens of the person's other apps, because each has to be revoked eventually.
            let others = (former.flatMap { vault.open($0) } ?? []).filter { $0.clientID != grant.clientID }
            let own = AppleGrantToken(clientID: grant.clientID, refreshToken: token, namespace: namespace)
            return try vault.seal(others + [own], of: identity, brand: brand)
        }
        try AppleGrants.record(
            AppleGrants.SignIn(
                brandID: brand, digest: identity, providerID: call.provider.id.rawValue, sealed: sealed,
                verifiedAt: grant.verifiedAt, checkAt: call.now + AppleGrantMaintenance.askInterval,
                revokeAt: link == nil ? call.now + AppleGrantMaintenance.guestLifetime : nil),
            on: connection)
        guard let link, former?.suspendedAt != nil else { return }
        try call.access.auditLog.entry(
            AppleEvent.resumed, account: link.accountID, properties: ["provider": call.provider.id.rawValue],
            now: call.now
        ).write(on: connection)
    }

    // MARK: - Steps

    private func freshness(_ nonce: Nonce?) -> ProviderIDToken.Freshness {
        nonce.map { .nonce($0) } ?? .age(AppleIdentityTokens.longestAge)
    }

    /// The client that a code was issued to, and the person in the token that came with it.
    /// - Returns: `nil` if the operator registered no such client.
    /// - Throws: `ProviderIDToken.Refusal` if the token that came with the code is invalid; then the code is not redeemed.
    private func client(
        of code: VendorCode, nonce: Nonce?, _ tokens: AppleIdentityTokens
    ) async throws -> (id: String, accompanying: AppleTokenClaims?)? {
        let isOfPage = code.redirectURI != nil
        guard !isOfPage || settings.servicesID != nil else { return nil }
        guard let token = code.idToken else {
            return (isOfPage ? settings.servicesID : settings.firstBundleID).map { ($0, nil) }
        }
        var expected = tokens.expectation(
            clientIDs: isOfPage ? [settings.servicesID].compactMap(\.self) : settings.clientIDs,
            freshness: freshness(nonce))
        expected.code = code.code.reveal()
        let signed: ProviderIDToken.Signed
        if let known = code.signedToken {
            signed = known
        } else {
            signed = try await tokens.signed(token, broughtBy: .person)
        }
        let claims = try tokens.claims(signed, expected)
        return (claims.clientID, claims)
    }

    /// Whether Apple vouched for the person after their consent ended, if it did.
    private func isAfterSuspension(_ claims: AppleTokenClaims, call: VendorCall) async throws -> Bool {
        let (digest, brand) = (digest(of: claims.subject), call.provider.brand.rawValue)
        let known = try await call.access.database.read { try AppleGrants.find(digest, brand: brand, on: $0) }
        guard let suspendedAt = known?.suspendedAt else { return true }
        // `iat` has whole seconds.
        return claims.issuedAt.seconds > suspendedAt.seconds
    }

    private func identity(
        _ claims: AppleTokenClaims, refreshToken: String?, verifiedAt: Timestamp, call: VendorCall
    ) throws -> ProvenIdentity {
        let grant = AppleGrant(clientID: claims.clientID, refreshToken: refreshToken, verifiedAt: verifiedAt)
        return try ProvenIdentity(
            claims.subject, email: claims.email, isEmailVerified: claims.isEmailVerified, grant: grant.forVendor,
            authTime: claims.authTime, at: call.provider, now: call.now)
    }

    /// The key under which a person is linked.
    func digest(of subject: String) -> [UInt8] {
        IdentityProvider.digest(of: subject, kind: AppleVendor.kind, namespace: namespace)
    }

    /// Apple's service, called with this provider's key.
    /// - Throws: ``ProviderFailure`` if the key is missing or unreadable.
    func service(http: ProviderHTTP, environment: ServerSettings.Environment) throws -> AppleService {
        guard case .key(let key)? = key else {
            throw ProviderFailure("the private key of the team cannot be read")
        }
        return AppleService(settings: settings, key: key, http: http, reach: settings.reach(in: environment))
    }
}

extension AppleProvider: CustomStringConvertible {
    /// Redacted because the private key is among the properties.
    package var description: String { "<redacted>" }
}

/// The claims of a verified identity token from Apple.
struct AppleTokenClaims: Sendable {
    /// The person's identifier within the team.
    let subject: String
    /// The client that the token is for.
    let clientID: String
    /// The e-mail address; it may belong to Apple's relay.
    let email: String?
    let isEmailVerified: Bool
    /// When Apple vouched for the person.
    let issuedAt: Timestamp
    /// When the person signed in at Apple, if the token says so.
    let authTime: Timestamp?
    /// The identifier that both teams know, for some weeks after a transfer of the app.
    let transferSubject: String?

    /// Reads the claims of a token that was verified for one of these clients.
    fileprivate init?(_ claims: JSONObject, clientIDs: [String]) {
        guard let subject = claims["sub"]?.string, let audience = JWTClaims(claims).audience,
            let clientID = clientIDs.first(where: audience.contains),
            let issuedAt = try? claims.date("iat")
        else { return nil }
        self.subject = subject
        self.clientID = clientID
        email = claims["email"]?.string
        // Apple sends a Boolean or a string.
        isEmailVerified = ProviderIDToken.flag(claims["email_verified"])
        self.issuedAt = Timestamp(seconds: issuedAt.secondsSince1970)
        authTime = (try? claims.date("auth_time")).map { Timestamp(seconds: $0.secondsSince1970) }
        transferSubject = claims["transfer_sub"]?.string
    }
}

struct AppleIdentityTokens: Sendable {
    /// The maximum age of a token without a nonce, whose freshness only its code proves.
    static let longestAge = Duration.minutes(5)

    private static let algorithms: Set<SigningAlgorithm> = [.rs256]

    let settings: AppleSettings
    let call: VendorCall

    /// The requirements for a token: RS256 only, signed with Apple's own keys.
    /// - Parameters:
    ///   - clientIDs: the acceptable clients.
    ///   - freshness: what binds the token to this sign-in.
    func expectation(
        clientIDs: [String], freshness: ProviderIDToken.Freshness
    ) -> ProviderIDToken.Expectation {
        var expected = ProviderIDToken.Expectation(
            issuer: settings.base, clientIDs: clientIDs, freshness: freshness)
        expected.algorithms = Self.algorithms
        return expected
    }

    /// Verifies the signature of a token.
    /// - Parameter bearer: the source of the token.
    /// - Throws: `ProviderIDToken.Refusal` for an invalid token, ``ProviderFailure`` if Apple's keys cannot be fetched.
    func signed(_ token: IDToken, broughtBy bearer: ProviderDocuments.Bearer) async throws -> ProviderIDToken.Signed {
        try await call.access.documents.signed(
            token.reveal(), algorithms: Self.algorithms, keysFrom: .url(settings.url(.keys)),
            reach: settings.reach(in: call.access.environment), broughtBy: bearer, now: call.now)
    }

    /// The claims of a token that meets the requirements.
    /// - Parameter expected: the required claims.
    func claims(
        _ token: ProviderIDToken.Signed, _ expected: ProviderIDToken.Expectation
    ) throws(ProviderIDToken.Refusal) -> AppleTokenClaims {
        let claims = try ProviderIDToken.verified(
            token, for: expected, now: NumericDate(clamping: call.now.seconds))
        guard let read = AppleTokenClaims(claims, clientIDs: expected.clientIDs) else {
            throw ProviderIDToken.Refusal.wrong(.malformed)
        }
        return read
    }

    /// Logs why a token was refused, without personal data.
    func log(_ refusal: ProviderIDToken.Refusal) {
        call.access.logger.debug(
            "refused an identity token from Apple",
            metadata: ["provider": "\(call.provider.id)", "reason": "\(refusal)"])
    }
}

/// Apple as a vendor of identity providers (docs/sign-in-with-apple.md).
///
/// It keeps the providers by the settings and the key that they were decoded from. Each sign-in signs with the key, whose file would
/// otherwise be parsed each time.
package final class AppleVendor: ProviderVendor {
    /// Its name in the database and on the command line.
    package static let kind = "apple"
    /// Its name for people.
    static let name = "Apple"

    private struct Source: Hashable {
        /// The bytes of the stored text: texts may be equal by canonical equivalence and name different clients.
        let settings: [UInt8]
        /// A digest of the key's file; the file itself is not kept.
        let key: [UInt8]?
    }

    private let decoded = Mutex<[Source: AppleProvider]>([:])
    /// More than any operator has. At the limit, the cache is emptied.
    private static let capacity = 1024

    package init() {}

    package var kind: String { Self.kind }

    /// How many decoded providers are in memory, each with its key if that was needed.
    var decodedCount: Int { decoded.withLock { $0.count } }

    package func provider(_ record: IdentityProviderRecord, secret: [UInt8]?) throws -> any VendorProvider {
        let source = Source(
            settings: Array(record.settings.utf8), key: secret.map { Digests.of("apple-key", $0) })
        if let known = decoded.withLock({ $0[source] }) { return known }
        let provider = AppleProvider(
            settings: try JSONDecoder().decode(AppleSettings.self, from: Data(source.settings)), keyFile: secret)
        decoded.withLock { decoded in
            if decoded.count >= Self.capacity { decoded.removeAll() }
            decoded[source] = provider
        }
        return provider
    }

    package func forgetProviders() { decoded.withLock { $0.removeAll() } }
}
