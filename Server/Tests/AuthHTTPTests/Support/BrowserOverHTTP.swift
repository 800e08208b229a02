import HTTPTypes
import HummingbirdTesting
import WalletAuthWire

/// One person's browser, with the cookies that it keeps.
struct BrowserOverHTTP {
    static let accountPage = "/account"

    let client: any TestClientProtocol
    var cookies: [String: String] = [:]
    /// What it sends in addition to its cookies.
    var headers: HTTPFields = [:]

    mutating func open(_ path: String) async throws -> TestResponse { try await keep(client.get(path, sent)) }

    /// Opens the account's page, and signs in there as Maria.
    mutating func signIn() async throws -> TestResponse {
        let login = [("username", "maria"), ("password", "correct horse battery")]
        return try await press("sign_in", on: open(Self.accountPage), login)
    }

    /// Presses a button of a page, and goes on to the page that answers it.
    /// - Parameters:
    ///   - path: where its form goes.
    ///   - more: what was typed.
    mutating func press(
        _ action: String, on page: TestResponse, at path: String = Self.accountPage, _ more: [(String, String)] = []
    ) async throws -> TestResponse {
        let answer = try await submit(action, on: page, at: path, more)
        guard let next = answer.nextPage else { return answer }
        return try await open(next)
    }

    /// Presses a button of a page.
    /// - Parameters: as of ``press(_:on:at:_:)``.
    /// - Returns: the answer to the form, which is a redirect to a page of the same flow or to the app, or the page on the way to it.
    mutating func submit(
        _ action: String, on page: TestResponse, at path: String = Self.accountPage, _ more: [(String, String)] = []
    ) async throws -> TestResponse {
        var form = FormParameters()
        form.append("request", try page.field("request"))
        form.append("csrf", try page.field("csrf"))
        form.append("action", action)
        for (name, value) in more { form.append(name, value) }
        return try await keep(client.postOnly(path, body: form.encoded, "application/x-www-form-urlencoded", sent))
    }

    /// The cookies, as the browser sends them.
    var cookieHeader: String { cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }

    private var sent: HTTPFields {
        var headers = headers
        if !cookies.isEmpty { headers[.cookie] = cookieHeader }
        return headers
    }

    private mutating func keep(_ answer: TestResponse) -> TestResponse {
        for cookie in answer.headers[values: .setCookie] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard let name = pair.first else { continue }
            cookies[String(name)] = pair.count == 2 ? String(pair[1]) : nil
        }
        return answer
    }
}
