internal import Core
internal import Crypto
internal import Kernel
internal import WalletAuthWire

/// Asks the issuer's own user repository to verify a name and a password (docs/protocol.md).
///
/// The request is signed with the key of this server's access tokens, which the repository finds in the published key set. The
/// signature covers the body, so no one else can use the repository to guess passwords.
struct UserRepositoryClient: Sendable {
    let context: ServerContext
    let settings: RepositorySettings

    /// The `typ` of the signature, so that no other kind of token passes for one.
    static let type = JWSType("wallet-auth-repository+jwt")
    private static let lifetime = Duration.minutes(1)
    private static let longestSubject = 255

    /// - Returns: `nil` if the repository refuses the name and password.
    /// - Throws: ``ProviderFailure`` for any response that is neither yes nor no.
    func verify(
        username: String, password: Password, at provider: IdentityProvider, now: Timestamp
    ) async throws -> ProvenIdentity? {
        var question = JSONObject()
        let id = Base64URL.encode(context.random.bytes(16))
        question.set("requestId", id)
        question.set("brand", provider.brand)
        question.set("username", username)
        question.set("password", password.reveal())
        let body = question.bytes
        let answer = try await context.providerHTTP.answer(
            to: ProviderHTTP.Request(
                method: "POST", url: settings.endpoint.rawValue,
                headers: [
                    ("Authorization", "Bearer \(try signature(over: body, id: id, now: now))"),
                    ("Content-Type", "application/json"), ("Accept", "application/json"),
                ], body: body, reach: provider.reach(in: context.settings.environment)))
        guard answer.status == 200, let result = try? JSONValue.object(parsing: answer.body),
            result["requestId"]?.string == id, case .bool(let isVerified)? = result["verified"]
        else { throw ProviderFailure("the repository returned \(answer.status), which is neither yes nor no") }
        guard isVerified else { return nil }
        guard let subject = result["subject"]?.string, (1...Self.longestSubject).contains(subject.utf8.count) else {
            throw ProviderFailure("the repository accepted the password but named no user")
        }
        return try ProvenIdentity(
            subject, email: result["email"]?.string, isEmailVerified: result["emailVerified"] == .bool(true),
            at: provider, now: now)
    }

    private func signature(over body: [UInt8], id: String, now: Timestamp) throws -> String {
        let issuedAt = NumericDate(clamping: now.seconds)
        var claims = JSONObject()
        claims.set("iss", context.settings.issuer)
        claims.set("aud", settings.endpoint)
        claims.set("iat", issuedAt)
        claims.set("exp", issuedAt.advanced(by: Self.lifetime))
        claims.set("jti", id)
        claims.set("body_sha256", Base64URL.encode(Array(SHA256.hash(data: body))))
        return try context.keyRing.signer(.es256).message(claims.bytes, type: Self.type)
    }
}
