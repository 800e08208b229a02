public import WalletAuth

/// What goes wrong with one request.
public enum ServerFault: Sendable {
    /// The request is lost on its way: the server does nothing, the client cannot know.
    case loseRequest
    /// The server does what it was asked, and the answer is lost: the case that signs people out elsewhere.
    case loseAnswer
    /// The server does nothing and answers this.
    case answer(HTTPResponse)
    /// The server takes its time, by the manual clock; then it goes on as if nothing were.
    case delay(Duration)

    /// The server cannot answer now.
    /// - Parameters:
    ///   - status: 503, or another of the 5xx.
    ///   - retryAfter: what it says about when to come back, in whole seconds.
    public static func unavailable(_ status: Int = 503, retryAfter: Duration? = nil) -> ServerFault {
        var response = HTTPResponse(status: status)
        if let retryAfter { response.headers["Retry-After"] = String(retryAfter.components.seconds) }
        return .answer(response)
    }
}

extension ScriptedServer {
    /// Has something go wrong with the next requests. Faults for one path come one after the other.
    /// - Parameters:
    ///   - fault: what goes wrong.
    ///   - path: the URL's path, for instance `/oauth2/token`; nil for any.
    ///   - times: how often.
    public func inject(_ fault: ServerFault, at path: String? = nil, times: Int = 1) {
        faults.withLock { $0.planned += Array(repeating: (path, fault), count: times) }
    }

    /// Takes back every fault that has not happened yet.
    public func withdrawFaults() {
        faults.withLock { $0.planned = [] }
    }

    /// What the network is like from now on.
    public var network: Network {
        get { faults.withLock { $0.network } }
        set { faults.withLock { $0.network = newValue } }
    }
}

/// What is to go wrong.
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

    /// The delays that come before anything else planned for a path.
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
