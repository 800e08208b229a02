import Core
import HTTPTypes
import HummingbirdTesting
import Operations
import Store
import Testing

@testable import HTTP
@testable import Kernel
@testable import SignIn

@Suite(
    "The holder's name on the account's page", .covers("names and secret questions on the account's page"),
    .threat("The account's own page"))
struct AccountPageNameTests {
    private func text(_ key: OwnAccountPageText) -> String { Language.english.ownAccountPageText[key] }

    private func profile(_ visit: AccountPageVisit) async throws -> PersonalProfile {
        let context = visit.server.server.context
        let account = try #require(
            try await context.database.read { try Accounts.find(named: "maria", brand: "default", on: $0) })
        return AccountVault(context.sealing).profile(of: account)
    }

    /// Maria with a name in parts, at a brand that lets people change theirs.
    private func visit(_ body: @Sendable (inout AccountPageVisit) async throws -> Void) async throws {
        try await TestServer.serve { server, client in
            try await server.execute(["brand", "update", "default", "--own-names", "on"])
            var visit = try await AccountPageVisit.begin(server, client) {
                $0.profile.givenName = "Maria"
                $0.profile.familyName = "Petrova"
                $0.profile.address = "1 Main Street"
            }
            try await body(&visit)
        }
    }

    @Test("The parts of the name that the account has are changed, and everything else stays")
    func whole() async throws {
        try await visit { visit in
            let form = try await visit.press("change_name", on: visit.overview)
            #expect(form.text.contains("name=\"given_name\""), "\(form.text)")
            #expect(form.text.contains("value=\"Petrova\""))
            #expect(!form.text.contains("name=\"name\""))
            let fields = [
                ("given_name", " Maria "), ("family_name", "O’Brien"), ("name", "Dr. X"), ("address", "mine"),
            ]
            let saved = try await visit.press("save_name", on: form, fields)
            #expect(saved.status == .ok, "\(saved.text)")
            #expect(saved.text.contains(text(.nameChanged)))
            #expect(saved.text.contains("Maria O’Brien"))
            let profile = try await profile(visit)
            #expect(profile.givenName == "Maria" && profile.familyName == "O’Brien")
            #expect(profile.name == nil && profile.address == "1 Main Street")
            // The same form once more has its first result.
            let again = try await visit.press("save_name", on: form, fields)
            #expect(again.text.contains(text(.nameChanged)), "\(again.text)")
            let kinds = try await visit.server.sentKinds(to: AccountPageVisit.email)
            #expect(kinds.count { $0 == "name_changed" } == 1, "\(kinds)")
        }
    }

    @Test("attack: the name changes five times before a wait, and the mailbox gets a message each time")
    func limited() async throws {
        try await visit { visit in
            var form = try await visit.press("change_name", on: visit.overview)
            for number in 1...6 {
                let saved = try await visit.press(
                    "save_name", on: form, [("given_name", "Maria \(number)"), ("family_name", "Petrova")])
                #expect(saved.text.contains(text(.nameChanged)) == (number < 6), "\(number): \(saved.text)")
                if number < 6 { form = try await visit.press("change_name", on: saved) }
            }
            #expect(try await profile(visit).givenName == "Maria 5")
            let counted = try await visit.server.sentKinds(to: AccountPageVisit.email).count { $0 == "name_changed" }
            #expect(counted == 5)
        }
    }

    @Test("attack: a part that is empty, missing, too long or turns the text around changes nothing")
    func unusable() async throws {
        try await visit { visit in
            var page = try await visit.press("change_name", on: visit.overview)
            for family in ["", " ", String(repeating: "x", count: 101), "Petrova\u{202E}"] {
                page = try await visit.press(
                    "save_name", on: page, [("given_name", "Eve"), ("family_name", family)])
                #expect(page.status == .badRequest)
                #expect(page.text.contains("value=\"Eve\""), "\(page.text)")
            }
            page = try await visit.press("save_name", on: page, [("given_name", "Eve")])
            #expect(page.status == .badRequest)
            let markup = "\"><script>x"
            let saved = try await visit.press(
                "save_name", on: page, [("given_name", markup), ("family_name", "Petrova")])
            #expect(!saved.text.contains("<script>x"))
        }
    }

    @Test("attack: neither a cookie alone nor a brand that checks names itself changes one")
    func refused() async throws {
        try await visit { visit in
            var (thief, page) = try await visit.stolen()
            let eve = [("given_name", "Eve"), ("family_name", "X")]
            for (action, fields) in [("change_name", []), ("save_name", eve)] {
                let answer = try await thief.press(action, on: page, fields)
                #expect(answer.text.contains("name=\"password\""), "\(action): \(answer.text)")
            }
            let form = try await visit.press("change_name", on: visit.overview)
            try await visit.server.execute(["brand", "update", "default", "--own-names", "off"])
            let late = try await visit.press("save_name", on: form, eve)
            #expect(!late.text.contains(text(.nameChanged)))
            #expect(!late.text.contains("value=\"change_name\""))
            #expect(late.text.contains("contact"), "\(late.text)")
            #expect(try await profile(visit).givenName == "Maria")
        }
        try await AccountPageVisit.make { visit in
            try await visit.server.execute(["brand", "update", "default", "--own-names", "on"])
            let page = try await visit.press("change_name", on: visit.overview)
            #expect(!page.text.contains("value=\"save_name\""), "an account without a name has none to change")
        }
    }
}
