internal import AuthCore
internal import NIOPosix
internal import Synchronization

/// Looks names up by something that blocks its thread, and that nobody can interrupt: the system's resolver.
///
/// A lookup goes on when whoever asked has given up, so their number is bounded here, on threads of their own. Whoever asks
/// for a name that is being looked up waits for that answer: a name that nobody answers for holds one thread, however many
/// sign-ins ask for it.
final class NameLookups: Sendable {
    private typealias Lookup = Task<[NetworkAddress], any Error>

    private let lookUp: @Sendable (String) throws -> [NetworkAddress]
    private let most: Int
    private let threads: NIOThreadPool
    private let underWay = Mutex<[String: Lookup]>([:])

    /// - Parameters:
    ///   - most: how many names are looked up at once; another one is refused.
    ///   - lookUp: finds the addresses of a name; may block.
    init(most: Int = 16, _ lookUp: @escaping @Sendable (_ host: String) throws -> [NetworkAddress]) {
        self.lookUp = lookUp
        self.most = most
        threads = NIOThreadPool(numberOfThreads: most)
        threads.start()
    }

    deinit { threads.shutdownGracefully { _ in } }

    /// The addresses of a name.
    /// - Throws: ``OutboundFault/tooManyLookups``, or what the lookup throws.
    func addresses(of host: String) async throws -> [NetworkAddress] {
        let lookup = try underWay.withLock { underWay -> Lookup in
            if let same = underWay[host] { return same }
            guard underWay.count < most else { throw OutboundFault.tooManyLookups }
            let lookup = Lookup {
                defer { self.underWay.withLock { _ = $0.removeValue(forKey: host) } }
                return try await self.threads.runIfActive { try self.lookUp(host) }
            }
            underWay[host] = lookup
            return lookup
        }
        return try await lookup.value
    }
}
