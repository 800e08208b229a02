extension Wallet {
    /// Everything that touches the outside, in one place.
    ///
    /// A configuration without ports gets the platform's own. Pass ports to replace one of them; tests pass those of
    /// WalletAuthTesting.
    public struct Ports: Sendable {
        /// Sends requests.
        public var transport: any HTTPTransport
        /// Keeps the session.
        public var store: any SecureStore
        /// Shows the sign-in page.
        public var userAgent: any UserAgent
        /// Makes and uses keys.
        public var keys: any DeviceKeys
        /// Asks for presence.
        public var presence: any UserPresence
        /// Tells the time.
        public var time: any TimeSource
        /// Asks Apple about sessions that came by Sign in with Apple; nil where nobody can be asked.
        public var appleCredentials: (any AppleCredentialStates)?

        /// Names every port.
        /// - Parameters:
        ///   - transport: sends requests.
        ///   - store: keeps the session.
        ///   - userAgent: shows the sign-in page.
        ///   - keys: makes and uses keys.
        ///   - presence: asks for presence.
        ///   - time: tells the time.
        ///   - appleCredentials: asks Apple about sessions that came by Sign in with Apple.
        public init(
            transport: any HTTPTransport, store: any SecureStore, userAgent: any UserAgent, keys: any DeviceKeys,
            presence: any UserPresence, time: any TimeSource, appleCredentials: (any AppleCredentialStates)? = nil
        ) {
            self.transport = transport
            self.store = store
            self.userAgent = userAgent
            self.keys = keys
            self.presence = presence
            self.time = time
            self.appleCredentials = appleCredentials
        }
    }
}
