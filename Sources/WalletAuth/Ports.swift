extension Wallet {
    /// The SDK's connections to the outside world.
    ///
    /// A configuration without ports uses the platform's. Pass ports to replace some of them; tests pass those of
    /// WalletAuthTesting.
    public struct Ports: Sendable {
        /// Sends requests.
        public var transport: any HTTPTransport
        /// Stores the session.
        public var store: any SecureStore
        /// Shows the sign-in page.
        public var userAgent: any UserAgent
        /// Creates and uses keys.
        public var keys: any DeviceKeys
        /// Checks for the device's owner.
        public var presence: any UserPresence
        /// Provides the time.
        public var time: any TimeSource
        /// Asks Apple about sessions opened with Sign in with Apple; nil if Apple cannot be asked.
        public var appleCredentials: (any AppleCredentialStates)?
        /// Has the platform say which app this is; nil if it cannot.
        public var appAttester: (any AppAttester)?
        /// Creates and uses passkeys; nil if this device has none.
        public var passkeys: (any PasskeyAuthenticator)?
        /// Has the app's backend vouch for this instance; nil if the server does not ask for that.
        public var clientAttester: (any ClientAttester)?

        /// Creates a set of ports.
        /// - Parameters:
        ///   - transport: sends requests.
        ///   - store: stores the session.
        ///   - userAgent: shows the sign-in page.
        ///   - keys: creates and uses keys.
        ///   - presence: checks for the device's owner.
        ///   - time: provides the time.
        ///   - appleCredentials: asks Apple about sessions opened with Sign in with Apple.
        ///   - appAttester: has the platform say which app this is.
        ///   - passkeys: creates and uses passkeys.
        ///   - clientAttester: has the app's backend vouch for this instance.
        public init(
            transport: any HTTPTransport, store: any SecureStore, userAgent: any UserAgent, keys: any DeviceKeys,
            presence: any UserPresence, time: any TimeSource, appleCredentials: (any AppleCredentialStates)? = nil,
            appAttester: (any AppAttester)? = nil, passkeys: (any PasskeyAuthenticator)? = nil,
            clientAttester: (any ClientAttester)? = nil
        ) {
            self.transport = transport
            self.store = store
            self.userAgent = userAgent
            self.keys = keys
            self.presence = presence
            self.time = time
            self.appleCredentials = appleCredentials
            self.appAttester = appAttester
            self.passkeys = passkeys
            self.clientAttester = clientAttester
        }
    }
}
