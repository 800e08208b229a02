#if canImport(Security) && canImport(CryptoKit) && canImport(LocalAuthentication) && canImport(AuthenticationServices) && !os(tvOS)
    public import Foundation

    extension Wallet.Ports {
        /// The ports of an Apple device.
        /// - Parameters:
        ///   - service: the keychain service that separates these items from others of the app.
        ///   - accessGroup: the keychain access group that the app shares with its extensions; nil for the app alone.
        ///   - lockDirectory: a folder in the app group's container, where the app and its extensions keep each other
        ///     waiting; see ``KeychainStore/init(service:accessGroup:lockDirectory:)``.
        ///   - userAgent: how the person gets to the sign-in page.
        public static func apple(
            service: String, accessGroup: String? = nil, lockDirectory: URL? = nil,
            userAgent: any UserAgent = WebAuthenticationUserAgent()
        ) -> Wallet.Ports {
            let store = KeychainStore(service: service, accessGroup: accessGroup, lockDirectory: lockDirectory)
            return Wallet.Ports(
                transport: URLSessionTransport(), store: store, userAgent: userAgent, keys: keys(store),
                presence: DeviceOwnerPresence(), time: SystemTimeSource(), appleCredentials: appleCredentials)
        }

        /// The ports of this platform for a configuration.
        static func platform(for configuration: Wallet.Configuration) -> Wallet.Ports {
            apple(service: "wallet-auth.\(configuration.clientID)")
        }

        private static var appleCredentials: (any AppleCredentialStates)? {
            #if targetEnvironment(simulator)
                // A simulator calls everybody's credential revoked.
                nil
            #else
                AppleIDCredentialStates()
            #endif
        }

        private static func keys(_ store: KeychainStore) -> any DeviceKeys {
            #if targetEnvironment(simulator)
                // A simulator has no enclave of its own.
                SoftwareDeviceKeys(store: store, presence: DeviceOwnerPresence())
            #else
                SecureEnclaveKeys(store: store)
            #endif
        }
    }
#endif
