#if os(Linux)
    public import Foundation
    import WalletAuth

    /// The default browser of the person's desktop.
    public enum SystemBrowser {
        /// Opens a URL with `xdg-open`.
        ///
        /// Other users of the machine may see the URL in the process list. They cannot redeem the code without this
        /// device's verifier and key, but they can complete the sign-in with their own account. That is why
        /// ``LoopbackUserAgent`` accepts answers only from programs of this user. A custom user agent that uses this
        /// function must do the same.
        ///
        /// The URL of a step-up carries an ID token as a hint. It opens nothing, but shows the id of the person.
        /// - Parameter url: the URL to open.
        /// - Throws: `UserAgentFailure` of kind `unavailable` if there is no desktop or no `xdg-open`.
        public static func open(_ url: URL) async throws {
            try open(url, in: ProcessInfo.processInfo.environment)
        }

        /// Opens a URL or, if there is no desktop or no browser, prints it with a sentence that says so. Then says that
        /// the program waits, and what to correct if the page shows an error, which the program does not learn.
        ///
        /// For programs that people start in a terminal, also over SSH or in a container. The sentences go to standard error.
        /// - Parameter url: the URL to open.
        public static func openOrPrint(_ url: URL) async {
            openOrPrint(url, in: ProcessInfo.processInfo.environment) { sentence in
                FileHandle.standardError.write(Data((sentence + "\n").utf8))
            }
        }

        static func openOrPrint(_ url: URL, in environment: [String: String], say: (String) -> Void) {
            do { try open(url, in: environment) } catch {
                say("No browser was opened: \(error.reason). Open this page on this machine: \(url.absoluteString)")
            }
            say(
                "Waiting for the browser. If the page shows an error, correct the client id, the redirect URI or the "
                    + "scopes.")
        }

        private static func open(_ url: URL, in environment: [String: String]) throws(UserAgentFailure) {
            // Without a desktop, xdg-open would start a text browser in the caller's terminal.
            guard ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains(where: { environment[$0]?.isEmpty == false })
            else {
                throw UserAgentFailure(.unavailable, reason: "there is no desktop to open a browser on")
            }
            guard let program = find("xdg-open", in: environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin") else {
                throw UserAgentFailure(.unavailable, reason: "xdg-open is not installed (Debian: xdg-utils)")
            }
            let process = Process()
            process.executableURL = program
            process.arguments = [url.absoluteString]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            do {
                // Not awaited: if no browser is running yet, xdg-open may run as long as the browser.
                try process.run()
            } catch {
                throw UserAgentFailure(.unavailable, reason: "xdg-open could not be started")
            }
        }

        private static func find(_ program: String, in path: String) -> URL? {
            path.split(separator: ":").lazy.filter { $0.hasPrefix("/") }
                .map { URL(fileURLWithPath: String($0)).appendingPathComponent(program) }
                .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        }
    }
#endif
