internal import Foundation
package import Logging
internal import Synchronization

/// HTTP to identity providers: hosts that an operator named, and such as those hosts name in turn.
///
/// A port, so that tests answer in a provider's place; the program's own is guarded against leading the server into the
/// network that it stands in.
package struct ProviderHTTP: Sendable {
    /// Which addresses may be connected to.
    package enum Reach: Sendable, Hashable {
        /// Those of the public internet.
        case publicInternet
        /// This machine as well: a sandbox's provider beside it.
        case loopback
        /// Private networks as well: the operator said that the provider lies in its own.
        case internalNetwork

        /// A host outside the operator's own network: on the internet, or in the sandbox on this machine.
        package static func outside(to host: String, in environment: ServerSettings.Environment) -> Reach {
            let isHere = ["127.0.0.1", "[::1]", "localhost"].contains(host)
            return environment == .sandbox && isHere ? .loopback : .publicInternet
        }
    }

    /// A request.
    package struct Request: Sendable {
        /// `GET` or `POST`.
        package var method = "GET"
        /// An https URL; http to this machine alone.
        package var url: String
        /// Names and values.
        package var headers: [(name: String, value: String)] = []
        /// The body; empty for none.
        package var body: [UInt8] = []
        /// Which addresses may be connected to.
        package var reach: Reach

        package init(
            method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
            reach: Reach
        ) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
            self.reach = reach
        }
    }

    /// An answer, whatever its status; a redirect is one, and is never followed.
    package struct Answer: Sendable {
        /// The status code.
        package var status: Int
        /// The body, of bounded size.
        package var body: [UInt8]

        /// Each parameter is the property of its name.
        package init(status: Int, body: [UInt8]) {
            self.status = status
            self.body = body
        }
    }

    private let send: @Sendable (Request) async throws -> Answer
    private let places = Places()

    /// - Parameter send: sends a request, within a bounded time; throws where no whole answer came.
    package init(_ send: @escaping @Sendable (Request) async throws -> Answer) {
        self.send = send
    }

    /// Sends a request and reads the whole answer.
    /// - Throws: ``ProviderFailure`` where no answer came, or where too many requests wait already: a provider that has
    ///   become slow must not gather everybody's sign-ins in this server's memory.
    package func answer(to request: Request) async throws -> Answer {
        let host = URLComponents(string: request.url)?.host?.lowercased() ?? ""
        guard places.take(at: host) else { throw ProviderFailure("too many requests wait for providers") }
        defer { places.give(at: host) }
        do {
            return try await send(request)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ProviderFailure("\(error)")
        }
    }

    /// How many requests are under way, in all and at each host: one slow provider must not take the places of the others.
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

/// A provider cannot be asked, or does not answer as it should: nothing is known about the person, who is told to try
/// again and never that anything was wrong with what they gave.
package struct ProviderFailure: Error {
    /// For the log; nothing of the person's is in it.
    package let reason: String
    /// Whether it only repeats what was logged a moment ago: strangers must not be able to fill the log.
    package let isRepetition: Bool

    /// Each parameter is the property of its name.
    package init(_ reason: String, isRepetition: Bool = false) {
        self.reason = reason
        self.isRepetition = isRepetition
    }

    /// How it is logged.
    package var logLevel: Logger.Level { isRepetition ? .debug : .warning }
}
