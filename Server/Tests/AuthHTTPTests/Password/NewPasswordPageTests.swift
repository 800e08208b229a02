import Core
import HTTPTypes
import HummingbirdTesting
import Operations
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("A new password on the hosted page", .covers("a new password or PIN is typed once, unseen"))
struct NewPasswordPageTests {
    private static let new = "a fresh phrase 7"

    @Test("It is typed twice; if the two differ, both fields are marked, the focused one says why, and nothing is set")
    func repeated() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            try await server.makePublicClient()
            try await server.execute(["account", "expire-password", "maria"])
            let first = try await Journey.open(client)
            var page = try await Journey.signIn(client, on: first)
            #expect(page.status == .ok)
            #expect(page.text.contains("<label for=\"repeated-password\">Repeat the new password</label>"))
            // A password manager fills in both by this name.
            #expect(page.text.matches(of: /autocomplete="new-password"/).count == 2)
            #expect(page.text.contains(#"value="maria" autocomplete="username" readonly hidden>"#))
            #expect(!page.text.contains("aria-invalid"))

            func choose(_ typed: [(String, String)], on page: TestResponse) async throws -> TestResponse {
                var form = FormParameters()
                form.append("request", try page.field("request"))
                form.append("csrf", try page.field("csrf"))
                form.append("action", "set_password")
                for (name, value) in typed { form.append(name, value) }
                return try await client.post(
                    "/sign-in", body: form.encoded, "application/x-www-form-urlencoded", [.cookie: first.cookieHeader])
            }
            let differing = [
                [("new_password", Self.new), ("repeated_password", "a fresh phrase 8")],
                [("new_password", Self.new), ("repeated_password", "")], [("new_password", Self.new)],
            ]
            for typed in differing {
                page = try await choose(typed, on: page)
                #expect(page.status == .badRequest)
                let words = Language.english.text[.passwordMistyped]
                #expect(page.text.contains("id=\"notice\" role=\"alert\">\n<p>\(words)</p>"))
                #expect(page.text.ranges(of: words).count == 1)
                // The focus, the fault and the first of the two empty fields are at one place.
                let place = /<p>([^<]*)<\/p>\n<\/div>\n<div class="entry">\n<input id="new-password"[^>]*>/
                let first = try #require(page.text.firstMatch(of: place))
                #expect(first.output.1 == words)
                #expect(
                    first.output.0.contains(
                        " autofocus aria-invalid=\"true\" aria-describedby=\"notice password-hint\""))
                #expect(page.text.contains("enterkeyhint=\"go\" aria-invalid=\"true\" aria-describedby=\"notice\""))
                #expect(page.text.ranges(of: " autofocus").count == 1)
                #expect(!page.text.contains(Self.new))
            }
            for typed in [[("new_password", ""), ("repeated_password", "")], [("new_password", "")]] {
                page = try await choose(typed, on: page)
                #expect(page.status == .badRequest)
                #expect(page.text.contains("role=\"alert\">\n<p>\(Language.english.text[.passwordMissing])</p>"))
                #expect(!page.text.contains(Language.english.text[.passwordMistyped]))
            }
            // Neither is set: the one before opens the page that asks for another, as it did.
            let again = try await Journey.signIn(client, on: Journey.open(client))
            #expect(again.text.contains("name=\"repeated_password\""))
            let short = try await choose([("new_password", "short"), ("repeated_password", "short")], on: page)
            #expect(short.status == .badRequest)
            #expect(short.text.ranges(of: "aria-invalid").count == 1)
            let done = try await choose([("new_password", Self.new), ("repeated_password", Self.new)], on: short)
            #expect(done.status == .seeOther, "\(done.text)")
            #expect(try done.redirectParameters["code"] != nil)
            #expect(!server.log.lines.contains { $0.contains(Self.new) })
        }
    }
}
