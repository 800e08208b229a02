/// The subject of an error page: its message, what the person can do, and what the app's developer should check.
package enum PageFault: Sendable {
    case unknownClient
    /// The detail is for the developer, if it may be shown: what was received, and what is registered.
    case redirectMismatch(String?)
    case redirectMissing
    /// A malformed request. The English sentence is for the developer and contains none of the request's values.
    case malformedRequest(String?)
    case expiredPage
    case serverFault
    case unavailable
    case notFound
    /// The page is available only at its own address, which the error page names.
    case foreignHost(address: String)

    package init(_ fault: RequestFault) {
        switch fault {
        case .unknownPath, .methodNotAllowed, .methodUnknown: self = .notFound
        case .notAcceptable, .unsupportedMediaType, .bodyTooLarge, .bodyTruncated, .doubledHeader, .malformed,
            .plainTransport, .silentProxy:
            self = .malformedRequest(fault.detail)
        case .foreignHost(let address): self = .foreignHost(address: address)
        }
    }

    package var heading: PageText {
        switch self {
        case .unknownClient: .unknownClientHeading
        case .redirectMismatch, .redirectMissing: .redirectMismatchHeading
        case .malformedRequest: .malformedRequestHeading
        case .expiredPage: .expiredPageHeading
        case .serverFault: .serverFaultHeading
        case .unavailable: .unavailableHeading
        case .notFound: .notFoundHeading
        case .foreignHost: .foreignHostHeading
        }
    }

    package var message: PageText {
        switch self {
        case .unknownClient: .unknownClient
        case .redirectMismatch, .redirectMissing: .redirectMismatch
        case .malformedRequest: .malformedRequest
        case .expiredPage: .expiredPage
        case .serverFault: .serverFault
        case .unavailable: .unavailable
        case .notFound: .notFound
        case .foreignHost: .foreignHost
        }
    }

    /// What to do next.
    package var nextStep: PageText {
        switch self {
        case .unknownClient, .redirectMismatch, .redirectMissing, .malformedRequest: return .nextStepApp
        case .expiredPage: return .nextStepRestart
        case .serverFault, .unavailable: return .nextStepService
        case .notFound: return .nextStepAddress
        case .foreignHost: return .nextStepOwnAddress
        }
    }

    /// Whether the way on is back to the app, to which no link is safe.
    package var leadsToApp: Bool {
        switch self {
        case .unknownClient, .redirectMismatch, .redirectMissing, .malformedRequest, .expiredPage: true
        case .serverFault, .unavailable, .notFound, .foreignHost: false
        }
    }

    /// What the developer of the app should check.
    package var developerHints: [PageText] {
        switch self {
        case .unknownClient: [.developerUnknownClient]
        case .redirectMismatch: [.developerRedirectMismatch]
        case .redirectMissing: [.developerRedirectMissing]
        case .malformedRequest, .expiredPage, .serverFault, .unavailable, .notFound, .foreignHost: []
        }
    }

    package var detail: String? {
        switch self {
        case .malformedRequest(let detail), .redirectMismatch(let detail): detail
        case .unknownClient, .redirectMissing, .expiredPage, .serverFault, .unavailable, .notFound, .foreignHost: nil
        }
    }

    /// The detail of what the log has no other place for.
    var loggedReason: String? {
        switch self {
        case .malformedRequest(let detail): detail
        case .unknownClient: "The request names no registered client."
        case .expiredPage: "The page has expired, or was opened in another browser."
        case .redirectMismatch, .redirectMissing, .serverFault, .unavailable, .notFound, .foreignHost: nil
        }
    }

    /// The page's own address, for the next step.
    package var address: String? {
        if case .foreignHost(let address) = self { address } else { nil }
    }
}
