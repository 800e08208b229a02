package import Core

/// A service that delivers push messages to phones.
package enum PushService: String, Sendable, Hashable, CaseIterable {
    /// Apple's push service.
    case apns
    /// Firebase Cloud Messaging.
    case fcm
}

/// Where a push goes besides the token, and what it tells of. The service learns nothing more of the subject.
package struct PushTarget: Sendable, Hashable {
    package var service: PushService
    /// Whether Apple's service for apps in development issued the token.
    package var isDevelopment: Bool
    /// The app's id at Apple; `nil` for the one in the settings.
    package var topic: String?
    /// The subject's id. A later push about it replaces an earlier one.
    package var subject: String
    /// For example `transaction`.
    package var subjectKind: String

    package init(
        service: PushService, isDevelopment: Bool = false, topic: String? = nil, subject: String, subjectKind: String
    ) {
        self.service = service
        self.isDevelopment = isDevelopment
        self.topic = topic
        self.subject = subject
        self.subjectKind = subjectKind
    }
}

/// Sends each push by the service that issued its token.
package struct PushTransports: MessageTransport {
    private let services: [PushService: any MessageTransport]

    /// - Parameter services: those that are configured.
    package init(_ services: [PushService: any MessageTransport]) {
        self.services = services
    }

    package func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome {
        guard let target = message.push else { return .refused("push: the message names no device") }
        guard let transport = services[target.service] else {
            return .postponed("\(target.service.rawValue): the service is not configured")
        }
        return try await transport.deliver(message, now: now)
    }

    package func examine() async -> String? {
        for service in PushService.allCases {
            if let fault = await services[service]?.examine() { return "\(service.rawValue): \(fault)" }
        }
        return nil
    }
}

/// The id of an app at Apple, which is usually its bundle id.
package enum PushTopic {
    package static func isValid(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "."
                        || scalar == "-")
            }
    }
}

/// The largest payload that either service takes, in bytes.
enum PushPayload {
    static let limit = 4096
}
