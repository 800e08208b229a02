import Foundation
import WalletAuthTransport
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
    init?(_ request: URLRequest, key: String? = nil) {
        guard let url = request.url, request.httpBodyStream == nil else { return nil }
        self.url = url
        method = request.httpMethod?.uppercased() ?? "GET"
        body = request.httpBody
        timeout = request.timeoutInterval
        headers = request.allHTTPHeaderFields ?? [:]
        // Added by the SDK, and not fit for a store.
        headers = headers.filter { !["authorization", "dpop"].contains($0.key.lowercased()) }
        isIdempotent = ResourceCalls.isIdempotent(method, headers.keys)
        if bearsBody, !headers.keys.contains(where: { $0.lowercased() == "idempotency-key" }) {
            headers["Idempotency-Key"] = key ?? Randomness.token()
        }
    }

    /// The app's request, with its key.
    var original: URLRequest { request(body) }

    /// Returns the request with `scaDetails` in its JSON body. All other bytes of the body stay as the app wrote them,
    /// including numbers and their order.
    /// - Returns: nil if the body is not a JSON object, or already has the member.
    func agreed(_ details: SCADetails) -> URLRequest? {
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
        if request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    /// Servers ignore the body of a GET.
    private var bearsBody: Bool { !["GET", "HEAD"].contains(method) }

    /// Whether it fits in a store for small secrets.
    var isSmall: Bool {
        let named = headers.reduce(url.absoluteString.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        return named + (body?.count ?? 0) <= Self.mostKeptBytes
    }

    private func request(_ body: Data?) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = body
        request.timeoutInterval = timeout
        return request
    }
}
