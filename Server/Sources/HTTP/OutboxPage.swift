import Core
import Foundation
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

extension Pages {
    /// The sandbox's outbox. It is in English only, because it is for developers.
    func outbox(_ messages: [MessageReader.Message]) -> EndpointResponse {
        var values = frame(.english, title: "Outbox", brandName: "Sandbox")
        values["heading"] = "Outbox"
        values["lead"] = """
            Every message to your users, latest first. Messages leave this machine only if a mail server or an SMS service \
            is configured.
            """
        values["emptyLabel"] = "No messages yet."
        values["codeLabel"] = "Code"
        values["hasMessages"] = !messages.isEmpty
        values["messages"] = messages.map { message in
            var row: [String: Any] = [
                "kind": message.kind.replacing("_", with: " "),
                "channel": message.channel == "none" ? "not sent" : message.channel,
                "recipient": message.recipient, "time": Self.text(of: message.createdAt), "text": message.text,
            ]
            if message.channel != "sms" { row["subject"] = message.subject }
            row["delivery"] =
                message.channel == "none"
                ? "Not sent: the account has no address" : Self.text(of: message.delivery)
            if let code = message.code { row["code"] = code }
            return row
        }
        return response(.ok, .outbox, values, .english, ContentPolicy())
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
