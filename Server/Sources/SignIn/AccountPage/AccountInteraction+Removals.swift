internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The password, and what a holder removes or ends, on the account's page. Each change follows a sign-in on that page.
extension AccountInteraction {
    func changePassword(
        to typed: Result<Password, NewPasswordFault>, on page: AccountPageState
    ) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .password, person) }
        let fault: NewPasswordFault
        switch typed {
        case .failure(let typo): fault = typo
        case .success(let password):
            switch try await host.security.password.change(to: password, call: call) {
            case .success:
                let notice: AccountPage.Notice = person.account.password == nil ? .passwordAdded : .passwordChanged
                // The account's record has another password now, and another time of its change.
                guard let person = try await signedIn() else { return try await ask(for: .look) }
                return try await overview(of: person, proved: page.proved, notice)
            case .failure(.passwordUnacceptable(let violation)): fault = .unacceptable(violation)
            case .failure(let refusal):
                return try await answer(refusal, .password, of: person, proved: page.proved)
            }
        }
        return try await show(
            .password(username: username(of: person)), of: person, proved: page.proved, .newPassword(fault))
    }

    func username(of person: SignedInPerson) async throws -> String {
        try await database.read { try Accounts.names(of: person.account.id, on: $0) }.first ?? ""
    }

    func removeAuthenticator(on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else {
            return try await ask(for: .authenticatorRemoval, person)
        }
        switch try await host.security.authenticatorApps.remove(call: call) {
        case .success: return try await overview(of: person, proved: page.proved, .authenticatorRemoved)
        case .failure(let refusal):
            return try await answer(refusal, .authenticatorRemoval, of: person, proved: page.proved)
        }
    }

    func removeDevice(_ id: String, on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        let intent = Intent.deviceRemoval(id: id)
        guard let call = call(of: person, on: page) else { return try await ask(for: intent, person) }
        switch try await host.devices.remove(id, call: call) {
        case .success: return try await overview(of: person, proved: page.proved, .deviceRemoved)
        case .failure(let refusal): return try await answer(refusal, intent, of: person, proved: page.proved)
        }
    }

    func removal(of device: DeviceRecord) -> AccountPage.Removal {
        let vault = DeviceVault(host.pages.vault.sealing)
        return .device(id: device.id.uuid, name: vault.open(device.name, .name, of: device.id) ?? "")
    }

    /// The page follows a sign-in on it, so the number is there in full.
    func phoneRemoval(of person: SignedInPerson) -> AccountPage.Removal {
        .phone(
            host.pages.vault.destination(of: .sms, account: person.account) ?? "",
            getsWord: !host.own.stepUp.secondFactors.undeliverable.contains(.sms))
    }

    /// Why the number stays.
    var lastContact: AccountPage.Notice {
        .own(.lastContact(isEmailOff: host.own.stepUp.secondFactors.undeliverable.contains(.email)))
    }

    /// The open sessions, with the holder's names for their devices.
    /// - Parameter isProved: whether the person signed in on this page. A cookie alone does not say where they are.
    func listedSessions(
        of person: SignedInPerson, devices: [DeviceRecord], proved isProved: Bool
    ) async throws -> [AccountOverview.Session] {
        let (account, own, now) = (person.account.id, person.session.idHash, now)
        let vault = DeviceVault(host.pages.vault.sealing)
        let sessions = try await database.read {
            try AccountSession.list(
                of: account, own: own, devices: devices,
                networks: isProved ? SessionVault(host.pages.vault.sealing) : nil, now: now, on: $0)
        }
        return sessions.map { session in
            guard case .app(_, let id) = session.place, let device = devices.first(where: { $0.id == id }) else {
                return AccountOverview.Session(session: session)
            }
            return AccountOverview.Session(session: session, device: vault.open(device.name, .name, of: device.id))
        }
    }
}
