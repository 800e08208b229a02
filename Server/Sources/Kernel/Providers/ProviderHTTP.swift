internal import Core
internal import Foundation
package import Logging
internal import Outbound
internal import Synchronization

/// HTTP to identity providers: the hosts that an operator named, and the hosts that those name.
///
/// A port, so that tests can act as a provider. The program's own implementation keeps requests out of the server's internal
/// network.
///
/// This folder owns requests to providers, the documents they publish, and the operator's settings for them. It does not verify
/// a provider's response (`SignIn/Federation`).
package struct ProviderHTTP: Sendable {
    /// The addresses that may be connected to.
    package enum Reach: Sendable, Hashable {
        case publicInternet
        /// Also this machine, for a provider in a sandbox.
        case loopback
        /// Also private networks: the operator placed the provider in the internal network.
        case internalNetwork

        /// A host outside the operator's network: on the internet or, in the sandbox, on this machine.
        package static func outside(to host: String, in environment: ServerSettings.Environment) -> Reach {
            let isHere = ["127.0.0.1", "[::1]", "localhost"].contains(host)
            return environment == .sandbox && isHere ? .loopback : .publicInternet
        }
    }

    package struct Request: Sendable {
        /// `GET` or `POST`.
        package var method = "GET"
        /// An https URL; http only to this machine.
        package var url: String
        package var headers: [(name: String, value: String)] = []
        package var body: [UInt8] = []
        package var reach: Reach
        /// The longest time until the response is complete.
        package var timeout: Duration
        /// Whether the caller has a limit of its own for such requests, so that it takes no place here.
        package var isPlaced: Bool

        package init(
            method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
            reach: Reach, timeout: Duration = ProviderHTTP.timeout, isPlaced: Bool = false
        ) {
            self.isPlaced = isPlaced
            self.timeout = timeout
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
            self.reach = reach
        }
    }

    /// A response of any status. Redirects are returned, never followed.
    package struct Answer: Sendable {
        package var status: Int
        /// Bounded in size.
        package var body: [UInt8]

        package init(status: Int, body: [UInt8]) {
            self.status = status
            self.body = body
        }
    }

    private let send: @Sendable (Request) async throws -> Answer
    private let places = Places()

    /// - Parameter send: sends a request within a bounded time; throws unless a complete response arrives.
    package init(_ send: @escaping @Sendable (Request) async throws -> Answer) {
        self.send = send
    }

    /// Sends a request and reads the complete response.
    /// - Throws: ``ProviderFailure`` if there is no response, or if too many requests are waiting: a slow provider must not pile up
    ///   sign-ins in this server's memory.
    package func answer(to request: Request) async throws -> Answer {
        if request.isPlaced { return try await complete(request) }
        let host = URLComponents(string: request.url)?.host?.lowercased() ?? ""
        guard places.take(at: host) else { throw ProviderFailure("too many requests are waiting for providers") }
        defer { places.give(at: host) }
        return try await complete(request)
    }

    private func complete(_ request: Request) async throws -> Answer {
        do {
            return try await send(request)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ProviderFailure("\(error)")
        }
    }

    /// Limits the requests in progress, in total and per host, so that one slow provider does not block the others.
    private final class Places: Sendable {
        private static let most = 64
        private static let mostAtOneHost = 16

        private struct Taken {
            var all = 0
            var byHost: [String: Int] = [:]
        }

        private let taken = Mutex(Taken())

        func take(at host: String) -> Bool {
            taken.withLock { taken in
                let here = taken.byHost[host, default: 0]
                guard taken.all < Self.most, here < Self.mostAtOneHost else { return false }
                taken.all += 1
                taken.byHost[host] = here + 1
                return true
            }
        }

        func give(at host: String) {
            taken.withLock { taken in
                taken.all -= 1
                let left = taken.byHost[host, default: 1] - 1
                taken.byHost[host] = left > 0 ? left : nil
            }
        }
    }
}

extension ProviderHTTP {
    /// The longest time that a request usually takes. It is short because a person is waiting.
    package static let timeout = Duration.seconds(8)

    /// The production implementation: resolves each name once and checks its address, returns redirects, and bounds size and time.
    package static let guarded = ProviderHTTP { request in
        let http = GuardedHTTP(policy: request.reach.policy, maximumBody: 256 * 1024, timeout: request.timeout)
        let answer = try await http.answer(
            to: GuardedHTTP.Request(
                method: request.method, url: request.url, headers: request.headers, body: request.body))
        return Answer(status: answer.status, body: answer.body)
    }
}

extension ProviderHTTP.Reach {
    fileprivate var policy: AddressPolicy {
        switch self {
        case .publicInternet: AddressPolicy()
        case .loopback: .loopback
        case .internalNetwork: AddressPolicy(exceptions: Self.privateNetworks)
        }
    }

    /// The ranges of private networks (RFC 1918, RFC 6598, RFC 4193), without this machine. The metadata services of clouds, some of
    /// which lie in these ranges, are always refused.
    private static let privateNetworks = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7",
    ].compactMap { AddressRange($0) }
}

/// A provider cannot be reached or responds incorrectly. Nothing is known about the person, whose credentials may be right: the
/// app asks them to try again.
package struct ProviderFailure: Error {
    /// For the log; contains no personal data.
    package let reason: String
    /// Whether it repeats a recent log entry. Callers must not be able to fill the log.
    package let isRepetition: Bool
    /// When a caller may try again, in seconds.
    package static let retryAfter: Int64 = 10

    package init(_ reason: String, isRepetition: Bool = false) {
        self.reason = reason
        self.isRepetition = isRepetition
    }

    package var logLevel: Logger.Level { isRepetition ? .debug : .warning }
}
