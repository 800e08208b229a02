import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Operations
import Programs

/// The client of the administration socket.
struct AdminClient {
    let path: String

    /// Why no answer came from the server.
    enum Unreachable: Error, CustomStringConvertible {
        /// There is no socket, or nothing listens on it anymore.
        case nobodyListens
        /// The socket, or the program that listens on it, belongs to another user.
        case notPermitted
        /// The answer does not follow the protocol, or came too late.
        case failed(String)

        var description: String {
            switch self {
            case .nobodyListens: "no server is listening on its socket"
            case .notPermitted: "its socket belongs to another user"
            case .failed(let reason): reason
            }
        }
    }

    /// Lets the running server execute a command.
    func answer(to request: AdminRequest) async throws(Unreachable) -> AdministrationAnswer {
        let body: Data
        do {
            body = try JSONEncoder().encode(request)
        } catch {
            throw .failed("the command cannot be encoded")
        }
        // Backing up or checking a large database takes time.
        return try await exchange(
            AdminSocketProtocol.commandPath, posting: body, timeout: .minutes(60), as: AdministrationAnswer.self)
    }

    /// The identity and state of the running server.
    /// - Parameter patience: the time limit for the answer.
    func status(within patience: TimeAmount = .seconds(30)) async throws(Unreachable) -> ServerStatus {
        try await exchange(AdminSocketProtocol.statusPath, posting: nil, timeout: patience, as: ServerStatus.self)
    }

    private func exchange<Answer: Decodable>(
        _ endpoint: String, posting body: Data?, timeout: TimeAmount, as: Answer.Type
    ) async throws(Unreachable) -> Answer {
        try probe()
        guard let url = URL(httpURLWithSocketPath: path, uri: endpoint) else {
            throw .failed("the path \(path) cannot be written as a URL")
        }
        var request = HTTPClientRequest(url: url.absoluteString)
        if let body {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: Self.configuration)
        let outcome: Result<Answer, Unreachable>
        do {
            let response = try await client.execute(request, timeout: timeout)
            guard response.status == .ok else {
                throw Unreachable.failed("the server returned \(response.status.code)")
            }
            let answer = try await response.body.collect(upTo: AdminSocketProtocol.longestAnswer)
            outcome = .success(try JSONDecoder().decode(Answer.self, from: Data(answer.readableBytesView)))
        } catch let error as Unreachable {
            outcome = .failure(error)
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            outcome = .failure(.failed("it did not respond within \(timeout.nanoseconds / 1_000_000_000) seconds"))
        } catch is NIOTooManyBytesError {
            outcome = .failure(.failed("its response is too long; stop it, then run the command again"))
        } catch {
            outcome = .failure(.failed("\(error)".escapedForOneLine))
        }
        try? await client.shutdown()
        return try outcome.get()
    }

    /// Passwords and keys go through the socket, so its listener must be this user or root. In a folder that others can
    /// write to, the path could change owners at any moment. The check therefore uses the connection itself, before
    /// anything is sent on it.
    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(tlsConfiguration: nil, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.http1_1ConnectionDebugInitializer = { channel -> EventLoopFuture<Void> in
            guard let peer = PeerCheck.user(of: channel) else {
                #if os(Linux)
                    channel.close(promise: nil)
                    return channel.eventLoop.makeFailedFuture(Unreachable.notPermitted)
                #else
                    return channel.eventLoop.makeSucceededVoidFuture()
                #endif
            }
            return peer.flatMap { user -> EventLoopFuture<Void> in
                guard PeerCheck.isTrusted(user) else {
                    channel.close(promise: nil)
                    return channel.eventLoop.makeFailedFuture(Unreachable.notPermitted)
                }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
        }
        return configuration
    }

    /// Connects once and disconnects, to learn from the kernel whether a server listens and admits this user.
    private func probe() throws(Unreachable) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .nobodyListens }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        #if canImport(Glibc)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw .failed(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let outcome = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard outcome != 0 else {
            #if !os(Linux)
                try requireOwnServer(descriptor)
            #endif
            return
        }
        switch errno {
        case ENOENT, ECONNREFUSED, ENOTDIR, ENOTSOCK: throw .nobodyListens
        case EACCES, EPERM: throw .notPermitted
        default: throw .failed(String(cString: strerror(errno)))
        }
    }

    #if !os(Linux)
        /// Here the HTTP client's connections are not kernel sockets, so the check uses a separate connection just
        /// before.
        private func requireOwnServer(_ descriptor: Int32) throws(Unreachable) {
            var owner = uid_t()
            var group = gid_t()
            guard getpeereid(descriptor, &owner, &group) == 0 else { throw .failed(String(cString: strerror(errno))) }
            guard PeerCheck.isTrusted(owner) else { throw .notPermitted }
        }
    #endif
}
