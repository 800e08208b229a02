import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An answer as it came, with nothing followed and nothing decoded.
struct WebAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The members of a JSON object whose values are strings or numbers, as text.
    var members: [String: String] {
        let object = try? JSONSerialization.jsonObject(with: body)
        return ((object as? [String: Any]) ?? [:]).compactMapValues { value in
            switch value {
            case let text as String: text
            case let number as NSNumber: number.stringValue
            default: nil
            }
        }
    }

    func header(_ name: String) -> String? { headers[name.lowercased()] }
}

/// Plain HTTP: follows no redirect, keeps no cookie, caches nothing, and enters every secret it sees in the ledger.
final class WebClient: NSObject, URLSessionTaskDelegate, Sendable {
    let ledger: SecretLedger
    private let session: URLSession

    init(ledger: SecretLedger) {
        self.ledger = ledger
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.timeoutIntervalForRequest = 30
        session = URLSession(configuration: configuration, delegate: RefuseRedirects(), delegateQueue: nil)
    }

    /// Lets go of the connections; a session that is never invalidated keeps its delegate for ever.
    func close() { session.invalidateAndCancel() }

    func get(_ url: URL, headers: [String: String] = [:]) async throws -> WebAnswer {
        try await send("GET", url, headers: headers, body: nil)
    }

    /// Posts a form. The fields are a list, so that a test can double one.
    func post(
        _ url: URL, form: KeyValuePairs<String, String>, headers: [String: String] = [:]
    ) async throws -> WebAnswer {
        try await post(url, fields: form.map { ($0.key, $0.value) }, headers: headers)
    }

    func post(
        _ url: URL, fields: [(String, String)], headers: [String: String] = [:]
    ) async throws -> WebAnswer {
        ledger.enter(fields: Dictionary(fields, uniquingKeysWith: { first, _ in first }))
        var headers = headers
        headers["Content-Type"] = headers["Content-Type"] ?? "application/x-www-form-urlencoded"
        return try await send("POST", url, headers: headers, body: Data(formEncoded(fields).utf8))
    }

    func post(_ url: URL, json: String, headers: [String: String] = [:]) async throws -> WebAnswer {
        var headers = headers
        headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
        return try await send("POST", url, headers: headers, body: Data(json.utf8))
    }

    func send(_ method: String, _ url: URL, headers: [String: String], body: Data?) async throws -> WebAnswer {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        var received: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            received[String(describing: name).lowercased()] = String(describing: value)
        }
        let answer = WebAnswer(status: response.statusCode, headers: received, body: data)
        ledger.enter(fields: answer.members)
        if let location = answer.header("location") { ledger.enter(fields: queryItems(of: location)) }
        return answer
    }
}

/// A delegate of its own, since a session keeps its delegate alive.
private final class RefuseRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

/// The fields as application/x-www-form-urlencoded.
func formEncoded(_ fields: [(String, String)]) -> String {
    let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    func encoded(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "" }
    return fields.map { "\(encoded($0.0))=\(encoded($0.1))" }.joined(separator: "&")
}

/// The query of a URL by name; of a doubled name the first.
func queryItems(of url: String) -> [String: String] {
    let items = URLComponents(string: url)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
}
