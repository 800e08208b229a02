import Foundation
import WalletAuthTransport
public import WalletAuthWire

extension Wallet {
    /// The passkeys of the account, and signing in with one.
    public var passkeys: Passkeys { Passkeys(wallet: self) }

    /// Signs in with passkeys, and lists, adds and removes those of the signed-in account.
    ///
    /// On Apple devices the app needs the associated domain `webcredentials:` and the server's host; elsewhere, pass a
    /// ``PasskeyAuthenticator`` in ``Wallet/Ports``. Changes require what those of ``Wallet/Factors`` require, and always two
    /// factors. A new passkey counts as one factor for its first day.
    public struct Passkeys: Sendable {
        let wallet: Wallet

        /// Signs in with a passkey. It takes the place of password and second factor.
        /// - Parameters:
        ///   - username: the name that the account must have, as typed; nil for the account of the passkey that the person
        ///     picks.
        ///   - strength: the required strength.
        ///   - properties: what the server should record with the sign-in in its audit log.
        ///   - requestedAttributes: the names of attributes to return in addition to the default ones.
        /// - Returns: ``LoginOutcome``.
        /// - Throws: ``WalletError``: `cancelled_by_person` also if the device has no passkey for the server, or of `username`;
        ///   `invalid_credentials` for a passkey that was removed or is another person's; `passkeys_unavailable` …
        public func signIn(
            username: String? = nil, strength: LoginStrength = .asTheServerAsks, properties: [String: String] = [:],
            requestedAttributes: [String] = []
        ) async throws -> LoginOutcome {
            try await wallet.log.during(.loginByPasskey) {
                try await wallet.nativeLogin.begin(
                    passkeyOf: username, strength: strength,
                    extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes))
            }
        }

        /// Returns the account's passkeys that work at this server, the oldest first.
        /// - Throws: ``WalletError``.
        public func list() async throws -> [AccountFactorList.Passkey] {
            try await wallet.factors.list().factors.compactMap(\.passkey)
        }

        /// Has the person create a passkey on this device. The server notifies the account's owner.
        /// - Parameter name: the person's name for it; nil for a general one.
        /// - Returns: the passkey.
        /// - Throws: ``WalletError``: `cancelled_by_person`, `insufficient_user_authentication` if a stronger or more recent
        ///   sign-in is needed, `too_many_passkeys`, `passkeys_unavailable` …
        @discardableResult
        public func register(name: String? = nil) async throws -> AccountFactorList.Passkey {
            try await wallet.log.during(.changePasskeys) {
                let name = try WalletError.argument(.changePasskeys) { try name.map { try DeviceName($0) } }
                let (port, issuer) = (wallet.nativeLogin.passkeys, wallet.nativeLogin.enroller.issuer)
                _ = try Self.authenticator(port, for: issuer, .changePasskeys)
                let options = try PasskeyCreationOptions(
                    try await wallet.calls.send(
                        .post, Endpoints.accountPasskeyOptions.path, idempotencyKey: Randomness.token(),
                        during: .changePasskeys))
                let credential = try await Self.creation(options, by: port, of: issuer, during: .changePasskeys)
                // The server recognizes a repeated request by the passkey.
                return try AccountFactorList.Passkey(
                    try await wallet.calls.send(
                        .post, Endpoints.accountPasskeys.path,
                        PasskeyAddition(credential: credential, name: name).json, idempotencyKey: Randomness.token(),
                        during: .changePasskeys))
            }
        }

        /// Removes a passkey from the account. It stays on the person's devices, where it no longer opens anything.
        /// - Parameter id: from ``list()``.
        /// - Throws: ``WalletError``: `last_way_in` if it is the only way to sign in; `factor_not_found`,
        ///   `insufficient_user_authentication` …
        public func remove(_ id: PasskeyID) async throws {
            try await wallet.remove(.changePasskeys, Endpoints.accountPasskey.path(id), missing: .factorNotFound)
        }

        /// Has the person create a passkey for an issuer.
        static func creation(
            _ options: PasskeyCreationOptions, by port: (any PasskeyAuthenticator)?, of issuer: Issuer,
            during operation: WalletError.Operation
        ) async throws -> PasskeyRegistrationResponse {
            let authenticator = try authenticator(port, for: issuer, operation)
            try check(options.relyingPartyID, of: issuer, operation)
            let made = try await authenticator.create(
                PasskeyCreationRequest(
                    site: options.relyingPartyID, challenge: Data(options.challenge),
                    userHandle: Data(options.userHandle), userName: options.userName,
                    existing: options.exclude.map { Data($0.id) }))
            return PasskeyRegistrationResponse(
                id: Array(made.id), clientData: Array(made.clientData), attestationObject: Array(made.attestationObject)
            )
        }

        /// Has the person use a passkey of an issuer.
        /// - Parameter name: whose it must be, as typed; nil for anyone's.
        static func assertion(
            _ options: PasskeyRequestOptions, by port: (any PasskeyAuthenticator)?, of issuer: Issuer,
            named name: String? = nil, during operation: WalletError.Operation
        ) async throws -> PasskeyAssertionResponse {
            let authenticator = try authenticator(port, for: issuer, operation)
            try check(options.relyingPartyID, of: issuer, operation)
            let used = try await authenticator.use(
                PasskeyUseRequest(
                    site: options.relyingPartyID, challenge: Data(options.challenge), userName: name))
            return PasskeyAssertionResponse(
                id: Array(used.id), clientData: Array(used.clientData),
                authenticatorData: Array(used.authenticatorData), signature: Array(used.signature),
                userHandle: Array(used.userHandle))
        }

        /// An app may be associated with several sites. A server must not get what another one could be given: signatures for its own
        /// host alone.
        private static func check(
            _ site: String, of issuer: Issuer, _ operation: WalletError.Operation
        ) throws(WalletError) {
            let host = issuer.host.lowercased()
            guard site == host else {
                throw WalletError(
                    .malformedAnswer, .misconfigured, during: operation, reachedServer: true,
                    reason: "the server asks for a passkey of \(site), although its own host is \(host)")
            }
        }

        /// Checked before anything is asked for: no other answer of the server or the person could help.
        static func authenticator(
            _ port: (any PasskeyAuthenticator)?, for issuer: Issuer, _ operation: WalletError.Operation
        ) throws(WalletError) -> any PasskeyAuthenticator {
            guard PasskeyRelyingParty(issuer: issuer) != nil else {
                throw WalletError(
                    .passkeysUnavailable, .misconfigured, during: operation,
                    reason: "passkeys need a host name, not \(issuer.host)")
            }
            guard let port else {
                throw WalletError(
                    .passkeysUnavailable, .misconfigured, during: operation,
                    reason: "this platform has no passkeys of its own: pass a PasskeyAuthenticator in the ports")
            }
            return port
        }
    }
}
