internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The pages that answer forms, at their own addresses. Showing one changes nothing.
extension AccountInteraction {
    /// Shows what a form came to, as things are by now.
    ///
    /// An address alone shows nothing: it takes the browser's cookies as well. All cookies together allow no change without it.
    /// - Parameters:
    ///   - page: the account page's part of the sealed state.
    ///   - state: the whole sealed state.
    func show(_ page: AccountPageState, _ state: PageState) async throws -> AuthorizationAnswer {
        if state.shown != nil { return try await flow(page).show(state) }
        guard let shown = page.shown else {
            return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
        }
        if let step = shown.view.end { return end(step) }
        if case .welcome(let link) = shown.view { return try await welcome(link, shown.notice) }
        if case .authenticatorNeeded = shown.view { return try await offerAuthenticator(for: page.intent) }
        let notice = shown.notice?.after((now - shown.at).wholeSeconds)
        if case .own(let own) = shown.view, let answer = try await showWithoutPerson(own, notice) { return answer }
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        if case .overview = shown.view { return try await overview(of: person, proved: page.proved, notice) }
        // What it was about is done, or the sign-in allows no change any more.
        guard let step = try await step(of: shown.view, person, on: page) else {
            return try await overview(of: person, proved: page.proved)
        }
        var mark: [UInt8] = []
        if case .recoveryCodes(let made, _) = shown.view { mark = made }
        return try await show(step, of: person, proved: page.proved, notice, by: mark, for: page.intent)
    }

    /// The step of a page after a sign-in on it, without doing anything for it; `nil` if there is none any more.
    private func step(
        of view: ShownAccountPage.View, _ person: SignedInPerson, on page: AccountPageState
    ) async throws -> AccountPage.Step? {
        if case .own(let own) = view { return try await step(of: own, person, on: page) }
        guard let call = call(of: person, on: page) else { return nil }
        let security = host.security
        switch view {
        case .password:
            guard try await security.password.refusal(of: call) == nil else { return nil }
            return .password(username: try await username(of: person))
        case .authenticator:
            return try await security.authenticatorApps.pendingSetup(call: call).map { .authenticator($0) }
        case .passkeys: return try await security.passkeys.manage(call: call).success.map { .passkeys($0) }
        case .pin: return try await host.pins.manage(call: call).success.map { .pin($0) }
        case .clientConsents: return try await host.consents.manage(call: call).success.map { .clientConsents($0) }
        case .removal(.authenticator):
            let account = call.account.id
            guard security.authenticatorApps.refusalOfRemoval(call: call) == nil,
                try await database.read({ try AccountFactors.find(account, on: $0) }).hasTOTP
            else { return nil }
            return .removal(.authenticator)
        case .removal(.device(let id, _)):
            return try await host.devices.removable(id, call: call).success.map { .removal(removal(of: $0)) }
        case .removal(.passkey(let id, _)):
            let passkey = try await security.passkeys.manage(call: call).success?.passkeys.first { $0.id == id }
            return passkey.map { .removal(.passkey(id: id, name: $0.name)) }
        case .removal(.identity(let id, _)):
            guard try await host.identities.refusalOfLeaving(call: call) == nil else { return nil }
            return try await removal(ofIdentity: id, of: person).map { .removal($0) }
        case .removal(.phone):
            return try await host.own.contacts.refusalOfRemoval(call: call) == nil
                ? .removal(phoneRemoval(of: person)) : nil
        case .recoveryCodes(let mark, let replacedOthers):
            let making = AccountPageState(intent: .look, proved: page.proved, mark: mark)
            guard let call = self.call(of: person, on: making),
                let codes = try await security.recoveryCodes.made(call: call)
            else { return nil }
            return .recoveryCodes(codes, replacedOthers: replacedOthers)
        case .overview, .own, .signedOut, .notSignedIn, .notPossibleHere, .authenticatorNeeded, .codeUndeliverable,
            .welcome, .welcomeOver:
            return nil
        }
    }
}

extension Result {
    var success: Success? { try? get() }
}
