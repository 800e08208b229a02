import Foundation

/// A server of `Peers`, by other authors: it says where it listens, and then what it receives, each message as a line of JSON.
final class PeerProcess: Sendable {
    private let process: ChildProcess
    /// What followed `ready at`.
    let address: String
    private let received = Received()

    /// What came, in its order.
    private actor Received {
        var messages: [[String: String]] = []

        func add(_ message: [String: String]) { messages.append(message) }
    }

    private init(process: ChildProcess, address: String) {
        self.process = process
        self.address = address
    }

    /// Starts a script of the folder of peers.
    /// - Parameter folder: takes its log, whose name keeps it from the search for secrets.
    static func start(_ script: String, _ environment: [String: String], in folder: URL) async throws -> PeerProcess {
        try await start(Programs.python, [Programs.peers.appending(path: script).path], environment, in: folder)
    }

    /// Starts a program that speaks like the peers.
    static func start(
        _ program: URL, _ arguments: [String], _ environment: [String: String], in folder: URL
    ) async throws -> PeerProcess {
        let process = try ChildProcess(
            program, arguments, environment: environment, folder: folder, log: folder.appending(path: "peer.txt"))
        let (addresses, source) = AsyncStream.makeStream(of: PeerProcess.self)
        Task {
            var peer: PeerProcess?
            for await line in process.lines {
                if let peer {
                    await peer.received.add(Self.message(line))
                } else if line.hasPrefix("ready at ") {
                    let started = PeerProcess(process: process, address: String(line.dropFirst(9)))
                    peer = started
                    source.yield(started)
                }
            }
            source.finish()
        }
        let peer = try await within(.patience, "\(program.lastPathComponent) to listen") {
            for await peer in addresses { return Optional(peer) }
            return nil
        } otherwise: {
            process.send(SIGKILL)
        }
        guard let peer else { throw DeadlineMissed(description: "\(program.lastPathComponent) did not start") }
        return peer
    }

    /// The messages, once there are so many.
    func messages(_ count: Int, within limit: Duration = .patience) async throws -> [[String: String]] {
        let received = received
        return try await firstResult("\(count) messages", within: limit) {
            let messages = await received.messages
            return messages.count >= count ? messages : nil
        }
    }

    func stop() {
        process.send(SIGKILL)
    }

    /// Ends it, and returns once it is gone.
    func kill() async {
        stop()
        _ = await process.wait()
    }

    /// The members of a line, values as text.
    private static func message(_ line: String) -> [String: String] {
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return (object ?? [:]).mapValues { value in
            switch value {
            case let text as String: text
            case let list as [String]: list.joined(separator: ",")
            default: "\(value)"
            }
        }
    }
}
