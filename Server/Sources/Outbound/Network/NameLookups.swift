internal import Core
internal import NIOPosix
internal import Synchronization

/// Resolves names with a function that blocks its thread and cannot be interrupted: the system's resolver.
///
/// A lookup continues even after its caller has given up. Lookups therefore have threads of their own, limited in number,
/// and callers with the same name share one: a name whose servers do not answer holds one thread, whatever the number
/// of sign-ins.
final class NameLookups: Sendable {
    private typealias Lookup = Task<[NetworkAddress], any Error>

    private let lookUp: @Sendable (String) throws -> [NetworkAddress]
    private let most: Int
    private let threads: NIOThreadPool
    private let underWay = Mutex<[String: Lookup]>([:])

    /// - Parameters:
    ///   - most: the largest number of concurrent lookups; another one is refused.
    ///   - lookUp: returns the addresses of a name; may block.
    init(most: Int = 16, _ lookUp: @escaping @Sendable (_ host: String) throws -> [NetworkAddress]) {
        self.lookUp = lookUp
        self.most = most
        threads = NIOThreadPool(numberOfThreads: most)
        threads.start()
    }

    deinit { threads.shutdownGracefully { _ in } }

    /// - Throws: ``OutboundFault/tooManyLookups``, or the error of the lookup.
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
