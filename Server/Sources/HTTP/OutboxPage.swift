import Core
import Foundation
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

extension Pages {
    /// The sandbox's outbox. Kinds and channels are named as in its JSON.
    func outbox(_ messages: [MessageReader.Message], _ language: Language) -> EndpointResponse {
        let text = language.sandbox
        let frame = frame(
            language, heading: text[.outboxHeading], lead: text[.outboxLead], brandName: text[.name])
        let values = OutboxValues(
            emptyLabel: text[.outboxEmpty], codeLabel: language.text[.emailCodeLabel], hasMessages: !messages.isEmpty,
            messages: messages.map { message in
                let isMail = message.channel != "sms" && message.channel != "push"
                let isSent = message.channel != "none"
                return .init(
                    kind: message.kind, channel: isSent ? message.channel : text[.notSent],
                    recipient: message.recipient, time: Self.text(of: message.createdAt),
                    shownTime: language.moment(of: message.createdAt),
                    delivery: isSent ? Self.words(for: message.delivery, language) : text[.noAddress],
                    code: message.code, subject: isMail ? message.subject : nil, text: message.text)
            }, home: LinkValues(address: issuer.pathPrefix + "/", label: text[.backLabel]))
        return response(.ok, values, in: frame, language, ContentPolicy())
    }

    /// The delivery status for developers; `nil` for a message that is simply waiting.
    private static func words(
        for delivery: MessageReader.Message.Delivery, _ language: Language
    ) -> String? {
        let text = language.sandbox
        return switch delivery {
        case .waiting(nil): nil
        case .waiting(let reason?): text[.notDelivered, ["reason": reason]]
        case .scheduled(let time): text[.scheduled, ["time": language.moment(of: time.roundedUpToMinute)]]
        case .delivered: text[.delivered]
        case .failed(let reason): text[.undeliverable, ["reason": reason]]
        }
    }

    /// RFC 3339, in UTC.
    private static func text(of time: Timestamp) -> String {
        Date(timeIntervalSince1970: Double(time.seconds)).formatted(.iso8601)
    }
}
