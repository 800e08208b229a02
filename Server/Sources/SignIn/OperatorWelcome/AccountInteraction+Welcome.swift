internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The page of an operator's one-time link.
extension AccountInteraction {
    /// Opens the link. It stays usable: programs that preview links open it as well.
    func welcome(_ secret: OperatorLinkSecret?) async throws -> AuthorizationAnswer {
        guard let secret else { return end(.welcomeOver) }
        return try await welcome(OperatorWelcome.Link(secret))
    }

    func welcome(
        _ link: OperatorWelcome.Link, _ notice: AccountPage.Notice? = nil
    ) async throws -> AuthorizationAnswer {
        guard let guest = try await host.welcome.guest(of: link, now: now) else { return end(.welcomeOver) }
        return try await askForPassword(of: guest, link, notice)
    }

    private func askForPassword(
        of guest: OperatorWelcome.Guest, _ link: OperatorWelcome.Link, _ notice: AccountPage.Notice?
    ) async throws -> AuthorizationAnswer {
        try await present(
            .welcome(username: guest.names.first ?? "", link), of: BrandID(guest.account.brandID), proved: nil, notice)
    }

    /// Sets the password and signs the person in with it, through the gate, on the way to the authenticator app.
    func accept(
        _ typed: Result<Password, NewPasswordFault>, on page: AccountPageState
    ) async throws -> AuthorizationAnswer {
        guard case .welcome(let link)? = page.shown?.view else {
            return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
        }
        guard let guest = try await host.welcome.guest(of: link, mark: page.mark, now: now),
            let name = guest.names.first
        else { return end(.welcomeOver) }
        let password: Password
        switch typed {
        case .success(let entered): password = entered
        case .failure(let fault): return try await askForPassword(of: guest, link, .newPassword(fault))
        }
        switch try await host.welcome.accept(password, for: guest, by: page.mark, origin: origin, now: now) {
        case .accepted:
            let account = try await database.read { try Accounts.find(guest.account.id, on: $0) } ?? guest.account
            return try await flow(of: account, for: .authenticator(before: nil)).signIn(name, password)
        case .unacceptable(let violation):
            return try await askForPassword(of: guest, link, .newPassword(.unacceptable(violation)))
        case .busy(let seconds):
            return try await askForPassword(of: guest, link, .tooManyAttempts(retryAfter: seconds))
        case .over: return end(.welcomeOver)
        }
    }
}
