import Foundation
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's request that needs the person's consent: as it was sent first, and as it is repeated.
struct ConsentRequest: Hashable, Sendable, Codable {
    private var method: String
    private var url: URL
    private var headers: [String: String]
    private var body: Data?
    private var timeout: Double

    /// Whether it may be repeated before anybody agreed, because the app itself said so by its method or key.
    let isIdempotent: Bool

    /// Larger ones are sent all the same, and not remembered over the app's end.
    static let mostKeptBytes = 8_192

    /// Takes a request over, and names it by an `Idempotency-Key` where the app did not.
    init?(_ request: URLRequest) {
        guard let url = request.url, request.httpBodyStream == nil else { return nil }
        self.url = url
        method = request.httpMethod?.uppercased() ?? "GET"
        body = request.httpBody
        timeout = request.timeoutInterval
        headers = request.allHTTPHeaderFields ?? [:]
        // The SDK's own, and nothing that a store should keep.
        headers = headers.filter { !["authorization", "dpop"].contains($0.key.lowercased()) }
        isIdempotent = ResourceCalls.isIdempotent(method, headers.keys)
        if bearsBody, !headers.keys.contains(where: { $0.lowercased() == "idempotency-key" }) {
            headers["Idempotency-Key"] = Randomness.token()
        }
    }

    /// The request as the app made it, with its key.
    var original: URLRequest { request(body) }

    /// The request with `scaDetails` in its JSON body. Every other byte of the body stays what the app wrote, numbers and
    /// order included.
    /// - Returns: nil where the body is no JSON object, or has such a member already.
    func agreed(_ details: SCADetails) -> URLRequest? {
        var merged = Array(body ?? Data())
        guard bearsBody else { return nil }
        if merged.isEmpty { merged = Array("{}".utf8) }
        // The app's own JSON, numbers of any size among it: read only to see that it is an object.
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

    /// A GET has no body that anybody would look at.
    private var bearsBody: Bool { !["GET", "HEAD"].contains(method) }

    /// Whether a store for small secrets should keep it.
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
