import Core
import HTTP
import Kernel
import Logging
import NIOSSL
import StorePostgreSQL
import WalletAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ServerConfiguration {
    /// Additional rules for production. Faults of a file name its lines and are in their order, before those of flags and variables.
    func productionFaults(in text: ConfiguredText) -> [Fault] {
        let faults = unsafeSettings.enumerated().map { number, found in
            (
                line: text.line(of: found.setting) ?? .max, number: number,
                fault: text.placed(found.fault, at: found.setting)
            )
        }
        return faults.sorted { ($0.line, $0.number) < ($1.line, $1.number) }.map(\.fault)
    }

    private var unsafeSettings: [(setting: any DeclaredSetting, fault: Fault)] {
        var faults: [(setting: any DeclaredSetting, fault: Fault)] = []
        func refuse(_ setting: any DeclaredSetting, _ problem: String, _ remedy: String) {
            faults.append((setting, Fault(problem, remedy)))
        }
        if let issuer, issuer.isInsecure {
            refuse(
                Settings.issuer,
                "the issuer \(issuer.rawValue) is not https: tokens and passwords would travel unencrypted",
                "Set the public https URL with \(Settings.issuer.flag)")
        }
        if trustedProxies.contains(where: { $0.description.hasSuffix("/0") }) {
            refuse(
                Settings.trustedProxies,
                "\(Settings.trustedProxies.name) trusts every address, so any client could forge its address",
                "Name the proxies' own addresses or networks")
        }
        if network.crowded.contains(where: { $0.description.hasSuffix("/0") }) {
            refuse(
                Settings.networkCrowded,
                "\(Settings.networkCrowded.name) contains every address, so an attacker anywhere has the limits of "
                    + "a crowd", "Name the carriers' own networks, or raise \(Settings.networkFailures.name)")
        }
        if devices.coolingPeriod < .hours(1) {
            refuse(
                Settings.coolingPeriod,
                """
                \(Settings.coolingPeriod.name) is so short that a new device could pay before its owner reads \
                about it
                """,
                "Set \(Settings.coolingPeriod.spellings) to 1h or more; "
                    + "it is \(Settings.coolingPeriod.fallback) if omitted")
        }
        if logLevel < .info {
            refuse(
                Settings.logLevel,
                "the log level \(logLevel.rawValue) is for debugging",
                "Set \(Settings.logLevel.spellings) to info or a less verbose one")
        }
        return faults
    }
}

extension ServerConfiguration {
    /// Rules for the database in production, for servers and commands alike: both send it people's data.
    var databaseFaults: [Fault] {
        database.staysPrivate ? [] : [.unprotectedDatabase]
    }
}

extension DatabaseLocation {
    /// Whether the network can neither read nor redirect the connection, as far as the URL says.
    var staysPrivate: Bool {
        guard case .postgreSQL(let url) = engine else { return true }
        // A malformed URL was refused before.
        return (try? PostgreSQLDatabase.staysPrivate(url.reveal())) != false
    }
}

extension Fault {
    static var unprotectedDatabase: Fault { unprotectedDatabase(in: Settings.database.name) }

    /// - Parameter setting: has the database's URL.
    static func unprotectedDatabase(in setting: String) -> Fault {
        Fault(
            "the connection to the database can be read or redirected by anyone on the network",
            "Add sslmode=verify-full to \(setting), and sslrootcert if your own authority issued its "
                + "certificate, for every host that is not a Unix socket or loopback address of this machine")
    }
}

extension TLSFiles {
    /// Faults of the TLS files. A server that starts with TLS must be able to use it.
    ///
    /// The sandbox accepts an expired certificate, so that developers can test how a client reacts.
    func faults(in environment: ServerSettings.Environment) -> [Fault] {
        var faults: [Fault] = []
        if let status = FileStatus(path: privateKey), status.mode & 0o007 != 0 {
            // A group may read the key: certificate tools use one to give servers access (Debian's is called ssl-cert).
            faults.add(
                "the TLS key \(privateKey) has mode \(status.octalMode), so every user can read it",
                "chmod o= \(privateKey), and replace the key if others have accounts on this machine")
        }
        // Checked separately, so that both faults are reported at once.
        let chain = Self.noting(&faults, certificates)
        let key = Self.noting(&faults, key)
        if let chain, let key {
            _ = Self.noting(&faults) {
                do {
                    return try NIOSSLContext(
                        configuration: .makeServerConfiguration(
                            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
                } catch {
                    throw Refusal("the TLS key \(privateKey) does not belong to the certificate \(certificateChain)")
                }
            }
        }
        if environment == .production, let chain, let expiry = Self.expiry(of: chain), expiry <= Date() {
            faults.add("the TLS certificate \(certificateChain) expired on \(expiry.day)", "Renew it")
        }
        return faults
    }

    private static func noting<Value>(_ faults: inout [Fault], _ read: () throws -> Value) -> Value? {
        do { return try read() } catch {
            let refusal = error as? Refusal
            faults.add(
                refusal?.message ?? "\(error)",
                refusal?.hint
                    ?? "Use a PEM certificate chain, leaf first, and the unencrypted PEM key that belongs to it")
            return nil
        }
    }

    /// Far larger than any chain or key.
    private static let limit = 1024 * 1024

    private func certificates() throws -> [NIOSSLCertificate] {
        let bytes: [UInt8]
        do {
            bytes = try ReadableFile.bytes(certificateChain, upTo: Self.limit)
        } catch {
            throw Refusal("the TLS certificate \(certificateChain) \(error.reason)", hint: error.remedy)
        }
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(bytes), !chain.isEmpty else {
            throw Refusal("the TLS certificate \(certificateChain) contains no PEM certificate")
        }
        return chain
    }

    private func key() throws -> NIOSSLPrivateKey {
        let bytes: [UInt8]
        do {
            bytes = try ReadableFile.bytes(privateKey, upTo: Self.limit)
        } catch {
            throw Refusal("the TLS key \(privateKey) \(error.reason)", hint: error.remedy)
        }
        guard let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
            throw Refusal("the TLS key \(privateKey) contains no unencrypted PEM private key")
        }
        return key
    }

    /// The server's own certificate; nil if the file is unreadable.
    var certificate: ServedCertificate? {
        (try? NIOSSLCertificate.fromPEMFile(certificateChain))?.first.map(ServedCertificate.init)
    }

    /// The earliest expiry in the chain; nil if the file is unreadable.
    var expiry: Date? {
        (try? NIOSSLCertificate.fromPEMFile(certificateChain)).flatMap(Self.expiry)
    }

    private static func expiry(of chain: [NIOSSLCertificate]) -> Date? {
        chain.map { Date(timeIntervalSince1970: TimeInterval($0.notValidAfter)) }.min()
    }
}

extension Date {
    /// The day in UTC: `2026-03-01`.
    var day: String {
        String(formatted(.iso8601).prefix(10))
    }
}
