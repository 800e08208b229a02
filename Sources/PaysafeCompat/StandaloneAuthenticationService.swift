import WalletAuth

extension Wallet {
    /// Sign-in on the app's own screens, where the server lets the app ask for the password itself.
    ///
    /// A second factor is asked for like the consent to an operation: the call fails with
    /// ``WalletError/scaRequired(authenticationEvent:errorID:)``, the event is verified through the ``AuthenticationService``, and
    /// the call is repeated with `scaDetails`. Such an event lives for ten minutes, in this process.
    public struct StandaloneAuthenticationService: Sendable {
        let wallet: Wallet

        /// Signs in with the password.
        /// - Parameters:
        ///   - clientIdentifier: the configured client id.
        ///   - brandIdentity: the brand; the server knows the client's own and does not need it.
        ///   - request: the user name and the password.
        ///   - scaDetails: the verified event, if the call is repeated.
        ///   - completion: receives the token, for ``Wallet/authenticate(_:completion:)``. The wallet keeps the session, and
        ///     renews it.
        public func loginWithPassword(
            clientIdentifier: String, brandIdentity: String, request: PasswordTokenRequest,
            scaDetails: SCAAuthenticationEventRequest? = nil, completion: @escaping Completion<TokenResponse>
        ) {
            wallet.call(completion) { connection in
                try await connection.logIn(request.username, of: clientIdentifier, repeating: scaDetails) {
                    try await $0.login(username: request.username, password: request.password.value)
                }
            }
        }

        /// Signs in with the PIN of the account, if the brand accepts one. It is not the PIN of a device.
        /// - Parameters:
        ///   - clientIdentifier: the configured client id.
        ///   - brandIdentity: the brand; the server knows the client's own and does not need it.
        ///   - request: the user name and the PIN.
        ///   - scaDetails: the verified event, if the call is repeated.
        ///   - completion: receives the token, as in
        ///     ``loginWithPassword(clientIdentifier:brandIdentity:request:scaDetails:completion:)``.
        public func loginWithPin(
            clientIdentifier: String, brandIdentity: String, request: PinTokenRequest,
            scaDetails: SCAAuthenticationEventRequest? = nil, completion: @escaping Completion<TokenResponse>
        ) {
            wallet.call(completion) { connection in
                try await connection.logIn(request.username, of: clientIdentifier, repeating: scaDetails) {
                    try await $0.login(username: request.username, accountPIN: request.pin.value)
                }
            }
        }
    }

    /// A user name and a password.
    public struct PasswordTokenRequest: Sendable {
        let username: String
        let password: Redacted

        /// Creates a request.
        /// - Parameters:
        ///   - username: the user name as typed.
        ///   - password: the password as typed; it is sent once and not stored.
        public init(username: String, password: String) {
            self.username = username
            self.password = Redacted(password)
        }
    }

    /// A user name and the PIN of its account.
    public struct PinTokenRequest: Sendable {
        let username: String
        let pin: Redacted

        /// Creates a request.
        /// - Parameters:
        ///   - username: the user name as typed.
        ///   - pin: the PIN as typed, 6 to 12 digits; it is sent once and not stored.
        public init(username: String, pin: String) {
            self.username = username
            self.pin = Redacted(pin)
        }
    }

    /// The token of a sign-in.
    public struct TokenResponse: Sendable {
        let token: AccessToken

        /// The access token. It is bound to this device's key: pass it to ``Wallet/authenticate(_:completion:)`` and nowhere else.
        public var accessToken: String { token.reveal() }
    }
}
