import WalletAuthWire

@testable import Kernel
@testable import Operations

extension TestServer {
    /// The next process of the server, under another issuer that its operator gave the database.
    package func moved(to issuer: String) async throws -> TestServer {
        // As the first process did when it began to serve.
        _ = try await PinnedIssuer.establish(context.settings.issuer, in: context.database)
        try await administer(["database", "change-issuer", issuer])
        let next = try Issuer(issuer)
        return try await restarted { $0.issuer = next }
    }
}
