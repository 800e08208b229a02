package import Core
package import Kernel
internal import WalletAuthWire

/// The download of the person's data on the account's page. Its form has an address of its own: the document is not made here, since it
/// reaches into every feature.
extension AccountPages {
    /// What the form leads to.
    package enum Export: Sendable {
        case document([UInt8])
        /// A page that says why not, or asks for a sign-in.
        case page(AuthorizationAnswer)
    }

    /// Answers the form, whose rule is that of apps.
    /// - Parameter document: makes the file; `nil` if it would be too large.
    package func export(
        _ submission: PageSubmission<Void>, cookies: BrowserCookies, origin: RequestOrigin,
        document: @Sendable (AccountRecord, Timestamp) async throws -> [UInt8]?
    ) async throws -> Export {
        let now = clock.now()
        switch pages.seal.open(submission, binding: cookies.binding, now: now) {
        case .current(let state):
            guard let page = state.account else { break }
            let interaction = AccountInteraction(
                host: self, request: state.request, cookies: cookies, origin: origin, now: now, form: state.form)
            let answer: AuthorizationAnswer
            let begun = try await interaction.inItsLanguage { interaction in
                try await interaction.asHolder(on: page) { try await $0.beginExport(on: page) }
            }
            switch begun {
            case .failure(let refusal): answer = refusal.answer
            case .success(let account):
                if let bytes = try await document(account, now) { return .document(bytes) }
                answer = try await interaction.inItsLanguage { try await $0.refuseExport(on: page) }
            }
            return .page(try await dressed(answer, for: state.request, cookies))
        case .unbound(let state):
            guard state.account != nil else { break }
            return .page(restart(state.request))
        case .refused: break
        }
        return .page(try await refused(submission.request))
    }
}

/// The page in place of a file.
private struct RefusedExport: Error {
    let answer: AuthorizationAnswer
}

extension AccountInteraction {
    /// - Returns: the account whose data is exported.
    fileprivate func beginExport(on page: AccountPageState) async throws -> Result<AccountRecord, RefusedExport> {
        guard let person = try await signedIn() else {
            return .failure(RefusedExport(answer: try await ask(for: .look)))
        }
        let intent = Intent.own(.export)
        guard let call = call(of: person, on: page) else {
            return .failure(RefusedExport(answer: try await ask(for: intent, person)))
        }
        guard let refusal = try await host.own.beginExport(by: call) else { return .success(person.account) }
        // The page stays where it is after a download, so its button may be pressed again.
        if case .unauthorized = refusal {
            let again = try await show(.own(.export), of: person, proved: page.proved, .own(.exportAgain))
            return .failure(RefusedExport(answer: again))
        }
        return .failure(
            RefusedExport(answer: try await answer(refusal, intent, of: person, proved: page.proved)))
    }

    /// The account's page, which says that one file does not hold the data.
    fileprivate func refuseExport(on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        return try await overview(of: person, proved: page.proved, .own(.exportTooLarge))
    }
}
