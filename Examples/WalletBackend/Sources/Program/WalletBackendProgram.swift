import ArgumentParser
import Foundation
import WalletAuthVerifier
import WalletAuthWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A small wallet backend: balances, payees, and transfers with the payer's consent.
@main
struct WalletBackendProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wallet-backend",
        abstract: "An example wallet backend, built on the library WalletAuthVerifier.",
        subcommands: [Serve.self, Evidence.self, PurchaseCommand.self, Check.self])

    static func main() async {
        // The files are readable for their owner only, from the start.
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as Unusable {
            end(failure.reason)
        } catch let fault as LedgerFault {
            end(fault.reason)
        } catch {
            exit(withError: error)
        }
    }

    private static func end(_ reason: String) -> Never {
        FileHandle.standardError.write(Data("wallet-backend: \(reason)\n".utf8))
        exit(withError: ExitCode.failure)
    }
}

/// An error that keeps a command from running, with advice.
struct Unusable: Error {
    let reason: String
}

/// The location of the ledger.
struct LedgerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The ledger's SQLite file.", valueName: "file"))
    var database = "wallet-backend.db"

    @Option(
        help: ArgumentHelp("The opening balance of each new wallet, for a sandbox.", valueName: "amount"))
    var openingBalance = "1000.00"

    @Option(help: ArgumentHelp("The currency of all accounts (ISO 4217).", valueName: "code"))
    var currency = "EUR"

    func ledger() throws -> Ledger {
        do {
            return try Ledger(path: database, opening: try opening())
        } catch let fault as MalformedValue {
            throw Unusable(
                reason: "\(fault); use, for example, --opening-balance 1000.00 --currency EUR")
        }
    }

    private func opening() throws(MalformedValue) -> Money {
        let currency = try Currency(currency)
        let digits = currency.minorUnitDigits
        let parts = openingBalance.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.count == 1 || parts[1].count == digits else {
            throw MalformedValue(field: "--opening-balance", reason: "is not an amount of \(currency)")
        }
        let fraction = parts.count == 2 ? String(parts[1]) : String(repeating: "0", count: digits)
        let text = (String(parts[0]) + fraction).drop { $0 == "0" }
        return try Money(value: text.isEmpty ? "0" : String(text), currency: currency)
    }
}

/// The authorization server and this backend's client.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The authorization server's issuer URL (or WALLET_BACKEND_ISSUER).", valueName: "url"))
    var issuer: String?

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp(
            "This backend's client, with the scope wallet_operations, and for the shop also transactions (or WALLET_BACKEND_CLIENT_ID).",
            valueName: "id"))
    var clientID: String?

    @Option(
        help: ArgumentHelp(
            "A file with the client's secret. Otherwise it is read from WALLET_BACKEND_CLIENT_SECRET; it is never an argument.",
            valueName: "file"))
    var clientSecretFile: String?

    func operations() throws -> WalletOperations {
        let (issuer, credential) = try client(over: .payments)
        return WalletOperations(issuer: issuer, credential: credential)
    }

    /// The server, and this backend's credential.
    func client(over transport: HTTPClientTransport) throws -> (TrustedIssuer, BackendCredential) {
        let environment = ProcessInfo.processInfo.environment
        guard let issuer = issuer ?? environment["WALLET_BACKEND_ISSUER"] else {
            throw Unusable(reason: "no authorization server is set: use --issuer URL")
        }
        guard let clientID = clientID ?? environment["WALLET_BACKEND_CLIENT_ID"] else {
            throw Unusable(
                reason: "no client is set: use --client-id ID (walletauth client create)")
        }
        try HTTPClientTransport.checkAuthorities()
        do {
            return (
                TrustedIssuer(try Issuer(issuer), transport: transport),
                .secret(try ClientID(clientID), try secret(environment))
            )
        } catch let fault as MalformedValue {
            throw Unusable(reason: "\(fault)")
        }
    }

    private func secret(_ environment: [String: String]) throws -> ClientSecret {
        if let clientSecretFile {
            guard let data = FileManager.default.contents(atPath: clientSecretFile) else {
                throw Unusable(
                    reason: "\(clientSecretFile) cannot be read: name another --client-secret-file")
            }
            try Self.requirePrivate(clientSecretFile)
            return try ClientSecret(
                String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        }
        guard let secret = environment["WALLET_BACKEND_CLIENT_SECRET"] else {
            throw Unusable(
                reason:
                    "the client's secret is not set: set WALLET_BACKEND_CLIENT_SECRET or --client-secret-file"
            )
        }
        return try ClientSecret(secret)
    }

    /// As `walletauth` does with its own secrets. A pipe has no mode that matters.
    private static func requirePrivate(_ file: String) throws {
        let path = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular,
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0
        else { return }
        throw Unusable(
            reason:
                "\(file) has mode 0\(String(mode, radix: 8)), so others can read it: chmod 600 \(file), and change the secret if "
                + "others have accounts on this machine")
    }
}
