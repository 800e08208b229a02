#if os(Linux)
    import Foundation
    import WalletAuthWire

    /// The one request that a redirect listener waits for, and how every other one is answered.
    struct LoopbackExpectation: Sendable {
        /// Where the listener is, with its port.
        let redirectURI: URL
        /// The `state` of the authorization request, where its URL shows one (a pushed request shows none).
        let state: String?

        /// What to do about a request.
        enum Verdict: Equatable {
            /// This is it.
            case callback(URL, LoopbackPages.Callback)
            /// Answer so, and go on waiting.
            case ignore(status: Int)
        }

        /// Waits for the answer to an authorization request.
        init(redirectURI: URL, authorizationURL: URL) {
            self.redirectURI = redirectURI
            let query = URLComponents(url: authorizationURL, resolvingAgainstBaseURL: false)?.percentEncodedQuery
            state = query.flatMap { try? FormParameters(parsing: $0) }?["state"]
        }

        /// Judges a request. Anybody on the machine, and any web page, can send one here: it counts only with the `state`,
        /// which no web page was told, and a wrong one must not end the waiting. Other users of the machine may have seen the
        /// `state`: who sends the request is ``LoopbackPeer``'s to tell.
        func judge(_ request: LoopbackRequest) -> Verdict {
            let (path, query) = Self.split(request.target)
            guard path == (redirectURI.path.isEmpty ? "/" : redirectURI.path(percentEncoded: true)) else {
                return .ignore(status: 404)
            }
            // A page that had its own name point to 127.0.0.1 sends that name (DNS rebinding).
            guard request.host == authority else { return .ignore(status: 421) }
            guard request.method == "GET" else { return .ignore(status: 405) }
            guard let parameters = query.flatMap({ try? FormParameters(parsing: $0) }) else {
                return .ignore(status: 400)
            }
            // From a page on which the person agreed to an operation. It says nothing that is believed: the server is asked.
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
            return .callback(url, isReturn || parameters["code"] != nil ? .received : .refused)
        }

        private var authority: String? {
            guard let host = redirectURI.host(percentEncoded: true), let port = redirectURI.port else { return nil }
            let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            // A browser leaves out the port that http has anyway (RFC 9110 section 7.2).
            return port == 80 ? name : "\(name):\(port)"
        }

        private static func split(_ target: String) -> (path: String, query: String?) {
            guard let mark = target.firstIndex(of: "?") else { return (target, nil) }
            return (String(target[..<mark]), String(target[target.index(after: mark)...]))
        }
    }
#endif
