#if os(Linux)
    public import Foundation

    /// The browser that the person's desktop opens URLs with.
    public enum SystemBrowser {
        /// Opens a URL with `xdg-open`. Other users of the machine may see it among the running programs. They cannot redeem
        /// what it leads to without this device's verifier and key; but they can finish the sign-in as themselves, which is
        /// why ``LoopbackUserAgent`` takes its answer from programs of this user alone. A user agent of an app's own that
        /// opens URLs with this has to look to that as well.
        /// - Throws: ``UserAgentFailure`` of kind `unavailable` when there is no desktop or no `xdg-open`.
        public static func open(_ url: URL) async throws {
            let environment = ProcessInfo.processInfo.environment
            // Without a desktop, xdg-open starts a text browser in the terminal that belongs to the caller.
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
                // Not waited for: where no browser runs yet, xdg-open may last as long as the browser.
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
