internal import Core
internal import Crypto
internal import Foundation
internal import Kernel
internal import WalletAuthWire

/// Asks the issuer's own user repository to verify a name and a password (docs/protocol.md).
///
/// The request is signed with the key of this server's access tokens, which the repository finds in the published key set. The
/// signature covers the body, so no one else can use the repository to guess passwords.
struct UserRepositoryClient: Sendable {
    let access: ProviderAccess
    let issuer: Issuer
    let keyRing: KeyRing
    let random: any RandomBytes

    /// The `typ` of the signature, so that no other kind of token passes for one.
    static let type = JWSType("wallet-auth-repository+jwt")
    private static let lifetime = Duration.minutes(1)
    private static let longestSubject = 255

    /// - Returns: `nil` if the repository refuses the name and password.
    /// - Throws: ``ProviderFailure`` for any response that is neither yes nor no.
    func verify(
        username: String, password: Password, at provider: IdentityProvider, _ settings: RepositorySettings,
        within timeout: Duration = ProviderHTTP.timeout, isPlaced: Bool = false, now: Timestamp
    ) async throws -> ProvenIdentity? {
        var question = JSONObject()
        let id = Base64URL.encode(random.bytes(16))
        question.set("requestId", id)
        question.set("brand", provider.brand)
        question.set("username", username)
        question.set("password", password.reveal())
        let body = question.bytes
        let answer = try await access.http.answer(
            to: ProviderHTTP.Request(
                method: "POST", url: settings.endpoint.rawValue,
                headers: [
                    ("Authorization", "Bearer \(try signature(over: body, id: id, for: settings, now: now))"),
                    ("Content-Type", "application/json"), ("Accept", "application/json"),
                ], body: body, reach: provider.reach(in: access.environment), timeout: timeout,
                isPlaced: isPlaced))
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

    private func signature(
        over body: [UInt8], id: String, for settings: RepositorySettings, now: Timestamp
    ) throws -> String {
        let issuedAt = NumericDate(clamping: now.seconds)
        var claims = JSONObject()
        claims.set("iss", issuer)
        claims.set("aud", settings.endpoint)
        claims.set("iat", issuedAt)
        claims.set("exp", issuedAt.advanced(by: Self.lifetime))
        claims.set("jti", id)
        claims.set("body_sha256", Base64URL.encode(Array(SHA256.hash(data: body))))
        return try keyRing.signer(.es256).message(claims.bytes, type: Self.type)
    }
}

/// A user name in an external repository whose rules are unknown here: the form the repository is asked about, and the form that
/// failures are counted under.
///
/// A repository may treat two spellings as one name. The counted form is coarser than the rules of any likely repository, and is
/// derived from the asked form, so that another spelling does not bring further attempts.
package struct RepositoryUsername: Sendable, Hashable {
    /// The form the repository is asked about: NFKC, without invisible characters, with single spaces between words. Case is kept.
    package let asked: String
    /// The form that failures are counted under: also without case and accents.
    package let counted: String

    /// - Parameter typed: as typed. The result is `nil` if it is too long, if nothing is left of it, or if its form never settles.
    package init?(_ typed: String) {
        // Before anything is removed: that may join marks of any number.
        guard typed.utf8.count <= FederatedLogin.longestUsername,
            let asked = Self.settled(typed, Self.cleaned), !asked.isEmpty,
            asked.utf8.count <= FederatedLogin.longestUsername,
            let counted = Self.settled(asked, Self.folded), !counted.isEmpty
        else { return nil }
        self.asked = asked
        self.counted = counted
    }

    private static func cleaned(_ text: String) -> String {
        var visible = String.UnicodeScalarView()
        for scalar in text.precomposedStringWithCompatibilityMapping.unicodeScalars {
            if scalar.properties.isWhitespace {
                visible.append(" ")
            } else if !isInvisible(scalar) {
                visible.append(scalar)
            }
        }
        return String(visible).split(separator: " ").joined(separator: " ").precomposedStringWithCompatibilityMapping
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Upper and then lower case is close to full case folding. Accents are removed because many databases ignore them.
    private static func folded(_ text: String) -> String {
        var letters = String.UnicodeScalarView()
        for scalar in text.uppercased().lowercased().decomposedStringWithCompatibilityMapping.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: break
            default: letters.append(scalar)
            }
        }
        return cleaned(String(letters))
    }

    /// One step may create work for an earlier one, so they are repeated until nothing changes.
    private static func settled(_ text: String, _ step: (String) -> String) -> String? {
        var text = text
        for _ in 0..<8 {
            let next = step(text)
            // Not by canonical equivalence: the counter compares bytes.
            if next.utf8.elementsEqual(text.utf8) { return next }
            text = next
        }
        return nil
    }
}
