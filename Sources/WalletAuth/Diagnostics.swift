public import Foundation

extension Wallet {
    /// A report for support, without tokens, codes or names of people.
    public var diagnostics: Diagnostics {
        let live = keeper.snapshot
        let session = live.holding?.session
        let (state, reason): (String, WalletError.SignOutReason?) =
            switch live.state {
            case .notLoaded: ("not_loaded", nil)
            case .signedIn: ("signed_in", nil)
            case .signedOut(let reason, _): ("signed_out", reason)
            }
        return Diagnostics(
            environment: configuration.environment.name, issuer: configuration.environment.issuer.absoluteString,
            clientID: configuration.clientID, signInMode: configuration.signIn.name, state: state,
            signOutReason: reason, tokenType: session?.tokenType.rawValue,
            accessTokenEndsIn: session?.life.endsAt.map { ($0 - keeper.clock.now).milliseconds / 1000 },
            canRenew: session.map { $0.refreshToken != nil }, isByApple: session.map { $0.appleUser != nil },
            scopes: session?.scopes,
            clockOffset: keeper.clock.isMeasured ? keeper.clock.offset.milliseconds / 1000 : nil,
            serverOffers: discovery.known?.offers, events: log.events)
    }

    /// A report without secrets. Its description is readable text; encode it for machines.
    public struct Diagnostics: Sendable, Codable, CustomStringConvertible {
        /// `sandbox` or `production`.
        public let environment: String
        /// The issuer.
        public let issuer: String
        /// The client id.
        public let clientID: String
        /// `full`, `partial` or `external`.
        public let signInMode: String
        /// `not_loaded`, `signed_in` or `signed_out`.
        public let state: String
        /// Why no one is signed in.
        public let signOutReason: WalletError.SignOutReason?
        /// `Bearer` or `DPoP`.
        public let tokenType: String?
        /// Seconds until the access token expires; negative once it has.
        public let accessTokenEndsIn: Int64?
        /// Whether there is a refresh token.
        public let canRenew: Bool?
        /// Whether the session was opened with Sign in with Apple.
        public let isByApple: Bool?
        /// The scopes that were granted.
        public let scopes: [String]?
        /// The offset of the device's clock from the server's in seconds, if the server's time is known.
        public let clockOffset: Int64?
        /// The features the server offers, if known.
        public let serverOffers: [String]?
        /// The last events, the newest last.
        public let events: [Event]

        /// One recorded event.
        public struct Event: Sendable, Codable {
            /// When it happened, in server time.
            public let at: Date
            /// The operation.
            public let operation: WalletError.Operation
            /// The result.
            public let result: String
            /// The server's trace id of the call.
            public let traceID: String?
        }

        /// The report as lines of text.
        public var description: String {
            var lines = ["environment: \(environment), issuer: \(issuer), client: \(clientID), sign-in: \(signInMode)"]
            lines.append("state: \(state)\(signOutReason.map { " (\($0.rawValue))" } ?? "")")
            if let tokenType {
                let ends = accessTokenEndsIn.map { "ends in \($0) s" } ?? "end unknown"
                lines.append("access token: \(tokenType), \(ends), \(canRenew == true ? "renewable" : "not renewable")")
            }
            if isByApple == true { lines.append("signed in with Apple") }
            if let clockOffset { lines.append("clock: off by \(clockOffset) s") }
            if let serverOffers { lines.append("server offers: \(serverOffers.joined(separator: ", "))") }
            for event in events {
                let trace = event.traceID.map { " [trace \($0)]" } ?? ""
                lines.append("\(event.at.formatted(.iso8601)) \(event.operation.rawValue): \(event.result)\(trace)")
            }
            return lines.joined(separator: "\n")
        }
    }
}

extension Wallet.Environment {
    fileprivate var name: String {
        switch self {
        case .sandbox: "sandbox"
        case .production: "production"
        }
    }
}

extension Wallet.SignIn {
    fileprivate var name: String {
        switch self {
        case .full: "full"
        case .partial: "partial"
        case .external: "external"
        }
    }
}

extension ServerDiscovery.Metadata {
    fileprivate var offers: [String] {
        var offers: [String] = []
        if authorizationURL != nil { offers.append("code flow") }
        if challengeURL != nil { offers.append("native sign-in") }
        if revocationURL != nil { offers.append("revocation") }
        if offersDPoP { offers.append("DPoP") }
        if promisesIssuer { offers.append("iss") }
        if keepsRefreshAttempts { offers.append("refresh attempts") }
        return offers
    }
}
