import Foundation
import WalletAuthTransport
import WalletAuthWire

/// The app's request that needs the person's consent, in its original and its repeated form.
struct ConsentRequest: Hashable, Sendable, Codable {
    private var method: String
    private var url: URL
    private var headers: [String: String]
    private var body: Data?
    private var timeout: Double

    /// Whether the request may be repeated before the consent, because its method or key says so.
    let isIdempotent: Bool

    /// Larger requests are sent too, but do not survive the app's end.
    static let mostKeptBytes = 8_192

    /// Stores a request, and adds an `Idempotency-Key` if the app set none.
    /// - Parameter key: the key to add; nil for a new one.
    init(_ request: HTTPRequest, key: String? = nil) {
        url = request.url
        method = request.method
        body = request.body
        timeout = request.timeout / .seconds(1)
        isIdempotent = request.isIdempotent
        // Added by the SDK, and not fit for a store.
        let kept = request.headers.all.filter { !["authorization", "dpop"].contains($0.name.lowercased()) }
        headers = Dictionary(kept.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        if bearsBody, request.headers[IdempotencyKey.headerName] == nil {
            headers[IdempotencyKey.headerName] = key ?? Randomness.token()
        }
    }

    /// The app's request, with its key.
    var original: HTTPRequest { request(body) }

    /// Returns the request with `scaDetails` in its JSON body. All other bytes of the body stay as the app wrote them,
    /// including numbers and their order.
    /// - Returns: nil if the body is not a JSON object, or already has the member.
    func agreed(_ details: SCADetails) -> HTTPRequest? {
        var merged = Array(body ?? Data())
        guard bearsBody else { return nil }
        if merged.isEmpty { merged = Array("{}".utf8) }
        // The app's own JSON, with numbers of any size: parsed only to check that it is an object.
        guard let object = try? JSONSerialization.jsonObject(with: Data(merged)) as? [String: Any],
            object["scaDetails"] == nil, let end = merged.lastIndex(of: UInt8(ascii: "}"))
        else { return nil }
        var member = Array("\(object.isEmpty ? "" : ",")\"scaDetails\":".utf8)
        member += details.json.bytes
        merged.insert(contentsOf: member, at: end)
        var request = request(Data(merged))
        if request.headers["Content-Type"] == nil { request.headers["Content-Type"] = "application/json" }
        return request
    }

    /// Servers ignore the body of a GET.
    private var bearsBody: Bool { !["GET", "HEAD"].contains(method) }

    /// Whether it fits in a store for small secrets.
    var isSmall: Bool {
        let named = headers.reduce(url.absoluteString.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        return named + (body?.count ?? 0) <= Self.mostKeptBytes
    }

    private func request(_ body: Data?) -> HTTPRequest {
        HTTPRequest(
            method: method, url: url, headers: HTTPFields(headers.map { (name: $0.key, value: $0.value) }), body: body,
            timeout: HTTPRequest.timeout(seconds: timeout))
    }
}
