#if os(Linux)
    public import Foundation

    extension Wallet.Ports {
        /// The ports of a Linux machine, with everything stored in one folder.
        /// - Parameters:
        ///   - directory: the folder of an ``EncryptedFileStore``.
        ///   - userAgent: shows the sign-in page: for the desktop's browser, `LoopbackUserAgent` of the product
        ///     WalletAuthLoopback.
        public static func linux(directory: URL, userAgent: any UserAgent = NoUserAgent()) -> Wallet.Ports {
            let store = EncryptedFileStore(directory: directory)
            return Wallet.Ports(
                transport: URLSessionTransport(), store: store, userAgent: userAgent,
                keys: SoftwareDeviceKeys(store: store), presence: NoUserPresence(), time: SystemTimeSource())
        }

        /// The ports of a Linux machine. They store everything below `$XDG_DATA_HOME/wallet-auth` (or
        /// `~/.local/share/wallet-auth`) in a folder named after the client.
        /// - Parameters:
        ///   - clientID: the ``Wallet/Configuration/clientID`` of the configuration.
        ///   - userAgent: as in ``linux(directory:userAgent:)``.
        public static func linux(clientID: String, userAgent: any UserAgent = NoUserAgent()) -> Wallet.Ports {
            linux(
                directory: dataDirectory.appendingPathComponent(SecureStoreKey(clientID).name), userAgent: userAgent)
        }

        /// The default ports of this platform.
        static func platform(for configuration: Wallet.Configuration) -> Wallet.Ports {
            linux(clientID: configuration.clientID)
        }

        /// The base directory for user data (XDG Base Directory Specification).
        private static var dataDirectory: URL {
            let environment = ProcessInfo.processInfo.environment
            // The specification says to ignore a relative path.
            func folder(_ variable: String) -> URL? {
                environment[variable].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
            }
            // Foundation knows only the system's list of users, and not $HOME.
            let home = folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser
            let base = folder("XDG_DATA_HOME") ?? home.appendingPathComponent(".local/share")
            return base.appendingPathComponent("wallet-auth")
        }
    }
#endif
