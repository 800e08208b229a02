package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// The challenges that passkeys sign: sealed text about their purpose. Nothing is stored when one is issued. It comes back in the
/// client data and is recorded in the write of its purpose, so that it works once.
package struct PasskeyChallenges: Sendable {
    private let sealing: SealingKeys

    package init(_ sealing: SealingKeys) { self.sealing = sealing }

    private func states(for use: Use) -> SealedState<Content> {
        SealedState(sealing, purpose: .page, label: use.label, lifetime: use.lifetime)
    }

    /// The purpose of a challenge. For another purpose it does not open.
    package enum Use: Sendable, Hashable {
        /// A sign-in in the browser that got the page, identified by a digest of its binding cookie.
        case signIn(browser: [UInt8])
        /// A new passkey of an account, by one sign-in on the account's page.
        case registration(account: UniqueID, session: UniqueID)
        /// The passkey of an account that does not exist yet, in the browser whose newcomer proved an address. The browser is identified
        /// by a digest of its binding cookie.
        case newcomer(account: UniqueID, browser: [UInt8])
        /// The same in an app, by the DPoP key of its sign-in.
        case newcomerInApp(account: UniqueID, client: ClientID, key: JWKThumbprint)
        /// Consent to one operation in the browser that showed it.
        case consent(PasskeyConsent)
        /// One sign-in in an app, by its DPoP key and PKCE challenge.
        case app(client: ClientID, key: JWKThumbprint, challenge: CodeChallenge)

        /// A hosted page can be open for an hour. An app asks at the moment of use.
        fileprivate var lifetime: Duration { isInApp ? .minutes(5) : PasskeyChallenges.lifetime }

        /// A challenge of one lifetime does not open as one of another.
        fileprivate var label: String { isInApp ? "passkey-app-challenge" : "passkey-challenge" }

        private var isInApp: Bool {
            switch self {
            case .app, .newcomerInApp: true
            case .signIn, .registration, .newcomer, .consent: false
            }
        }

        fileprivate var digest: [UInt8] {
            switch self {
            case .signIn(let browser): Digests.of("passkey-sign-in", browser)
            case .registration(let account, let session):
                Digests.of("passkey-registration", account.bytes + session.bytes)
            case .newcomer(let account, let browser): Digests.of("passkey-newcomer", account.bytes + browser)
            // Account and thumbprint have a fixed length.
            case .newcomerInApp(let account, let client, let key):
                Digests.of("passkey-newcomer-in-app", account.bytes + Array((key.rawValue + client.rawValue).utf8))
            // Each part has a fixed length.
            case .consent(let consent):
                Digests.of(
                    "passkey-consent",
                    consent.browser + Array((consent.eventID.rawValue + consent.payloadHash.rawValue).utf8))
            // Thumbprint and PKCE challenge have a fixed length.
            case .app(let client, let key, let challenge):
                Digests.of("passkey-app", Array((key.rawValue + challenge.rawValue + client.rawValue).utf8))
            }
        }

        /// The challenge for a sealed text. For a consent it also contains the purpose unsealed, so that others can verify the signature
        /// against the operation later.
        fileprivate func challenge(_ sealed: [UInt8]) -> [UInt8] {
            if case .consent(let consent) = self { consent.challenge(sealed) } else { sealed }
        }

        /// The sealed text in a challenge; `nil` if its unsealed purpose differs.
        fileprivate func sealed(in challenge: [UInt8]) -> [UInt8]? {
            if case .consent(let consent) = self { consent.random(of: challenge) } else { challenge }
        }
    }

    private struct Content: Codable, Sendable {
        var use: String
    }

    /// As long as a hosted page that contains one.
    package static let lifetime = Duration.hours(1)

    /// Issues a challenge. Each is unique, because it is sealed with a fresh nonce.
    package func issue(_ use: Use, now: Timestamp) throws -> [UInt8] {
        let sealed = try states(for: use).seal(Content(use: Base64URL.encode(use.digest)), now: now)
        guard let word = Base64URL.decode(sealed) else { throw InvariantViolation() }
        return use.challenge(word)
    }

    /// A returned challenge that has the right purpose and has not expired.
    package struct Opened: Sendable {
        let bytes: [UInt8]
        fileprivate let end: Timestamp

        /// Whether it was used.
        func isUsed(at now: Timestamp, on connection: any SQLConnection) throws -> Bool {
            try SeenJTIs.contains(digest, now: now, on: connection)
        }

        private var digest: [UInt8] { Digests.of("passkey-challenge", bytes) }

        /// Uses it up.
        /// - Returns: `false` if it was used before; the caller must then refuse.
        package func use(on connection: any SQLConnection) throws -> Bool {
            try SeenJTIs.remember(digest, until: end, on: connection)
        }
    }

    /// Opens a challenge; `nil` if it is forged, expired, or has another purpose.
    package func open(_ challenge: [UInt8], for use: Use, now: Timestamp) -> Opened? {
        guard let sealed = use.sealed(in: challenge),
            let content = states(for: use).open(Base64URL.encode(sealed), now: now),
            ConstantTime.equal(Base64URL.decode(content.use) ?? [], use.digest)
        else { return nil }
        return Opened(bytes: challenge, end: now + use.lifetime)
    }
}

extension ServerContext {
    /// The relying party of passkeys; `nil` if the issuer's host is an IP address, for which browsers create none.
    package var passkeyParty: PasskeyRelyingParty? { PasskeyRelyingParty(issuer: settings.issuer) }
}
