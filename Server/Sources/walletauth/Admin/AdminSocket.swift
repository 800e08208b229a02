import HTTPTypes
import Hummingbird
import HummingbirdCore
import Kernel
import Logging
import NIOCore
import Operations
import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The Unix socket on which the other subcommands reach a running server.
///
/// Opening it gives an operator's powers. It has mode 0600 from the start, because the program's umask removes all
/// rights of other users. Even if the mode is loosened later, ``AdminListener`` still refuses them.
///
/// This folder owns the way a command reaches the server: socket, protocol and peer check. The commands themselves are
/// in Operations.
struct AdminSocket {
    let path: String
    let administration: Administration
    let status: ServerStatus
    let logger: Logger

    /// Removes the socket of a server that no longer runs.
    ///
    /// Only the owner of the database's lock may call this, since any socket at the path is then stale. Anything but a
    /// socket is a user's file and is kept.
    ///
    /// - Throws: `Refusal` if something else is at the path, or the stale socket cannot be removed.
    func removeStale() throws(Refusal) {
        guard let found = FileStatus(path: path) else { return }
        guard found.kind == .socket else {
            throw Refusal(
                "\(path) is not a socket, but the administration socket needs this path: move it away",
                status: ExitStatus.outOfService)
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw Refusal(
                "the stale socket \(path) cannot be removed: \(String(cString: strerror(errno)))",
                status: ExitStatus.outOfService)
        }
    }

    /// Removes the socket once the last command is answered.
    func remove() {
        unlink(path)
    }

    /// The service that answers on the socket.
    ///
    /// - Parameter onListening: called once it listens.
    func makeService(onListening: @escaping @Sendable () -> Void) -> some ApplicationProtocol {
        let router = Router(context: BasicRequestContext.self)
        let administration = administration
        let logger = logger
        router.post(RouterPath(AdminSocketProtocol.commandPath)) { request, _ in
            let body = try await request.body.collect(upTo: AdminSocketProtocol.longestCommand)
            guard
                let command = try? JSONDecoder().decode(AdminRequest.self, from: Data(body.readableBytesView))
            else {
                throw HTTPError(.badRequest)
            }
            let (title, answer) = await administration.executeForLog(command)
            logger.notice(
                "administration",
                metadata: ["command": "\(title)", "status": "\(answer.status)"])
            return try Self.response(answer)
        }
        let path = path
        let status = status
        router.get(RouterPath(AdminSocketProtocol.statusPath)) { _, _ in
            var answer = status
            let database = administration.server.context.database
            answer.nextIssuer = try await PinnedIssuer.read(database)
            answer.wrappedKeys = try await database.read { try WrappedKey.all(on: $0) }
            return try Self.response(answer)
        }
        return Application(
            router: router,
            server: HTTPServerBuilder { responder in
                AdminListener(base: HTTP1Channel(responder: responder), logger: logger)
            },
            configuration: ApplicationConfiguration(
                address: .unixDomainSocket(path: path), serverName: nil, backlog: 16),
            onServerRunning: { _ in
                // The umask leaves the owner's execute bit, which is useless on a socket.
                chmod(path, 0o600)
                onListening()
            }, logger: logger.quieter)
    }

    private static func response(_ value: some Encodable) throws -> Response {
        let data = try JSONEncoder().encode(value)
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}

/// The protocol on the administration socket: HTTP/1.1 with JSON, so that people can use curl.
enum AdminSocketProtocol {
    /// Executes one `AdminRequest` and returns an `AdministrationAnswer`.
    static let commandPath = "/administration"
    /// Returns a `ServerStatus`.
    static let statusPath = "/status"
    /// In bytes.
    static let longestCommand = 16 * 1024 * 1024
    /// In bytes. The exports of accounts are the longest.
    static let longestAnswer = 256 * 1024 * 1024
}

/// A running server's report about itself.
struct ServerStatus: Codable, Sendable {
    var version: String
    var processIdentifier: Int32
    var environment: ServerSettings.Environment
    var issuer: String
    /// Its settings at the start, as digests; nil from an older version.
    var settings: ConfiguredSettings?
    /// The operations it lets pass without the person's consent; nil from an older version.
    var sca: [Finding]?
    /// The issuer its next start requires, read from the database for this report; nil from an older version.
    var nextIssuer: String?
    /// The keys of its database, read for this report, to check the configured master key with; nil from an older version.
    var wrappedKeys: [WrappedKey]?
    /// One of them, from an older version that sends no others.
    var wrappedKey: WrappedKey?
}
