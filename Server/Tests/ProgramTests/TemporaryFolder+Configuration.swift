@testable import walletauth

extension TemporaryFolder {
    /// The flags of a server whose database lies here and that listens on a free port.
    func flags(_ arguments: [String]) throws -> SettingFlags {
        try SettingFlags(
            taking: Settings.all, from: ["--database", "sqlite:\(path("walletauth.db"))", "--port", "0"] + arguments)
    }

    /// What such a server is configured to.
    func read(
        _ arguments: [String], for purpose: ServerConfiguration.Purpose = .serving
    ) async throws -> (ServerConfiguration, faults: [Fault]) {
        await ServerConfiguration.readLeniently(for: purpose, flags: try flags(arguments), environment: [:])
    }
}
