import HTTP
import Kernel
import Logging
import ServiceLifecycle
import SignIn
import Synchronization

/// The operator's list of revoked Android keys, read again when its file changes.
///
/// A list that cannot be read leaves the former one in use, and the next check tries again.
final class AndroidRevocationFile: Service {
    private let path: String
    private let serials: RevokedSerials
    private let logger: Logger
    private let stamps = Mutex<(read: FileStamp?, refused: FileStamp?)>((nil, nil))

    /// As for certificates.
    private static let interval = Duration.seconds(5)

    /// - Parameters:
    ///   - serials: those that the server goes by.
    ///   - logger: gets every other list, and every change of the file that is none.
    init(path: String, serials: RevokedSerials, logger: Logger) {
        self.path = path
        self.serials = serials
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                self.reloadIfChanged()
                do { try await Task.sleep(for: Self.interval) } catch { return }
            }
        }
    }

    func reloadIfChanged() {
        let stamp = FileStamp(path: path)
        let (read, refused) = stamps.withLock { $0 }
        guard stamp != read else { return }
        do {
            let bytes = try ReadableFile.bytes(path, upTo: AndroidRevocations.maximumBytes)
            let isOther = serials.replace(with: try AndroidRevocations.serials(bytes))
            stamps.withLock { $0 = (stamp, nil) }
            guard isOther else { return }
            logger.notice("revoked Android keys reloaded", metadata: ["file": "\(path)"])
        } catch {
            guard stamp != refused else { return }
            stamps.withLock { $0.refused = stamp }
            let reason = (error as? ReadableFile.Unreadable)?.reason ?? "\(error)"
            logger.error(
                "revoked Android keys not reloaded, the previous ones stay in use",
                metadata: ["file": "\(path)", "error": "\(reason)"])
        }
    }
}
