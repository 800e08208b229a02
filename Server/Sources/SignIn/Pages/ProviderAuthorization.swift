internal import Core
internal import Foundation
internal import Kernel
internal import WalletAuthWire

/// The state of a redirect to a provider. It travels as the `state` parameter, sealed, bound to the browser, and single-use.
struct ProviderAuthorization: Codable, Sendable {
    /// The provider. ``registration`` also pins its settings, so that a later provider of the same name gets none of its responses.
    var provider: ProviderID
    /// See ``IdentityProvider/registration()``.
    var registration: Data
    /// 32 random bytes. Nonce and verifier are digests of them; neither reveals the other or these bytes.
    var secret: Data
    /// The earliest acceptable time of the sign-in at the provider; `nil` if an older session is enough.
    var freshSince: Timestamp?
    /// The state of the page that the person left.
    var page: PageState

    static let lifetime = ProviderResponseMethod.patience

    /// The nonce that the ID token must contain.
    var nonce: Nonce { get throws { try Nonce(Base64URL.encode(digest("provider-nonce"))) } }

    var verifier: CodeVerifier {
        get throws { try CodeVerifier(Base64URL.encode(digest("provider-verifier"))) }
    }

    /// The key that marks this authorization as used.
    var digest: [UInt8] { digest("provider-authorization") }

    private func digest(_ label: String) -> [UInt8] { Digests.of(label, Array(secret)) }
}

/// Seals the state of redirects to providers and accepts their responses.
struct ProviderAuthorizations: Sendable {
    let sealing: SealingKeys

    /// A state opens only at the callback it was sealed for, so that one provider's response is never taken for another's.
    private func states(of callback: ProviderCallback) -> SealedState<ProviderAuthorization> {
        SealedState(
            sealing, purpose: .page,
            label: "provider-authorization|\(callback.brand.rawValue)|\(callback.provider.rawValue)",
            lifetime: ProviderAuthorization.lifetime)
    }

    /// Responses that arrived without cookies, held until the browser returns with them.
    private var responses: SealedState<HeldResponse> {
        SealedState(sealing, purpose: .page, label: "provider-response", lifetime: .minutes(2))
    }

    private struct HeldResponse: Codable, Sendable {
        var response: ProviderResponse
        /// A digest of the `state` that came with the response.
        var state: [UInt8]
    }

    func seal(_ authorization: ProviderAuthorization, for callback: ProviderCallback, now: Timestamp) throws -> String {
        try states(of: callback).seal(authorization, now: now)
    }

    /// - Returns: `nil` for an invalid state, or one that belongs to another provider or brand.
    func open(_ state: String, at callback: ProviderCallback, now: Timestamp) -> ProviderAuthorization? {
        states(of: callback).open(state, now: now)
    }

    func seal(_ response: ProviderResponse, for state: String, now: Timestamp) throws -> String {
        try responses.seal(HeldResponse(response: response, state: Self.digest(of: state)), now: now)
    }

    /// Opens a held response; `nil` if it belongs to another state.
    func open(_ held: String, for state: String, now: Timestamp) -> ProviderResponse? {
        guard let opened = responses.open(held, now: now), opened.state == Self.digest(of: state) else { return nil }
        return opened.response
    }

    private static func digest(of state: String) -> [UInt8] { Digests.of("provider-state", Array(state.utf8)) }
}
