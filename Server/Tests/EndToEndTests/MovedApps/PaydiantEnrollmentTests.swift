import Foundation
import PaydiantCompat
import Testing

/// A newcomer, who belongs to the suite of the page's journey because the module has one configuration for the whole process.
extension PaydiantTests {
    @Test("A newcomer proves an address, chooses a password, is signed in and asks for the secret questions")
    func newcomer() async throws {
        try await withServer { @Sendable @MainActor server in
            try await server.require([
                "brand", "update", "default", "--registration", "on", "--secret-questions", "on",
            ])
            let client = try await server.makePublicClient()
            let person = Person(username: "grace", password: "Pw-\(UUID().uuidString)")
            server.ledger.enter(person.password)
            let phone = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            try await configure(phone, server, client)

            let coordinator = PDUserEnrollmentCoordinator()
            let user = PDUser()
            (user.emailAddress, user.username, user.password) = ("grace@example.com", person.username, person.password)
            var token: PDEnrollmentToken?
            let unsent: Int? = await withCheckedContinuation { continuation in
                coordinator.createUser(
                    user,
                    completion: {
                        token = $0
                        continuation.resume(returning: nil)
                    }, failure: { continuation.resume(returning: $0.code) })
            }
            #expect(unsent == nil)
            let sent = try #require(token)
            let right = try await server.newestCode(digits: 8)
            @MainActor func confirm(_ code: String) async -> Int? {
                sent.code = code
                return await withCheckedContinuation { continuation in
                    coordinator.confirmUser(
                        user, token: sent, completion: { continuation.resume(returning: nil) },
                        failure: { continuation.resume(returning: $0.code) })
                }
            }
            #expect(await confirm(right == "12345678" ? "87654321" : "12345678") == 400)
            #expect(await confirm(right) == nil)
            let questions: Int = await withCheckedContinuation { continuation in
                coordinator.retrieveMfaQuestionsWithMetadata(
                    completion: { continuation.resume(returning: $0.mfaQuestions.count) },
                    failure: { continuation.resume(returning: -$0.code) })
            }
            #expect(questions > 0)
        }
    }
}
