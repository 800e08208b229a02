internal import AuthCore
internal import AuthStore
internal import Crypto
internal import WalletAuthWire

/// What passkeys sign over: a sealed word about what it is for. Nothing is stored when it is made; it comes back inside the
/// client data, and is remembered in the write of what it was used for, so that it serves once.
struct PasskeyChallenges: Sendable {
    let context: ServerContext

    /// What a challenge is for. One that was made for anything else does not open.
    enum Use: Sendable, Hashable {
        /// Signing in, in the browser that was served the page: a digest of its binding cookie.
        case signIn(browser: [UInt8])
        /// A new passkey of an account, by one sign-in on the account's page.
        case registration(account: UniqueID, session: UniqueID)
        /// Agreeing to one operation, in the browser that was shown it.
        case consent(PasskeyConsent)

        fileprivate var digest: [UInt8] {
            switch self {
            case .signIn(let browser): Digests.of("passkey-sign-in", browser)
            case .registration(let account, let session):
                Digests.of("passkey-registration", account.bytes + session.bytes)
            // Each part has its one length.
            case .consent(let consent):
                Digests.of(
                    "passkey-consent",
                    consent.browser + Array((consent.eventID.rawValue + consent.payloadHash.rawValue).utf8))
            }
        }

        /// The challenge that a sealed word becomes. That of a consent names what it is for in the open as well, so that others
        /// can hold the signature against the operation later.
        fileprivate func challenge(_ sealed: [UInt8]) -> [UInt8] {
            if case .consent(let consent) = self { consent.challenge(sealed) } else { sealed }
        }

        /// The sealed word in a challenge; `nil` for one that was made for something else in the open.
        fileprivate func sealed(in challenge: [UInt8]) -> [UInt8]? {
            if case .consent(let consent) = self { consent.random(of: challenge) } else { challenge }
        }
    }

    private struct Content: Codable, Sendable {
        var use: String
    }

    /// As long as the page that carries it.
    static let lifetime = PageState.lifetime

    private var states: SealedState<Content> {
        SealedState(context: context, purpose: .page, label: "passkey-challenge", lifetime: Self.lifetime)
    }

    /// Makes a challenge; no two are alike, since each is sealed under a random number of its own.
    func issue(_ use: Use, now: Timestamp) throws -> [UInt8] {
        let sealed = try states.seal(Content(use: Base64URL.encode(use.digest)), now: now)
        guard let word = Base64URL.decode(sealed) else { throw SourceFailure() }
        return use.challenge(word)
    }

    /// A challenge that came back, and was made for exactly this and not too long ago.
    struct Opened: Sendable {
        /// Its bytes.
        let bytes: [UInt8]
        fileprivate let end: Timestamp

        /// Uses it up.
        /// - Returns: whether nobody used it before; `false` refuses what it was for.
        func use(on connection: any SQLConnection) throws -> Bool {
            try SeenJTIs.remember(Digests.of("passkey-challenge", bytes), until: end, on: connection)
        }
    }

    /// Opens a challenge; `nil` for one that is not ours, is too old, or was made for something else.
    func open(_ challenge: [UInt8], for use: Use, now: Timestamp) -> Opened? {
        guard let sealed = use.sealed(in: challenge), let content = states.open(Base64URL.encode(sealed), now: now),
            ConstantTime.equal(Base64URL.decode(content.use) ?? [], use.digest)
        else { return nil }
        return Opened(bytes: challenge, end: now + Self.lifetime)
    }
}

extension ServerContext {
    /// The site that passkeys are made for; `nil` where the issuer's host is an address, for which no browser makes any.
    var passkeyParty: PasskeyRelyingParty? { PasskeyRelyingParty(issuer: settings.issuer) }
}
