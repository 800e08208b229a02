import Foundation
import WalletAuth
internal import WalletAuthWire

/// The servers besides the issuer that may get this wallet's bearer tokens, as the person said. A separate file, because
/// a sign-in replaces the profile.
struct TokenRecipients {
    private struct Saved: Codable {
        /// The issuer whose tokens they may get.
        var issuer: String
        var origins: [String]
    }

    let issuer: String
    let folder: URL
    private var file: SavedFile {
        SavedFile(
            folder: folder, name: "token-recipients.json", recovery: "name the servers again with --send-token")
    }

    /// Whether a bearer token may be sent to a URL.
    func include(_ target: URL) throws -> Bool {
        let own = URL(string: issuer)?.origin
        let origin = target.origin
        return try origin == own || saved().contains(origin)
    }

    /// The wallet that calls a URL, with its session restored. The one check of every command that calls another server.
    /// - Parameters:
    ///   - target: the URL.
    ///   - sendToken: whether the person names its server for bearer tokens with this command.
    ///   - make: creates the wallet whose tokens may go to these origins.
    /// - Throws: ``Failure`` if the session's token is a bearer token that must not go there; `WalletError`.
    func wallet(
        calling target: URL, sendToken: Bool, _ make: (Wallet.ResourceOrigins) throws -> Wallet
    ) async throws -> Wallet {
        let isNamed = try sendToken || include(target)
        // By `anySecure` the SDK keeps a bearer token as well, even that of a sign-in that comes in between.
        let wallet = try make(isNamed ? .only([target]) : .anySecure)
        try await wallet.setUp()
        guard wallet.identity?.tokenType == .bearer else { return wallet }
        guard isNamed else { throw Failure(notSendingTokenTo: target, issuedBy: issuer) }
        if sendToken { try add(target) }
        return wallet
    }

    /// Allows the server of a URL from now on.
    func add(_ target: URL) throws {
        let origins = try saved()
        let origin = target.origin
        guard !origins.contains(origin) else { return }
        try file.save(Saved(issuer: issuer, origins: origins + [origin]))
    }

    /// Those of this issuer: what was said about another one's tokens does not count.
    private func saved() throws -> [String] {
        let saved: Saved? = try file.load()
        return saved?.issuer == issuer ? saved?.origins ?? [] : []
    }
}

extension Failure {
    /// The token was not sent: anyone who holds a bearer token can use it (RFC 6750 §5.3).
    init(notSendingTokenTo target: URL, issuedBy issuer: String) {
        self.init(
            code: "token_not_sent",
            message: "your token was not sent: \(target.origin) could use it at \(issuer) in your name",
            advice: "if that server is meant to have it, repeat this once with: --send-token")
    }
}

extension URL {
    /// Scheme, host and port, in one form (RFC 6454 §6.1).
    var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        let usual = ["https": 443, "http": 80][scheme]
        let port = port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
        let host = host(percentEncoded: true)?.lowercased() ?? ""
        // Foundation takes the brackets off an IPv6 address on some platforms.
        let isBare = host.contains(":") && !host.hasPrefix("[")
        return "\(scheme)://\(isBare ? "[\(host)]" : host)\(port)"
    }
}
