#if os(Linux)
    public import Foundation

    extension Wallet.Ports {
        /// The ports of a Linux machine, with everything kept in one folder.
        /// - Parameters:
        ///   - directory: the folder of an ``EncryptedFileStore``.
        ///   - userAgent: how the person gets to the sign-in page; by default the desktop's browser.
        public static func linux(
            directory: URL, userAgent: any UserAgent = LoopbackUserAgent()
        ) -> Wallet.Ports {
            let store = EncryptedFileStore(directory: directory)
            return Wallet.Ports(
                transport: URLSessionTransport(), store: store, userAgent: userAgent,
                keys: SoftwareDeviceKeys(store: store), presence: NoUserPresence(), time: SystemTimeSource())
        }

        /// The ports of this platform for a configuration. They keep everything below `$XDG_DATA_HOME/wallet-auth` (or
        /// `~/.local/share/wallet-auth`) in a folder named after the client.
        static func platform(for configuration: Wallet.Configuration) -> Wallet.Ports {
            linux(directory: dataDirectory.appendingPathComponent(SecureStoreKey(configuration.clientID).name))
        }

        /// Where programs keep what belongs to a person (XDG Base Directory Specification).
        private static var dataDirectory: URL {
            let configured = ProcessInfo.processInfo.environment["XDG_DATA_HOME"] ?? ""
            // The specification has a relative path ignored.
            let base =
                configured.hasPrefix("/")
                ? URL(fileURLWithPath: configured)
                : FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
            return base.appendingPathComponent("wallet-auth")
        }
    }
#endif
