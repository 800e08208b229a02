#if canImport(Security) && canImport(CryptoKit) && canImport(LocalAuthentication) && canImport(AuthenticationServices) && canImport(DeviceCheck) && !os(tvOS)
    public import Foundation

    extension Wallet.Ports {
        /// The ports of an Apple device, for an app that shares its session with no extension.
        /// - Parameters:
        ///   - service: the keychain service that separates these items from the app's other items.
        ///   - userAgent: shows the sign-in page.
        public static func apple(
            service: String, userAgent: any UserAgent = WebAuthenticationUserAgent()
        ) -> Wallet.Ports {
            apple(KeychainStore(service: service), userAgent)
        }

        /// The ports of an Apple device, for an app and its extensions. All of them pass the same values, so that they have
        /// one session and renew it one at a time.
        /// - Parameters:
        ///   - service: the keychain service that separates these items from the app's other items.
        ///   - accessGroup: the keychain access group that they share, `TEAMID.name`.
        ///   - lockDirectory: a folder in the app group's container, through which they lock each other out; see
        ///     ``KeychainStore/init(service:accessGroup:lockDirectory:)``.
        ///   - userAgent: shows the sign-in page.
        public static func apple(
            service: String, accessGroup: String, lockDirectory: URL,
            userAgent: any UserAgent = WebAuthenticationUserAgent()
        ) -> Wallet.Ports {
            apple(
                KeychainStore(service: service, accessGroup: accessGroup, lockDirectory: lockDirectory), userAgent)
        }

        private static func apple(_ store: KeychainStore, _ userAgent: any UserAgent) -> Wallet.Ports {
            Wallet.Ports(
                transport: URLSessionTransport(), store: store, userAgent: userAgent, keys: keys(store),
                presence: DeviceOwnerPresence(), time: SystemTimeSource(), appleCredentials: appleCredentials,
                appAttester: DeviceCheckAttester(), passkeys: passkeys)
        }

        private static var passkeys: (any PasskeyAuthenticator)? {
            #if os(watchOS)
                nil
            #else
                PasskeySheet()
            #endif
        }

        /// The default ports of this platform.
        static func platform(for configuration: Wallet.Configuration) -> Wallet.Ports {
            apple(service: "wallet-auth.\(configuration.clientID)")
        }

        private static var appleCredentials: (any AppleCredentialStates)? {
            #if targetEnvironment(simulator)
                // A simulator reports every credential as revoked.
                nil
            #else
                AppleIDCredentialStates()
            #endif
        }

        private static func keys(_ store: KeychainStore) -> any DeviceKeys {
            #if targetEnvironment(simulator)
                // A simulator has no Secure Enclave.
                SoftwareDeviceKeys(store: store, presence: DeviceOwnerPresence())
            #else
                SecureEnclaveKeys(store: store)
            #endif
        }
    }
#endif
