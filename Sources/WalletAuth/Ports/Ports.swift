extension Wallet {
    /// Everything that touches the outside, in one place.
    ///
    /// The platform's own are made by `Ports.platform(for:)`, which each platform's folder declares; tests pass those of
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

        /// Names every port.
        public init(
            transport: any HTTPTransport, store: any SecureStore, userAgent: any UserAgent, keys: any DeviceKeys,
            presence: any UserPresence, time: any TimeSource
        ) {
            self.transport = transport
            self.store = store
            self.userAgent = userAgent
            self.keys = keys
            self.presence = presence
            self.time = time
        }
    }
}
