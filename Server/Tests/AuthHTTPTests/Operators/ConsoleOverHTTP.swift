import Core
import HTTPTypes
import HummingbirdTesting
import Operations
import Store
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import SignIn
@testable import Web

/// Ada in the operators' console. Maria is the person whom she helps.
struct ConsoleOverHTTP: Sendable {
    static let path = "/admin"
    static let accountPath = "/admin/account"
    static let password = "correct horse battery"

    let server: TestServer
    var browser: BrowserOverHTTP

    /// - Parameter role: the options of `operator grant`; none for a person without a role.
    static func use(
        _ role: String..., settings adjust: (inout ServerSettings) -> Void = { _ in },
        _ body: @Sendable (ConsoleOverHTTP) async throws -> Void
    ) async throws {
        let grant = AdminRequest(["operator", "grant", "ada", "--role"] + role)
        try await TestServer.use(settings: {
            $0.adminConsole = true
            adjust(&$0)
        }) { server in
            try await server.serve { client in
                for name in ["ada", "maria"] { try await server.makeReachable(name) }
                if !role.isEmpty { try await server.execute(grant) }
                try await body(ConsoleOverHTTP(server: server, browser: BrowserOverHTTP(client: client)))
            }
        }
    }

    /// Opens a page of the console, and signs in before it.
    mutating func signIn(_ path: String = path, as name: String = "ada") async throws -> TestResponse {
        let asked = try await browser.open(path)
        let second = try await browser.press(
            "sign_in", on: asked, [("username", name), ("password", Self.password)])
        let code = try await server.sentCode(to: "\(name)@example.com")
        return try await follow(browser.submit("answer_factor", on: second, [("answer", code)]))
    }

    /// Goes on to where an answer leads.
    mutating func follow(_ answer: TestResponse) async throws -> TestResponse {
        guard answer.status == .seeOther, let location = answer.headers[.location] else { return answer }
        return try await browser.open(String(location.dropFirst(TestServer.issuer.count)))
    }

    mutating func open(_ id: String) async throws -> TestResponse {
        try await browser.open("\(Self.accountPath)?id=\(id)")
    }

    /// Presses a button of an account's page, and goes on to the page that answers it.
    mutating func press(
        _ action: String, _ id: String, item: String? = nil, on page: TestResponse
    ) async throws -> TestResponse {
        try await follow(submit(action, id, item: item, on: page))
    }

    mutating func submit(
        _ action: String, _ id: String, item: String? = nil, on page: TestResponse
    ) async throws -> TestResponse {
        try await browser.submit(
            action, on: page, at: Self.accountPath, [("id", id)] + (item.map { [("item", $0)] } ?? []))
    }

    // MARK: - What is there

    func id(of name: String, brand: String = "default") async throws -> String {
        let shown = try await server.execute(["account", "show", name, "--brand", brand])
        return try #require(try shown.document()["accountId"]?.string)
    }

    func state(of id: String) async throws -> String? {
        try await server.execute(["account", "show", "--account", id]).document()["state"]?.string
    }

    /// The details of entries of the audit log, the newest last.
    func entries(_ kind: String) async throws -> [JSONObject] {
        let tail = try await server.execute(["audit", "tail", "--kind", kind, "--limit", "200"]).document()
        return tail["entries"]?.array?.compactMap { $0.object?["details"]?.object } ?? []
    }

    func write(_ statement: String) async throws {
        try await server.server.context.database.write { _ = try $0.execute(statement, []) }
    }
}

extension TestServer {
    /// An account with a confirmed address, whose code is a second factor.
    func makeReachable(_ name: String, brand: String? = nil) async throws {
        var registration = AccountRegistration(username: name, password: ConsoleOverHTTP.password)
        registration.brand = brand
        registration.email = "\(name)@example.com"
        registration.emailVerified = true
        try await execute { try await AccountAdministration($0).create(registration) }
    }
}

extension TestResponse {
    /// Whether a page has a text.
    func has(_ sentence: String) -> Bool { text.contains(HTMLEscaping().escapeText(sentence)) }

    /// The code that an authenticator app shows for the secret on a page.
    func authenticatorCode() throws -> String {
        let secret = try #require(text.firstMatch(of: /otpauth:[^"]*secret=([A-Z2-7]+)/)?.output.1)
        let bytes = try #require(Base32.decode(String(secret)))
        return TOTP.code(at: TOTP.stepNumber(at: SystemClock().now()), secret: bytes)
    }

    /// Whether a page of the console has a link to a question.
    func asks(_ action: String) -> Bool { text.contains("ask=\(action)\"") }

    /// Whether a page of the console has a button.
    func hasButton(_ action: String) -> Bool { text.contains("name=\"action\" value=\"\(action)\"") }
}
