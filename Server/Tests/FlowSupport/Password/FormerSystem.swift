import Core
import Synchronization
package import WalletAuthWire

@testable package import Kernel
@testable import SignIn

/// The system that people come from, in a test's hands: the passwords it knows, and what it was asked.
package final class FormerSystem: Sendable {
    package static let verify = "https://old.example.com/verify"

    package typealias Answering = @Sendable (ProviderHTTP.Request) async throws -> ProviderHTTP.Answer

    private struct State {
        var people: [String: (password: String, subject: String)] = [:]
        var requests: [ProviderHTTP.Request] = []
        var answering: Answering?
        var (checks, isDown) = (0, false)
    }

    private let state = Mutex(State())

    package init() {}

    package var http: ProviderHTTP { ProviderHTTP { try await self.answer($0) } }

    /// Has it know a person.
    package func add(_ name: String, password: String, subject: String) {
        state.withLock { $0.people[name] = (password, subject) }
    }

    /// Has it answer nothing from now on, or answer again.
    package func fail(_ isDown: Bool = true) { state.withLock { $0.isDown = isDown } }

    /// How often it was asked whether it answers at all. These questions are among no others.
    package var checks: Int { state.withLock { $0.checks } }

    /// Has something else answer from now on, but whether it answers at all.
    package func answer(by answering: @escaping Answering) { state.withLock { $0.answering = answering } }

    /// The names that it was asked about.
    package var names: [String] { questions.compactMap { $0["username"]?.string } }

    package var requests: [ProviderHTTP.Request] { state.withLock { $0.requests } }

    private var questions: [JSONObject] { requests.compactMap { try? JSONValue.object(parsing: $0.body) } }

    package func forgetRequests() { state.withLock { $0.requests = [] } }

    private func answer(_ request: ProviderHTTP.Request) async throws -> ProviderHTTP.Answer {
        let question = try? JSONValue.object(parsing: request.body)
        let isCheck = question?["username"]?.string == FormerSystemCheck.username
        let state = state.withLock { state in
            if isCheck { state.checks += 1 } else { state.requests.append(request) }
            return state
        }
        if state.isDown { throw ProviderFailure("no connection") }
        if isCheck { return try Self.answer(request, [:]) }
        return try await state.answering?(request) ?? Self.answer(request, state.people)
    }

    private static func answer(
        _ request: ProviderHTTP.Request, _ people: [String: (password: String, subject: String)]
    ) throws -> ProviderHTTP.Answer {
        guard request.method == "POST" else { return ProviderHTTP.Answer(status: 405, body: []) }
        let question = try JSONValue.object(parsing: request.body)
        let person = people[question["username"]?.string ?? ""]
        return yes(to: question, subject: person?.password == question["password"]?.string ? person?.subject : nil)
    }

    /// - Parameter subject: `nil` for a no.
    package static func yes(to question: JSONObject, subject: String?) -> ProviderHTTP.Answer {
        var answer = JSONObject()
        answer["requestId"] = question["requestId"]
        answer["verified"] = .bool(subject != nil)
        answer.set("subject", subject)
        return ProviderHTTP.Answer(status: 200, body: answer.bytes)
    }
}

/// The waits of wrong passwords: none lasts in a test.
package final class RecordedWaits: Sendable {
    private let waits = Mutex<[Duration]>([])

    package init() {}

    package var all: [Duration] { waits.withLock { $0 } }

    package func forget() { waits.withLock { $0 = [] } }

    package func timing() -> AdoptionTiming {
        var timing = AdoptionTiming()
        timing.checkLifetime = .zero
        timing.sleep = { duration in self.waits.withLock { $0.append(duration) } }
        return timing
    }
}
