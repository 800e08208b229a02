import Core
import Foundation
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

extension Pages {
    /// The sandbox's outbox. It is in English only, because it is for developers.
    func outbox(_ messages: [MessageReader.Message]) -> EndpointResponse {
        let frame = frame(
            .english, heading: "Outbox",
            lead: """
                Every message to your users, latest first. Messages leave this machine only if a mail server or an SMS \
                service is configured.
                """, brandName: "Sandbox")
        let values = OutboxValues(
            emptyLabel: "No messages yet.", codeLabel: "Code", hasMessages: !messages.isEmpty,
            messages: messages.map { message in
                let isSent = message.channel != "none"
                return .init(
                    kind: message.kind.replacing("_", with: " "), channel: isSent ? message.channel : "not sent",
                    recipient: message.recipient, time: Self.text(of: message.createdAt),
                    shownTime: Language.english.moment(of: message.createdAt),
                    delivery: isSent
                        ? Self.text(of: message.delivery) : "Not sent: the account has no address",
                    code: message.code, subject: message.channel == "sms" ? nil : message.subject, text: message.text)
            }, home: LinkValues(address: issuer.pathPrefix + "/", label: "Back to the sandbox"))
        return response(.ok, values, in: frame, .english, ContentPolicy())
    }

    /// The delivery status for developers; `nil` for a message that is simply waiting.
    private static func text(of delivery: MessageReader.Message.Delivery) -> String? {
        switch delivery {
        case .waiting(nil): nil
        case .waiting(let reason?): "Not delivered yet: \(reason)"
        case .delivered: "Delivered"
        case .failed(let reason): "Not delivered: \(reason)"
        }
    }

    /// RFC 3339, in UTC.
    private static func text(of time: Timestamp) -> String {
        Date(timeIntervalSince1970: Double(time.seconds)).formatted(.iso8601)
    }
}
