import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import WalletAuthVerifier
import WalletAuthWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Serves until it is told to stop.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve until SIGTERM or SIGINT.",
        discussion: """
            Prints one line with its URL when it is ready. Clients name that URL as the resource of their tokens \
            (walletauth client create --resource URL).
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var money: LedgerOptions

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("The port to listen on.", valueName: "port"))
    var port = 8800

    @Option(
        help: ArgumentHelp(
            "Where apps reach this backend, behind whatever proxy: what their tokens and proofs are made for.",
            valueName: "url"))
    var externalUrl: String?

    func run() async throws {
        let operations = try server.operations()
        let url = try externalURL()
        var settings = AccessTokenVerifier.Settings()
        // No proof can be made ahead of its time. Several processes would share ProofNonces(secret:) and a proof memory.
        settings.nonces = .ofThisProcess()
        let verifier = AccessTokenVerifier(
            issuer: operations.issuer, audience: url.rawValue, externalURL: url, settings: settings)
        let logger = Logger(label: "wallet-backend") { StreamLogHandler.standardError(label: $0) }
        do { try await operations.issuer.prepare() } catch {
            // It may come up later: until then every request is answered by 503.
            logger.warning(
                "the authorization server cannot be reached", metadata: ["reason": "\(error.reason)"])
        }
        try await Self.checkCredential(of: operations, logger)
        let backend = Backend(verifier: verifier, operations: operations, ledger: try money.ledger())
        let application = Application(
            router: try backend.router(),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { _ in
                FileHandle.standardOutput.write(Data("wallet-backend ready at \(url.rawValue)\n".utf8))
            },
            logger: logger)
        do {
            try await application.runService()
        } catch let error as IOError where [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.errnoCode) {
            throw Unusable(
                reason: "\(host) port \(port) cannot be listened on: \(String(cString: strerror(error.errnoCode))); "
                    + "give another --port or --host")
        }
    }

    /// A credential that is not taken would show at the first transfer, by somebody who waits to pay.
    private static func checkCredential(of operations: WalletOperations, _ logger: Logger) async throws {
        do { try await operations.prepare() } catch {
            guard error.code == .credentialRefused else {
                logger.warning("this backend's client could not be checked", metadata: ["reason": "\(error.reason)"])
                return
            }
            let id = operations.clientID
            throw Unusable(
                reason:
                    "\(operations.issuer.issuer) does not take the client \(id) (\(error.reason)): check --client-id and "
                    + "its secret, and that it is confidential with the scope \(WalletOperations.scope) "
                    + "(walletauth client show \(id))")
        }
    }

    private func externalURL() throws -> WebURL {
        do {
            return try WebURL(externalUrl ?? "http://\(host):\(port)")
        } catch {
            throw Unusable(reason: "\(error); give --external-url, https or http on this very machine")
        }
    }
}
