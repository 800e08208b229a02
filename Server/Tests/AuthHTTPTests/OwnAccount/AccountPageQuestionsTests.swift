import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing

@testable import HTTP
@testable import SignIn

@Suite(
    "Secret questions on the account's page", .covers("names and secret questions on the account's page"),
    .threat("The account's own page"))
struct AccountPageQuestionsTests {
    private static let answers = [
        ("answer_first_pet", "Rex"), ("answer_first_teacher", "Frau Schmidt"), ("answer_first_concert", "The Cure"),
    ]
    private static let row = "Secret questions"

    private func text(_ key: OwnAccountPageText) -> String { Language.english.ownAccountPageText[key] }

    private func questions(_ visit: AccountPageVisit) async throws -> [String] {
        try await visit.server.server.context.database.read {
            try $0.query("SELECT question FROM secret_questions ORDER BY question", []).map { try $0.text("question") }
        }
    }

    /// Someone signed in at the page of an account whose brand accepts questions.
    private func visit(_ body: @Sendable (inout AccountPageVisit) async throws -> Void) async throws {
        try await TestServer.serve { server, client in
            try await server.execute(["brand", "update", "default", "--secret-questions", "on"])
            var visit = try await AccountPageVisit.begin(server, client)
            try await body(&visit)
        }
    }

    @Test("Questions are answered, replaced and removed; no answer is shown again, and the holder gets word")
    func whole() async throws {
        try await visit { visit in
            #expect(visit.overview.text.contains(Self.row))
            let form = try await visit.press("choose_questions", on: visit.overview)
            #expect(form.status == .ok, "\(form.text)")
            for question in SecretQuestion.allCases {
                #expect(form.text.contains("<label for=\"answer_\(question.rawValue)\">"), "\(question)")
            }
            let saved = try await visit.press("set_questions", on: form, Self.answers)
            #expect(saved.status == .ok, "\(saved.text)")
            #expect(saved.text.contains(text(.questionsChanged)))
            #expect(saved.text.contains("3 answered"))
            #expect(try await questions(visit) == ["first_concert", "first_pet", "first_teacher"])
            #expect(try await visit.server.sentKinds(to: AccountPageVisit.email).first == "secret_questions_set")
            let again = try await visit.press("choose_questions", on: saved)
            #expect(!again.text.contains("Rex") && !again.text.contains("Schmidt"))
            #expect(again.text.ranges(of: text(.answered)).count == 3)
            let other = [("answer_first_pet", "Bello")] + Self.answers.dropFirst()
            let replaced = try await visit.press(
                "set_questions", on: again, other + [("answer_first_employer", "ACME")])
            #expect(replaced.text.contains("4 answered"))
            let last = try await visit.press("choose_questions", on: replaced)
            let removed = try await visit.press("remove_questions", on: last)
            #expect(removed.text.contains(text(.questionsRemoved)), "\(removed.text)")
            #expect(try await questions(visit).isEmpty)
            let activity = try await visit.press("show_activity", on: removed)
            for done in ["set up", "changed", "removed"] {
                #expect(activity.text.contains(">The secret questions were \(done).</h2>"), "\(activity.text)")
            }
        }
    }

    @Test("Too few, too short or equal answers save nothing, and the page says what is asked for")
    func unacceptable() async throws {
        try await visit { visit in
            var page = try await visit.press("choose_questions", on: visit.overview)
            let attempts: [[(String, String)]] = [
                [], Array(Self.answers.dropLast()), Self.answers.dropLast() + [("answer_first_concert", "x")],
                Self.answers.map { ($0.0, "the same") },
                SecretQuestion.allCases.map { ("answer_\($0.rawValue)", "answer \($0)") },
            ]
            for attempt in attempts {
                page = try await visit.press("set_questions", on: page, attempt)
                #expect(page.status == .badRequest)
                #expect(page.text.contains("Nothing was saved"), "\(page.text)")
            }
            #expect(try await questions(visit).isEmpty)
            #expect(try await visit.press("set_questions", on: page, Self.answers).status == .ok)
        }
    }

    @Test("A form that arrives twice saves once and says so twice; other answers in the same form change nothing")
    func twice() async throws {
        try await visit { visit in
            let form = try await visit.press("choose_questions", on: visit.overview)
            for _ in 0..<2 {
                let saved = try await visit.press("set_questions", on: form, Self.answers)
                #expect(saved.text.contains(text(.questionsChanged)), "\(saved.text)")
            }
            let messages = try await visit.server.sentKinds(to: AccountPageVisit.email)
            #expect(messages.count { $0 == "secret_questions_set" } == 1)
            let stale = try await visit.press("set_questions", on: form, Self.answers.map { ($0.0, $0.1 + " II") })
            #expect(!stale.text.contains(text(.questionsChanged)))
        }
    }

    @Test("attack: a browser's cookie alone neither sets nor removes questions")
    func stolen() async throws {
        try await visit { visit in
            let form = try await visit.press("choose_questions", on: visit.overview)
            _ = try await visit.press("set_questions", on: form, Self.answers)
            var (thief, page) = try await visit.stolen()
            for (action, fields) in [
                ("choose_questions", []), ("set_questions", Self.answers.map { ($0.0, "mine " + $0.1) }),
                ("remove_questions", []),
            ] {
                let answer = try await thief.press(action, on: page, fields)
                #expect(answer.text.contains("name=\"password\""), "\(action): \(answer.text)")
            }
            #expect(try await questions(visit).count == 3)
            let messages = try await visit.server.sentKinds(to: AccountPageVisit.email)
            #expect(messages.count { $0 == "secret_questions_set" } == 1)
        }
    }

    @Test("A brand that accepts none shows none; answers from before can only be removed")
    func off() async throws {
        try await AccountPageVisit.make { visit in
            #expect(!visit.overview.text.contains(Self.row))
            let pressed = try await visit.press("choose_questions", on: visit.overview)
            #expect(!pressed.text.contains("answer_first_pet"))
        }
        try await visit { visit in
            let form = try await visit.press("choose_questions", on: visit.overview)
            let saved = try await visit.press("set_questions", on: form, Self.answers)
            try await visit.server.execute(["brand", "update", "default", "--secret-questions", "off"])
            let overview = try await visit.press("show_account", on: saved)
            #expect(!overview.text.contains("value=\"choose_questions\""))
            #expect(overview.text.contains("value=\"remove_questions\""))
            let removed = try await visit.press("remove_questions", on: overview)
            #expect(!removed.text.contains(Self.row), "\(removed.text)")
            #expect(try await questions(visit).isEmpty)
        }
    }
}
