import HTTPTypes
import HummingbirdTesting
import Operations
import Store
import Testing

@testable import HTTP
@testable import Kernel
@testable import Web

/// Maria's visit to her account's page, signed in there with her password and a code to her mailbox.
struct AccountPageVisit {
    static let email = "maria@example.com"

    let server: TestServer
    var browser: BrowserOverHTTP
    /// What the sign-in led to.
    private(set) var overview: TestResponse

    /// Runs a test's visit at a server of its own.
    /// - Parameter name: hers, in full.
    static func make(
        name: String? = nil, _ body: @Sendable (inout AccountPageVisit) async throws -> Void
    ) async throws {
        try await TestServer.serve { server, client in
            var visit = try await begin(server, client) { $0.profile.name = name }
            try await body(&visit)
        }
    }

    /// Makes the account as well.
    /// - Parameter recipient: where the code of the sign-in goes.
    static func begin(
        _ server: TestServer, _ client: any TestClientProtocol, codeTo recipient: String = email,
        _ adjust: (inout AccountRegistration) -> Void = { _ in }
    ) async throws -> AccountPageVisit {
        var registration = AccountRegistration(username: "maria", password: "correct horse battery")
        registration.email = email
        registration.emailVerified = true
        adjust(&registration)
        try await server.execute { try await AccountAdministration($0).create(registration) }
        return try await again(server, client, codeTo: recipient)
    }

    /// With an account that is there.
    static func again(
        _ server: TestServer, _ client: any TestClientProtocol, codeTo recipient: String = email
    ) async throws -> AccountPageVisit {
        var browser = BrowserOverHTTP(client: client)
        let asked = try await browser.signIn()
        let code = try await server.sentCode(to: recipient)
        let overview = try await browser.press("answer_factor", on: asked, [("answer", code)])
        try #require(overview.text.contains("Where you’re signed in"), "\(overview.text)")
        return AccountPageVisit(server: server, browser: browser, overview: overview)
    }

    mutating func press(
        _ action: String, on page: TestResponse, _ more: [(String, String)] = []
    ) async throws -> TestResponse {
        try await browser.press(action, on: page, more)
    }

    /// The page as a thief with all of the browser's cookies opens it.
    func stolen() async throws -> (BrowserOverHTTP, TestResponse) {
        var thief = BrowserOverHTTP(client: browser.client, cookies: browser.cookies)
        let seen = try await thief.open(BrowserOverHTTP.accountPage)
        try #require(seen.text.contains("Where you’re signed in"), "\(seen.text)")
        return (thief, seen)
    }
}

extension TestServer {
    /// The latest code that was sent to an address or number.
    func sentCode(to recipient: String) async throws -> String {
        let messages = try await server.messages?.recent(limit: 50) ?? []
        return try #require(messages.first { $0.recipient == recipient && $0.code != nil }?.code)
    }

    /// The kinds of messages to an address or number, the latest first.
    func sentKinds(to recipient: String) async throws -> [String] {
        try await (server.messages?.recent(limit: 50) ?? []).filter { $0.recipient == recipient }.map(\.kind)
    }

    func count(_ query: String) async throws -> Int64 {
        try await server.context.database.read { try $0.row(query, [])?.integer("n") ?? 0 }
    }
}

extension TestResponse {
    /// Whether a page has this notice at its field, which is marked.
    func hasAtField(_ notice: String) -> Bool {
        let escaped = HTMLEscaping().escapeText(notice)
        return text.contains("aria-invalid=\"true\"")
            && text.contains("<div class=\"wrong\" id=\"notice\" role=\"alert\">\n<p>\(escaped)</p>")
    }
}
