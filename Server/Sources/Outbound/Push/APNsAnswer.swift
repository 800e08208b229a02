internal import Core
internal import WalletAuthWire

/// Why Apple's push service refused a request. Others of its reasons are reported by their status alone.
enum APNsReason: String {
    case badDeviceToken = "BadDeviceToken"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case unregistered = "Unregistered"
    case expiredToken = "ExpiredToken"
    case badTopic = "BadTopic"
    case missingTopic = "MissingTopic"
    case topicDisallowed = "TopicDisallowed"
    case expiredProviderToken = "ExpiredProviderToken"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case unrelatedKey = "UnrelatedKeyIdInToken"
    case keyOfOtherEnvironment = "BadEnvironmentKeyIdInToken"
    case forbidden = "Forbidden"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"

    /// What an operator can do about it.
    var remedy: String? {
        switch self {
        case .badTopic, .missingTopic, .topicDisallowed: "check push.apns.topic and the client's --push-topic"
        case .invalidProviderToken, .missingProviderToken, .unrelatedKey, .forbidden:
            "check push.apns.team, push.apns.keyId and push.apns.keyFile"
        case .keyOfOtherEnvironment: "the key is for Apple's other environment"
        case .expiredProviderToken: "check this server's clock"
        case .badDeviceToken, .deviceTokenNotForTopic, .unregistered, .expiredToken, .payloadTooLarge,
            .tooManyProviderTokenUpdates, .tooManyRequests:
            nil
        }
    }
}

/// An answer of Apple's push service.
struct APNsAnswer {
    let status: Int
    let reason: APNsReason?
    /// Since when the token has been void, according to Apple.
    let goneSince: Timestamp?
    let retryAfter: Duration?

    init(_ answer: GuardedHTTP.Answer) {
        status = answer.status
        retryAfter = answer.retryAfter
        let body = try? JSONValue.object(parsing: answer.body)
        reason = body?["reason"]?.string.flatMap(APNsReason.init)
        goneSince = body?["timestamp"]?.integer.map { Timestamp(milliseconds: $0) }
    }

    var outcome: DeliveryOutcome {
        let name = "apns: \(reason?.rawValue ?? String(status))"
        let why = reason?.remedy.map { "\(name): \($0)" } ?? name
        switch (status, reason) {
        case (200, _): return .delivered
        case (410, _): return .unregistered(why, since: goneSince)
        case (_, .badDeviceToken), (_, .deviceTokenNotForTopic): return .unregistered(why)
        // An operator can repair these while the message waits.
        case (400, .badTopic), (400, .missingTopic), (400, .topicDisallowed): return .postponed(why)
        case (400, _), (413, _): return .refused(why)
        // No push of this server is taken. A key for the other environment, a forbidden topic and a device that got too many concern some.
        case (_, .invalidProviderToken), (_, .missingProviderToken), (_, .unrelatedKey), (_, .expiredProviderToken),
            (_, .tooManyProviderTokenUpdates), (429, nil), (500..., _):
            return .unavailable(why, retryAfter: retryAfter)
        default: return .postponed(why, retryAfter: retryAfter)
        }
    }
}
