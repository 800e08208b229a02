import Foundation
import WalletAuthWire

/// The properties of a request, in order.
struct Properties: Sendable {
    let list: [(name: String, value: String)]

    init(_ data: [PDAuthenticationAdditionalData]?) {
        list = (data ?? []).compactMap { item in
            item.additionalDataKey.map { ($0, item.additionalDataValue ?? "") }
        }
    }

    var byName: [String: String] { Dictionary(list.map { ($0.name, $0.value) }) { _, last in last } }
}

extension [String: JSONValue] {
    /// The attributes under the page's kind of names (`lastPasswordUpdate`), with Foundation's values.
    var forDelegate: [String: Any] {
        Dictionary<String, Any>(map { ($0.inCamelCase, $1.foundationValue) }) { first, _ in first }
    }
}

extension PDLoginResponse {
    convenience init(_ attributes: [String: JSONValue], _ properties: Properties?) {
        let texts = attributes.sorted { $0.key < $1.key }.compactMap { name, value in
            value.text.map {
                PDAuthenticationAdditionalData(additionalDataKey: name.inCamelCase, additionalDataValue: $0)
            }
        }
        let own = (properties?.list ?? []).map {
            PDAuthenticationAdditionalData(additionalDataKey: $0.name, additionalDataValue: $0.value)
        }
        self.init(additionalData: texts + own)
    }
}

extension JSONValue {
    fileprivate var text: String? {
        switch self {
        case .string(let value): value
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .bool(let value): String(value)
        case .null, .array, .object: nil
        }
    }

    fileprivate var foundationValue: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): Int(clamping: value)
        case .number(let value): value
        case .string(let value): value
        case .array(let values): values.map(\.foundationValue)
        case .object(let object):
            Dictionary<String, Any>(object.members.map { ($0.name, $0.value.foundationValue) }) { first, _ in first }
        }
    }
}

extension String {
    /// `last_login` as `lastLogin`.
    fileprivate var inCamelCase: String {
        let words = split(separator: "_")
        return (words.prefix(1).map(String.init) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() })
            .joined()
    }
}
