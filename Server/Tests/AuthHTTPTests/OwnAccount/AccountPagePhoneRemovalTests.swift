import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@testable import SignIn
@testable import Web

@Suite("Removing the holder's number on the account's page", .threat("The account's own page"))
struct AccountPagePhoneRemovalTests {
    private static let number = "+35921234567"

    private func text(_ key: OwnAccountPageText) -> String { Language.english.ownAccountPageText[key] }

    private func addNumber(_ visit: inout AccountPageVisit, _ number: String = number) async throws -> TestResponse {
        let form = try await visit.press("change_phone", on: visit.overview)
        let sent = try await visit.press("send_phone_code", on: form, [("phone", number)])
        let code = try await visit.server.sentCode(to: number)
        return try await visit.press("confirm_phone", on: sent, [("contact_code", code)])
    }

    @Test("A number is removed after a question, also by a double click, and the number and the address get word")
    func removal() async throws {
        try await AccountPageVisit.make { visit in
            #expect(!visit.overview.text.contains("ask_to_remove_phone"))
            let added = try await addNumber(&visit)
            let question = try await visit.press("ask_to_remove_phone", on: added)
            #expect(question.text.contains(Self.number) && question.text.contains(text(.removePhoneLead)))
            for _ in 0..<2 {
                let done = try await visit.press("remove_phone", on: question)
                #expect(done.text.contains(text(.phoneRemoved)), "\(done.text)")
                #expect(!done.text.contains("ask_to_remove_phone"))
                let activity = try await visit.press("show_activity", on: done)
                #expect(activity.text.contains(">The phone number was removed.</h2>"), "\(activity.text)")
            }
            for recipient in [AccountPageVisit.email, Self.number] {
                #expect(try await visit.server.sentKinds(to: recipient).filter { $0 == "phone_removed" }.count == 1)
            }
            #expect(try await visit.server.count("SELECT COUNT(*) AS n FROM accounts WHERE phone IS NOT NULL") == 0)
            let closing = try await visit.press("ask_to_close", on: visit.overview)
            #expect(closing.status == .forbidden)
            // It says so of no number that was added since.
            _ = try await addNumber(&visit, "+35921234569")
            let late = try await visit.press("remove_phone", on: question)
            #expect(!late.text.contains(text(.phoneRemoved)), "\(late.text)")
        }
    }

    @Test("The form with the code, sent again once its number was removed, does not say that the number was added")
    func confirmedAfterRemoval() async throws {
        try await AccountPageVisit.make { visit in
            let form = try await visit.press("change_phone", on: visit.overview)
            let sent = try await visit.press("send_phone_code", on: form, [("phone", Self.number)])
            let typed = [("contact_code", try await visit.server.sentCode(to: Self.number))]
            let added = try await visit.press("confirm_phone", on: sent, typed)
            let question = try await visit.press("ask_to_remove_phone", on: added)
            let removed = try await visit.press("remove_phone", on: question)
            #expect(removed.text.contains(text(.phoneRemoved)), "\(removed.text)")
            let again = try await visit.press("confirm_phone", on: sent, typed)
            #expect(again.text.contains("expired_page"), "\(again.text)")
        }
    }

    @Test("attack: without a confirmed address the number stays, or nothing would reach the holder")
    func lastContact() async throws {
        try await AccountPageVisit.make { visit in
            let added = try await addNumber(&visit)
            let question = try await visit.press("ask_to_remove_phone", on: added)
            try await visit.server.server.context.database.write {
                _ = try $0.execute("UPDATE accounts SET email_state = 'unverified'", [])
            }
            for (action, page) in [("ask_to_remove_phone", added), ("remove_phone", question)] {
                let refused = try await visit.press(action, on: page)
                #expect(refused.status == .conflict, "\(action)")
                #expect(refused.text.contains(HTMLEscaping().escapeText(text(.lastContact))), "\(refused.text)")
            }
            #expect(try await visit.server.count("SELECT COUNT(*) AS n FROM accounts WHERE phone IS NOT NULL") == 1)
        }
    }

    @Test("attack: where no e-mail can be sent, the number stays, or no code would let its holder in on a new device")
    func lastContactWithoutEmail() async throws {
        try await TestServer.use(settings: { $0.undeliverableFactors = [.email] }) { server in
            try await server.serve { client in
                var visit = try await AccountPageVisit.begin(server, client, codeTo: Self.number) {
                    $0.phone = Self.number
                }
                for action in ["ask_to_remove_phone", "remove_phone"] {
                    let refused = try await visit.press(action, on: visit.overview)
                    #expect(refused.status == .conflict, "\(action)")
                    let reason = HTMLEscaping().escapeText(text(.lastContactEmailOff))
                    #expect(refused.text.contains(reason), "\(refused.text)")
                }
                #expect(try await visit.server.count("SELECT COUNT(*) AS n FROM accounts WHERE phone IS NOT NULL") == 1)
            }
        }
    }

    @Test("Where no SMS is sent, the question before the removal promises no notice to the number, and none goes there")
    func unreachedNumber() async throws {
        try await TestServer.use(settings: { $0.undeliverableFactors = [.sms] }) { server in
            try await server.serve { client in
                var visit = try await AccountPageVisit.begin(server, client) { $0.phone = Self.number }
                let question = try await visit.press("ask_to_remove_phone", on: visit.overview)
                #expect(question.text.contains(text(.removeUnreachedPhoneLead)), "\(question.text)")
                #expect(!question.text.contains(text(.removePhoneLead)))
                let done = try await visit.press("remove_phone", on: question)
                #expect(done.text.contains(text(.phoneRemoved)), "\(done.text)")
                #expect(try await visit.server.sentKinds(to: Self.number).isEmpty)
                #expect(try await visit.server.sentKinds(to: AccountPageVisit.email).contains("phone_removed"))
            }
        }
    }

    @Test("attack: neither a stolen cookie nor an old sign-in removes the number")
    func unprovedRemoval() async throws {
        try await AccountPageVisit.make { visit in
            let added = try await addNumber(&visit)
            let question = try await visit.press("ask_to_remove_phone", on: added)
            var (thief, page) = try await visit.stolen()
            for action in ["ask_to_remove_phone", "remove_phone"] {
                let asked = try await thief.press(action, on: page)
                #expect(asked.text.contains("name=\"password\""), "\(action)")
            }
            try await visit.server.server.context.database.write {
                _ = try $0.execute("UPDATE browser_sessions SET auth_time = auth_time - 3600000", [])
            }
            page = try await visit.press("remove_phone", on: question)
            #expect(page.text.contains("name=\"password\""), "\(page.text)")
            #expect(try await visit.server.count("SELECT COUNT(*) AS n FROM accounts WHERE phone IS NOT NULL") == 1)
        }
    }
}
