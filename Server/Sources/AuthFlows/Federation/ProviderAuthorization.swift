internal import AuthCore
internal import AuthStore
internal import Foundation
internal import WalletAuthWire

/// What a browser is sent to a provider with. It travels as the provider's `state`: sealed, for the browser that it was made
/// for, and taken once.
struct ProviderAuthorization: Codable, Sendable {
    /// The provider, and what the operator said of it: an answer is never taken to another one under its name.
    var provider: ProviderID
    /// See ``IdentityProvider/registration()``.
    var registration: Data
    /// 32 random bytes. Nonce and verifier are digests of them: neither shows the other, nor these.
    var secret: Data
    /// From when on the person has to have signed in at the provider; `nil` where an older session there will do.
    var freshSince: Timestamp?
    /// The page that the person left, as far as it was.
    var page: PageState

    /// Long enough to find a second phone, or to reset a password there.
    static let lifetime = Duration.minutes(30)
    /// How far the provider's clock may be behind.
    private static let leeway: Int64 = 60

    /// What has to be in the ID token.
    var nonce: Nonce { get throws { try Nonce(Base64URL.encode(digest("provider-nonce"))) } }

    /// The PKCE verifier.
    var verifier: CodeVerifier {
        get throws { try CodeVerifier(Base64URL.encode(digest("provider-verifier"))) }
    }

    /// Under which the answer is remembered.
    var digest: [UInt8] { digest("provider-authorization") }

    private func digest(_ label: String) -> [UInt8] { Digests.of(label, Array(secret)) }

    /// Whether the sign-in at the provider is as recent as it has to be. A provider that does not tell when it was has not shown it.
    func isFresh(_ authTime: Timestamp?) -> Bool {
        guard let freshSince else { return true }
        guard let authTime else { return false }
        return authTime.seconds >= freshSince.seconds - Self.leeway
    }
}

/// Seals what browsers are sent to providers with, and takes their answers.
struct ProviderAuthorizations: Sendable {
    let context: ServerContext

    /// A state opens at the callback that it was sealed for and at no other: an answer that comes by another provider's way says
    /// nothing to this one.
    private func states(of callback: ProviderCallback) -> SealedState<ProviderAuthorization> {
        SealedState(
            context: context, purpose: .page,
            label: "provider-authorization|\(callback.brand.rawValue)|\(callback.provider.rawValue)",
            lifetime: ProviderAuthorization.lifetime)
    }

    /// Answers that came without cookies, for the moment until they come again with them.
    private var responses: SealedState<HeldResponse> {
        SealedState(context: context, purpose: .page, label: "provider-response", lifetime: .minutes(2))
    }

    private struct HeldResponse: Codable, Sendable {
        var response: ProviderResponse
        /// A digest of the state that it came with.
        var state: [UInt8]
    }

    func seal(_ authorization: ProviderAuthorization, for callback: ProviderCallback, now: Timestamp) throws -> String {
        try states(of: callback).seal(authorization, now: now)
    }

    /// - Returns: `nil` for a state of another provider, whatever brand has it, and for what is no state.
    func open(_ state: String, at callback: ProviderCallback, now: Timestamp) -> ProviderAuthorization? {
        states(of: callback).open(state, now: now)
    }

    /// Uses an authorization up.
    /// - Returns: `false` where it was used before.
    func use(_ authorization: ProviderAuthorization, now: Timestamp) async throws -> Bool {
        let (digest, end) = (authorization.digest, now + ProviderAuthorization.lifetime)
        return try await context.database.write { try SeenJTIs.remember(digest, until: end, on: $0) }
    }

    func seal(_ response: ProviderResponse, for state: String, now: Timestamp) throws -> String {
        try responses.seal(HeldResponse(response: response, state: Self.digest(of: state)), now: now)
    }

    /// An answer that was held; `nil` for one of another state.
    func open(_ held: String, for state: String, now: Timestamp) -> ProviderResponse? {
        guard let opened = responses.open(held, now: now), opened.state == Self.digest(of: state) else { return nil }
        return opened.response
    }

    private static func digest(of state: String) -> [UInt8] { Digests.of("provider-state", Array(state.utf8)) }
}
