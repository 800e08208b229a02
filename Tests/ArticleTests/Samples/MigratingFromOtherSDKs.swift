import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

import enum WalletAuthWire.ErrorCode

@Suite("The numbers of the Paydiant tables", .covers("error tables"))
struct ExampleMigrationTests {
    /// A row of the page's table of numbers.
    struct Row: Sendable, CustomTestStringConvertible {
        let number: Int
        let calls: String
        let code: String
        var testDescription: String { "\(number) \(code)" }
    }

    /// The rows, as docs/migrating.md has them.
    static let rows: [Row] = {
        let page = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "docs/migrating.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        return text.matches(of: #/\| (\d+) \| ([^|]+) \| `(\w+)` \|/#).compactMap { match in
            Int(match.output.1).map { Row(number: $0, calls: String(match.output.2), code: String(match.output.3)) }
        }
    }()

    @Test(
        "Every number in the Paydiant tables has one row on the page, and is the SDK's number for its code",
        arguments: rows)
    func number(row: Row) throws {
        let operation: ErrorCode.Operation =
            row.calls.contains("generate") && !row.calls.contains(",")
            ? .generatingDeviceToken
            : row.calls == "`loginWithDeviceAuthenticationToken`" ? .usingDeviceToken : .other
        let code = try #require(ErrorCode(rawValue: row.code))
        #expect(code.statusCode(during: operation) == row.number)
    }

    @Test("The page has all the numbers of the Paydiant tables")
    func complete() {
        #expect(
            Set(Self.rows.map(\.number)) == [400, 401, 403, 412, 418, 419, 421, 423, 432, 500, 503, 508, 511, 1003])
    }

    @Test("A sign-in that goes on has the number of the page's row for it")
    func outcomes() async throws {
        let world = ExampleWorld()
        let wallet = try world.wallet(world.ports)
        func number(of code: String) throws -> Int {
            try #require(Self.rows.first { $0.code == code && $0.calls.contains("loginBy") }).number
        }
        for (state, code): (ScriptedServer.AccountState, String) in [
            (.secondFactor(answer: "42"), "mfa_required"), (.emailUnverified(code: "123456"), "email_unverified"),
            (.passwordChangeRequired, "password_change_required"),
        ] {
            world.server.setState(of: "ada", state)
            let outcome = try await wallet.login(username: "ada", password: "correct horse")
            #expect(try outcome.statusCode == number(of: code))
        }
        let unconfirmed =
            #"{"error":"insufficient_authorization","error_code":"app_instance_unverified","auth_session":"session-1"}"#
        world.server.inject(
            .answer(
                HTTPResponse(
                    status: 403, headers: ["Content-Type": "application/json"], body: Data(unconfirmed.utf8))),
            at: "/oauth2/authorize-challenge")
        let outcome = try await wallet.login(username: "ada", password: "correct horse")
        #expect(try outcome.statusCode == number(of: "app_instance_unverified"))
        #expect(try await wallet.logout().statusCode == Self.rows.first { $0.code == "not_signed_in" }?.number)
    }
}
