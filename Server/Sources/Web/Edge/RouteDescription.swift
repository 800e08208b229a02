/// How `/openapi.json` presents a route: what it is for, and what generated clients call it.
package struct RouteDescription: Sendable {
    /// The chapters of the document. A generator makes a module of each.
    package enum Chapter: String, CaseIterable, Sendable {
        case walletOperations = "Wallet operations"
        case transactions = "Transactions"
        case consent = "Consent"
        case tokens = "Tokens"
        case signIn = "Sign-in"
        case devices = "Devices"
        case account = "Account"
        case loyalty = "Loyalty"
        case administration = "Administration"
        case pages = "Pages"
        case discovery = "Discovery"
        case health = "Health"

        /// Who calls what it has, and why.
        package var summary: String {
            switch self {
            case .walletOperations: "A backend asks for consent before it moves money, and keeps the evidence"
            case .transactions: "A backend sells by QR code or link, and an app signs"
            case .consent: "An app lets a person consent to a wallet operation, or refuse it"
            case .tokens: "OAuth 2.1 and OpenID Connect: tokens and claims"
            case .signIn: "Apps sign people in without a browser, and backends help them to"
            case .devices: "An app's device: its key, PIN, biometrics, push address and long-lived token"
            case .account: "What people change about their account in an app: factors, password, linked identities"
            case .loyalty: "An integrator's backend opens sessions and accounts for guests"
            case .administration: "Operators and their backends run the commands of the command line"
            case .pages: "Pages for browsers. Only their own buttons send their forms"
            case .discovery: "Metadata and public keys"
            case .health: "For load balancers"
            }
        }
    }

    package let chapter: Chapter
    /// The name of the operation, which never changes.
    package let id: String
    /// A sentence without a full stop.
    package let summary: String
}
