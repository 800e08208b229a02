/// What an error page can be about: what is said, what the person can do, and what the developer of the app should check.
enum PageFault: Sendable {
    case unknownClient
    case redirectMismatch
    /// A request that makes no sense; the sentence, in English, is for the developer and carries nothing of its values.
    case malformedRequest(String?)
    case expiredPage
    case serverFault
    case unavailable
    case notFound

    init(_ fault: RequestFault) {
        switch fault {
        case .unknownPath, .methodNotAllowed, .methodUnknown: self = .notFound
        case .notAcceptable, .unsupportedMediaType, .bodyTooLarge, .bodyTruncated, .doubledHeader, .malformed,
            .plainTransport:
            self = .malformedRequest(fault.detail)
        }
    }

    var message: PageText.Sentence {
        switch self {
        case .unknownClient: \.unknownClient
        case .redirectMismatch: \.redirectMismatch
        case .malformedRequest: \.malformedRequest
        case .expiredPage: \.expiredPage
        case .serverFault: \.serverFault
        case .unavailable: \.unavailable
        case .notFound: \.notFound
        }
    }

    /// What to do now, where the message has not said it.
    var nextStep: PageText.Sentence? {
        switch self {
        case .unknownClient, .redirectMismatch, .malformedRequest: return \PageText.nextStepApp
        case .serverFault, .unavailable: return \PageText.nextStepService
        case .notFound: return \PageText.nextStepAddress
        case .expiredPage: return nil
        }
    }

    /// What the developer of the app should check.
    var developerHints: [PageText.Sentence] {
        switch self {
        case .unknownClient: [\.developerUnknownClient]
        case .redirectMismatch: [\.developerRedirectMismatch]
        case .malformedRequest, .expiredPage, .serverFault, .unavailable, .notFound: []
        }
    }

    var detail: String? {
        if case .malformedRequest(let detail) = self { detail } else { nil }
    }
}
