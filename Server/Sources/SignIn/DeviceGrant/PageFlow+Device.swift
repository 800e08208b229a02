internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The decision on a device, behind the sign-in: what the person sees, and what becomes of it.
extension PageFlow {
    private var ledger: DeviceGrantLedger { pages.deviceGrants }

    /// Shows the device to the person whose session the browser has. Nothing is stored before they confirm it: a stranger may have sent
    /// them the code.
    func showDevice(
        to session: BrowserSessionRecord, _ notice: DevicePage.Notice? = nil
    ) async throws -> AuthorizationAnswer {
        guard var device = deviceGrant, let record = try await deviceRecord() else { return deviceEnding(.over) }
        if let ending = ending(of: record, for: session.accountID) { return deviceEnding(ending) }
        let content = try ledger.vault.content(of: record)
        let confirmation = DevicePage.Confirmation(
            client: client.name, code: device.code ?? "", username: try await username(of: session.accountID) ?? "",
            scopes: request.scope.tokens, askedAt: record.createdAt, network: content.network,
            ownNetwork: NetworkAddress(origin.address)?.region)
        device.isConfirmed = nil
        device.shown = .confirmation
        let binding = seal.binding(cookies.binding)
        let state = PageState(
            request: request, binding: PageSeal.digest(of: binding), named: session.accountID.uuid, merchant: merchant,
            deviceGrant: device)
        let page = DevicePage(
            form: try seal.fields(state, binding: binding, now: now), step: .confirmation(confirmation),
            notice: notice, locales: request.uiLocales)
        let isNew = binding != cookies.binding
        return AuthorizationAnswer(
            outcome: .device(page), cookies: isNew ? [CookieChange(cookie: .binding, value: binding)] : [])
    }

    /// Shows the device after a sign-in made on these pages.
    /// - Parameter changes: the cookies that the sign-in sets.
    func showDevice(
        after admission: Admission, _ changes: [CookieChange]
    ) async throws -> AuthorizationAnswer {
        var flow = self
        for change in changes {
            switch change.cookie {
            case .binding: flow.cookies.binding = change.value
            case .session: flow.cookies.session = change.value
            case .device: flow.cookies.device = change.value
            case .watch: break
            }
        }
        guard let session = try await sessions.find(flow.cookies.session, now: now),
            session.accountID == admission.account.id
        else { return try await ask(beginning(hint)) }
        var answer = try await flow.showDevice(to: session)
        answer.cookies = changes + answer.cookies
        return answer
    }

    /// Gives the device what the person confirmed.
    func connectDevice(_ admission: Admission) async throws -> AuthorizationAnswer {
        guard let id = deviceID else { return stale }
        let account = admission.account.id
        let isConnected = try await ledger.decide(
            id, by: account, giving: admission, client: client, origin: origin, now: now)
        if isConnected { return deviceEnding(.connected(client: client.name)) }
        return deviceEnding(try await deviceRecord().flatMap { ending(of: $0, for: account) } ?? .over)
    }

    /// Refuses the device, for the person that the page names.
    func denyDevice(_ state: PageState) async throws -> AuthorizationAnswer {
        guard let session = try await session(namedBy: state) else { return try await ask(beginning(hint)) }
        return try await denyDevice(by: session.accountID)
    }

    /// "Cancel" on the way. Who has signed in refuses the device; anyone else only leaves.
    func leaveDevice(_ state: PageState) async throws -> AuthorizationAnswer {
        var answer = try await leavingDevice(state)
        // As after any "Cancel": the next person at this browser must not continue with what was proved.
        if state.hasProof { answer.cookies += try seal.leaving(cookies, isCancelled: true, now: now).changes }
        return answer
    }

    private func leavingDevice(_ state: PageState) async throws -> AuthorizationAnswer {
        if let session = try await session(namedBy: state) { return try await denyDevice(by: session.accountID) }
        return deviceEnding(.left)
    }

    private func denyDevice(by account: UniqueID) async throws -> AuthorizationAnswer {
        guard let id = deviceID else { return stale }
        let isDenied = try await ledger.decide(
            id, by: account, giving: nil, client: client, origin: origin, now: now)
        if isDenied { return deviceEnding(.denied(client: client.name)) }
        return deviceEnding(try await deviceRecord().flatMap { ending(of: $0, for: account) } ?? .over)
    }

    /// A page after which nothing follows. ``addressed(_:)`` gives it an address.
    func deviceEnding(_ ending: DevicePage.Ending) -> AuthorizationAnswer {
        let page = DevicePage(step: .ending(ending), locales: request.uiLocales)
        return AuthorizationAnswer(outcome: .device(page), cookies: [])
    }

    /// What a person reads whose device waits no more; `nil` for one that does, or where the sign-in is for none.
    func endedDevice(for account: UniqueID) async throws -> AuthorizationAnswer? {
        guard deviceGrant != nil else { return nil }
        guard let record = try await deviceRecord() else { return deviceEnding(.over) }
        return ending(of: record, for: account).map { deviceEnding($0) }
    }

    private var deviceID: UniqueID? { deviceGrant?.grant.flatMap { UniqueID(uuid: $0) } }

    private func deviceRecord() async throws -> DeviceGrantRecord? {
        guard let id = deviceID else { return nil }
        return try await database.read { try DeviceGrants.find(id, on: $0) }
    }

    /// What a device shows that waits no more; `nil` for one that does. The person who decided sees their decision again.
    private func ending(of record: DeviceGrantRecord, for account: UniqueID) -> DevicePage.Ending? {
        switch record.state {
        case .waiting: record.hasExpired(at: now) ? .over : nil
        case .approved, .redeemed: record.accountID == account ? .connected(client: client.name) : .over
        case .denied: record.accountID == account ? .denied(client: client.name) : .over
        }
    }
}
