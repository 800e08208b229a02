import ArgumentParser
import Foundation
import Hummingbird
import HummingbirdCore
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

/// Serves until it receives a signal to stop.
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
            "The URL at which apps reach this backend, in front of any proxy. Their tokens and proofs name it.",
            valueName: "url"))
    var externalUrl: String?

    @Option(
        help: ArgumentHelp(
            "Open the shop at /shop, with the server's audit keys: a file with the output of `walletauth audit key`.",
            valueName: "file"))
    var shopAuditKeys: String?

    func run() async throws {
        let (issuer, credential) = try server.client(over: .payments)
        let operations = WalletOperations(issuer: issuer, credential: credential)
        let url = try externalURL()
        var settings = AccessTokenVerifier.Settings()
        // Nonces, so that proofs cannot be created in advance. Several processes would share ProofNonces(secret:) and a
        // proof memory.
        settings.nonces = .ofThisProcess()
        settings.metadata = try Backend.metadata()
        let verifier = AccessTokenVerifier(
            issuer: operations.issuer, audience: url.rawValue, externalURL: url, settings: settings)
        let logger = Logger(label: "wallet-backend") { StreamLogHandler.standardError(label: $0) }
        do { try await operations.issuer.prepare() } catch {
            // The server may start later: until then every request gets a 503.
            logger.warning(
                "the authorization server cannot be reached", metadata: ["reason": "\(error.reason)"])
        }
        try await Self.checkCredential(of: operations, logger)
        let ledger = try money.ledger()
        var checkout: Checkout?
        if let shopAuditKeys {
            let (issuer, credential) = try server.client(over: .shop)
            checkout = try await Self.checkout(
                WalletTransactions(issuer: issuer, credential: credential),
                auditKeys: Evidence.keys(in: shopAuditKeys), ledger, logger)
        }
        let backend = Backend(
            verifier: verifier, operations: operations, ledger: ledger,
            shop: checkout.map { ShopEndpoints(ledger: ledger, checkout: $0, url: url) })
        let application = Application(
            router: try backend.router(),
            server: HTTPServerBuilder { ClosingListener(base: HTTP1Channel(responder: $0)) },
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { _ in
                FileHandle.standardOutput.write(Data("wallet-backend ready at \(url.rawValue)\n".utf8))
            },
            logger: logger)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if let checkout { group.addTask { await Self.settle(checkout, logger) } }
                try await application.runService()
                group.cancelAll()
            }
        } catch let error as IOError where [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.errnoCode) {
            throw Unusable(
                reason: "\(host) port \(port) cannot be used: \(String(cString: strerror(error.errnoCode))); "
                    + "use another --port or --host")
        }
    }

    /// Checks the client's credential now. Otherwise an invalid one would show at the first transfer.
    private static func checkCredential(of operations: WalletOperations, _ logger: Logger) async throws {
        do { try await operations.prepare() } catch {
            guard error.code == .credentialRefused else {
                logger.warning("this backend's client could not be checked", metadata: ["reason": "\(error.reason)"])
                return
            }
            let id = operations.clientID
            throw Unusable(
                reason:
                    "\(operations.issuer.issuer) does not accept the client \(id) (\(error.reason)): check --client-id and "
                    + "its secret, and that the client is confidential and has the scope \(WalletOperations.scope) "
                    + "(walletauth client show \(id))")
        }
    }

    private static func checkout(
        _ transactions: WalletTransactions, auditKeys: JWKSet, _ ledger: Ledger, _ logger: Logger
    ) async throws -> Checkout {
        do { try await transactions.prepare() } catch {
            if error.cause == .credentialRefused {
                throw Unusable(
                    reason: "the shop cannot open (\(error.reason)): grant the client the scope "
                        + "\(WalletTransactions.scope), or omit --shop-audit-keys")
            }
            logger.warning("the shop's client could not be checked", metadata: ["reason": "\(error.reason)"])
        }
        return try Checkout(ledger: ledger, transactions: transactions, auditKeys: auditKeys, logger: logger)
    }

    /// Ends purchases whose pages are closed, until the task is cancelled.
    private static func settle(_ checkout: Checkout, _ logger: Logger) async {
        do { try await checkout.proveAgain() } catch {
            logger.warning("unproved purchases could not be checked", metadata: ["error": "\(error)"])
        }
        while !Task.isCancelled {
            do { try await checkout.settleAll() } catch {
                if !Task.isCancelled {
                    logger.warning("purchases could not be settled", metadata: ["error": "\(error)"])
                }
            }
            try? await Task.sleep(for: .seconds(5))
        }
    }

    private func externalURL() throws -> WebURL {
        do {
            return try WebURL(externalUrl ?? "http://\(host):\(port)")
        } catch {
            throw Unusable(reason: "\(error); use --external-url with https or, on this machine, http")
        }
    }
}
