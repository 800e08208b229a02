#if os(Linux)
    import Foundation
    import WalletAuth
    import WalletAuthTransport
    import WalletAuthWire

    /// The one request that a redirect listener waits for, and the answers to all others.
    struct LoopbackExpectation: Sendable {
        /// The listener's address, with its port.
        let redirectURI: URL
        /// The `state` of the authorization request, if its URL shows one (a pushed request shows none).
        let state: String?

        /// What to do with a request.
        enum Verdict: Equatable {
            /// The expected callback.
            case callback(URL, LoopbackPages.Callback)
            /// Send this status and keep waiting.
            case ignore(status: Int)
        }

        /// Expects the response to an authorization request.
        init(redirectURI: URL, authorizationURL: URL) {
            self.redirectURI = redirectURI
            let query = URLComponents(url: authorizationURL, resolvingAgainstBaseURL: false)?.percentEncodedQuery
            state = query.flatMap { try? FormParameters(parsing: $0) }?["state"]
        }

        /// Judges a request. Any program on the machine, and any web page, can send one: it counts only with the
        /// `state`, which no web page knows, and a wrong one must not end the wait. Other users of the machine may have
        /// seen the `state`, so ``LoopbackPeer`` checks the sender.
        func judge(_ request: LoopbackRequest) -> Verdict {
            let (path, query) = Self.split(request.target)
            guard path == (redirectURI.path.isEmpty ? "/" : redirectURI.path(percentEncoded: true)) else {
                return .ignore(status: 404)
            }
            // A page that pointed its own host name to 127.0.0.1 sends that name (DNS rebinding).
            guard request.host == authority else { return .ignore(status: 421) }
            guard request.method == "GET" else { return .ignore(status: 405) }
            guard let parameters = query.flatMap({ try? FormParameters(parsing: $0) }) else {
                return .ignore(status: 400)
            }
            // A return from a consent page. Nothing in it is trusted: the SDK asks the server.
            let isReturn = state == nil && parameters["event_id"] != nil
            guard isReturn || parameters["code"] != nil || parameters["error"] != nil else {
                return .ignore(status: 400)
            }
            if let state {
                guard let answered = parameters["state"], ConstantTime.equal(answered, state) else {
                    return .ignore(status: 400)
                }
            }
            guard var components = URLComponents(url: redirectURI, resolvingAgainstBaseURL: false) else {
                return .ignore(status: 400)
            }
            components.percentEncodedQuery = query
            guard let url = components.url else { return .ignore(status: 400) }
            guard !isReturn else { return .callback(url, .returned) }
            return .callback(url, parameters["code"] != nil ? .received : .refused)
        }

        private var authority: String? {
            guard let name = redirectURI.bracketedHost, let port = redirectURI.port else { return nil }
            // Browsers omit the default port of http (RFC 9110 §7.2).
            return port == 80 ? name : "\(name):\(port)"
        }

        private static func split(_ target: String) -> (path: String, query: String?) {
            guard let mark = target.firstIndex(of: "?") else { return (target, nil) }
            return (String(target[..<mark]), String(target[target.index(after: mark)...]))
        }
    }
#endif
