import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

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

/// Plain HTTP: follows no redirect, keeps no cookie, caches nothing, and enters every secret it sees in the ledger. Each
/// request has a connection of its own.
final class WebClient: Sendable {
    let ledger: SecretLedger
    private let client: HTTPClient

    /// The clients by the number of their connections. They serve the whole run, so they are never shut down.
    private static let clients = Mutex<[Int: HTTPClient]>([:])

    /// - Parameter connections: how many requests to one host are on their way at once.
    init(ledger: SecretLedger, connections: Int = 6) {
        self.ledger = ledger
        client = Self.clients.withLock { clients in
            if let client = clients[connections] { return client }
            var pool = HTTPClient.Configuration.ConnectionPool(
                idleTimeout: .seconds(4), concurrentHTTP1ConnectionsPerHostSoftLimit: connections)
            // A test wants to hear at once that no server is there.
            pool.retryConnectionEstablishment = false
            let client = HTTPClient(
                eventLoopGroupProvider: .singleton,
                configuration: HTTPClient.Configuration(
                    redirectConfiguration: .disallow,
                    // Counts also while a request waits for one of the connections, as most of a thousand requests do.
                    timeout: .init(connect: .minutes(5)), connectionPool: pool))
            clients[connections] = client
            return client
        }
    }

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
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = HTTPMethod(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.headers.add(name: "Connection", value: "close")
        if let body { request.body = .bytes(Array(body)) }
        let response = try await client.execute(request, timeout: .minutes(5))
        let content = try await response.body.collect(upTo: 8 << 20)
        let received = Dictionary(
            response.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
        let answer = WebAnswer(
            status: Int(response.status.code), headers: received, body: Data(content.readableBytesView))
        ledger.enter(fields: answer.members)
        if let location = answer.header("location") { ledger.enter(fields: queryItems(of: location)) }
        return answer
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
