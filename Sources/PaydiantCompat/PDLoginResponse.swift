import Foundation
import WalletAuthWire

/// The result of a sign-in.
public final class PDLoginResponse: PDObject {
    /// The wallet's attributes, and then the properties of the request, in the order of their names. What is no text is in JSON.
    public let additionalData: [PDAuthenticationAdditionalData]
    /// The attributes for `withAdditionalAttributes`, with Foundation's values.
    let attributes: [String: Any]
    /// Whether the page has this response for the sign-in, and so prefers it to the method with attributes.
    var precedesAttributes: Bool

    /// - Parameters:
    ///   - attributes: those of the server; the app gets them under the page's kind of names (`lastPasswordUpdate`).
    ///   - properties: those of the request; nil for a sign-in that has no response on the page.
    init(_ attributes: [String: JSONValue], _ properties: [String: String]?) {
        let named = attributes.reduce(into: JSONObject()) { $0[$1.key.inCamelCase] = $1.value }
        let texts = Dictionary(uniqueKeysWithValues: named.members.map { ($0.name, $0.value.string ?? $0.value.text) })
        let all = [texts, properties ?? [:]].flatMap { texts in texts.sorted { $0.key < $1.key } }
        additionalData = all.map(PDAuthenticationAdditionalData.init)
        let values = try? JSONSerialization.jsonObject(with: Data(named.bytes))
        self.attributes = values as? [String: Any] ?? [:]
        precedesAttributes = properties != nil
    }
}

extension String {
    /// `last_login` as `lastLogin`.
    fileprivate var inCamelCase: String {
        let words = split(separator: "_").map(String.init)
        return (words.prefix(1) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }).joined()
    }
}
