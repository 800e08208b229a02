import Foundation
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The server's certificate and key, reloaded when their files change.
///
/// New handshakes use the new pair; open connections keep theirs. Renewal takes two writes, and a check may fall
/// between them. A pair that is unreadable or does not match is therefore ignored: the old pair stays in use, and the
/// next check tries again. So is a certificate that has expired or is not valid yet, which clients would refuse.
final class CertificateFiles: Service {
    private struct Loaded {
        var pair: Pair
        var stamp: Stamp
        /// The files that were not loaded at the latest check that failed.
        var refused: Stamp?
        /// Whether it was logged that clients refuse the certificate in use.
        var isReportedAsInvalid = false
    }

    /// Why clients would refuse a certificate.
    fileprivate struct Invalid: Error, CustomStringConvertible {
        let description: String
    }

    /// The key is not the certificate's: half a renewal, or two files that were mixed up.
    fileprivate struct Mismatch: Error, CustomStringConvertible {
        let files: TLSFiles

        var description: String {
            "tls.key \(files.privateKey) does not belong to tls.certificate \(files.certificateChain)"
        }
    }

    struct Pair: Sendable {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
        /// When the server's own certificate is valid. An expired one behind it need not matter, as with a root that another one signed.
        fileprivate let validity: ClosedRange<Date>
        fileprivate let certificate: ServedCertificate

        fileprivate func requireValid(at now: Date) throws(Invalid) {
            let format = Date.ISO8601FormatStyle()
            guard now >= validity.lowerBound else {
                throw Invalid(description: "it is not valid before \(validity.lowerBound.formatted(format))")
            }
            guard now <= validity.upperBound else {
                throw Invalid(description: "it expired at \(validity.upperBound.formatted(format))")
            }
        }
    }

    /// Detects a change of either file.
    private struct Stamp: Equatable {
        var certificate: FileStamp
        var key: FileStamp
    }

    private let files: TLSFiles
    private let hosts: [String]
    private let interval: Duration
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let loaded: Mutex<Loaded>

    /// - Parameters:
    ///   - hosts: those that the certificate has to name; none if clients meet another certificate, a proxy's.
    ///   - interval: how often to check the files.
    ///   - logger: gets every reload, every change of the files that cannot be loaded, and the end of the certificate's validity.
    ///   - now: the time.
    /// - Throws: the NIOSSL error of a missing or invalid file, or of a key that does not match. The server does not
    ///   start with TLS that cannot work.
    init(
        files: TLSFiles, hosts: [String] = [], interval: Duration = .seconds(5), logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.files = files
        self.hosts = hosts
        self.interval = interval
        self.logger = logger
        self.now = now
        let stamp = Self.stamp(of: files)
        loaded = Mutex(Loaded(pair: try Self.load(files), stamp: stamp))
        reportIfInvalid()
        reportIfForOtherHost()
    }

    var current: Pair { loaded.withLock { $0.pair } }

    /// The TLS settings of the listener: versions 1.2 and 1.3. Each handshake asks for the current pair.
    func configuration() -> TLSConfiguration {
        let pair = current
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: pair.chain, privateKey: pair.key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.sslContextCallback = { [self] _, promise in
            let pair = current
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = pair.chain
            override.privateKey = pair.key
            promise.succeed(override)
        }
        return configuration
    }

    /// Checks the files until the server stops.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await Task.sleep(for: self.interval) } catch { return }
                self.reloadIfChanged()
            }
        }
    }

    func reloadIfChanged() {
        let stamp = Self.stamp(of: files)
        let (known, refused) = loaded.withLock { ($0.stamp, $0.refused) }
        defer { reportIfInvalid() }
        guard stamp != known else { return }
        do {
            let pair = try Self.load(files)
            try pair.requireValid(at: now())
            loaded.withLock { $0 = Loaded(pair: pair, stamp: stamp) }
            logger.notice("TLS certificate reloaded", metadata: ["file": "\(files.certificateChain)"])
            reportIfForOtherHost()
        } catch {
            // The next check tries again, because an error may pass without a change of the files, but does not repeat
            // the line.
            guard stamp != refused else { return }
            loaded.withLock { $0.refused = stamp }
            logger.error(
                "TLS certificate not reloaded, the previous one stays in use",
                metadata: ["file": "\(files.certificateChain)", "error": "\(error)"])
        }
    }

    /// Logs once for each certificate that clients refuse the one in use.
    private func reportIfInvalid() {
        do {
            try current.requireValid(at: now())
        } catch {
            let isFirst = loaded.withLock { loaded in
                defer { loaded.isReportedAsInvalid = true }
                return !loaded.isReportedAsInvalid
            }
            guard isFirst else { return }
            logger.error(
                "clients refuse the TLS certificate in use: renew it, and the server reloads it by itself",
                metadata: ["file": "\(files.certificateChain)", "error": "\(error)"])
        }
    }

    /// Logs that clients refuse the pair in use for its name. It is served all the same: the former one is about to expire, and
    /// those who know the other name may connect.
    private func reportIfForOtherHost() {
        let certificate = current.certificate
        for host in hosts where !certificate.covers(host) {
            logger.error(
                "clients refuse the TLS certificate in use: it does not name the host that they know",
                metadata: [
                    "file": "\(files.certificateChain)", "host": "\(host)",
                    "names": "\(certificate.names.joined(separator: " "))",
                ])
        }
    }

    private static func load(_ files: TLSFiles) throws -> Pair {
        let certificates = try NIOSSLCertificate.fromPEMFile(files.certificateChain)
        let chain = certificates.map(NIOSSLCertificateSource.certificate)
        let key = NIOSSLPrivateKeySource.privateKey(try NIOSSLPrivateKey(file: files.privateKey, format: .pem))
        // Building a context is the only way to check that certificate and key match.
        do {
            _ = try NIOSSLContext(configuration: .makeServerConfiguration(certificateChain: chain, privateKey: key))
        } catch {
            throw Mismatch(files: files)
        }
        guard let own = certificates.first else { throw NIOSSLError.failedToLoadCertificate }
        let from = Date(timeIntervalSince1970: TimeInterval(own.notValidBefore))
        let until = Date(timeIntervalSince1970: TimeInterval(own.notValidAfter))
        return Pair(
            chain: chain, key: key, validity: from...max(from, until), certificate: ServedCertificate(own))
    }

    private static func stamp(of files: TLSFiles) -> Stamp {
        Stamp(certificate: FileStamp(path: files.certificateChain), key: FileStamp(path: files.privateKey))
    }
}
