public import WalletAuth
import WalletAuthTransport

/// A fault in the handling of a request.
public enum ServerFault: Sendable {
    /// The request is lost: the server does nothing, and the client cannot know.
    case loseRequest
    /// The server processes the request, and the answer is lost. In other systems this is the fault that signs people
    /// out.
    case loseAnswer
    /// The server does nothing and sends this response.
    case answer(HTTPResponse)
    /// The server delays the request, by the manual clock, and then handles it normally.
    case delay(Duration)

    /// A response of a server that cannot answer right now.
    ///
    /// - Parameters:
    ///   - status: 503, or another 5xx.
    ///   - retryAfter: the value of `Retry-After`, in whole seconds.
    public static func unavailable(_ status: Int = 503, retryAfter: Duration? = nil) -> ServerFault {
        var response = HTTPResponse(status: status)
        if let retryAfter { response.headers["Retry-After"] = String(retryAfter.components.seconds) }
        return .answer(response)
    }
}

extension ScriptedServer {
    /// Injects a fault into the next requests. Faults for one path happen one after another.
    ///
    /// - Parameters:
    ///   - fault: the fault.
    ///   - path: the URL's path, such as `/oauth2/token`; nil for any.
    ///   - times: the number of requests.
    public func inject(_ fault: ServerFault, at path: String? = nil, times: Int = 1) {
        faults.withLock { $0.planned += Array(repeating: (path, fault), count: times) }
    }

    /// Removes every fault that has not happened yet.
    public func withdrawFaults() {
        faults.withLock { $0.planned = [] }
    }

    /// The state of the network from now on.
    public var network: Network {
        get { faults.withLock { $0.network } }
        set { faults.withLock { $0.network = newValue } }
    }
}

/// The planned faults.
struct ServerFaults: Sendable {
    var planned: [(path: String?, fault: ServerFault)] = []
    var network = ScriptedServer.Network.up

    func checkNetwork() throws(TransportFailure) {
        switch network {
        case .up: return
        case .offline: throw TransportFailure(.offline, reason: "the test has no network")
        case .unreachable: throw TransportFailure(.unreachable, reason: "the test made the server unreachable")
        }
    }

    /// The delays that precede any other fault of a path.
    mutating func takeDelays(_ path: String) -> [Duration] {
        var delays: [Duration] = []
        while let index = index(path), case .delay(let duration) = planned[index].fault {
            planned.remove(at: index)
            delays.append(duration)
        }
        return delays
    }

    mutating func take(_ path: String) -> ServerFault? {
        index(path).map { planned.remove(at: $0).fault }
    }

    private func index(_ path: String) -> Int? {
        planned.firstIndex { $0.path == nil || $0.path == path }
    }
}
