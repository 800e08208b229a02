/// Apps with access, on the account's page. Access is withdrawn after a sign-in on that page.
extension AccountInteraction {
    /// Withdraws an app's access and shows the remaining apps.
    func withdrawConsent(to client: String, on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .clientConsents, person) }
        let management = ClientConsentManagement(context: context, call: call)
        let notice: AccountPage.Notice
        switch try await management.withdraw(client) {
        case .success: notice = .accessRemoved
        case .failure(.notFound): notice = .noSuchAccess
        case .failure(let refusal):
            return try await answer(refusal, .clientConsents, of: person, proved: page.proved)
        }
        switch try await management.manage() {
        case .success(let apps):
            return try await show(.clientConsents(apps), of: person, proved: page.proved, notice)
        case .failure(let refusal):
            return try await answer(refusal, .clientConsents, of: person, proved: page.proved)
        }
    }
}
