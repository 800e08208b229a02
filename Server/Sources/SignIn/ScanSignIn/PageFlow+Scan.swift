internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// What the hosted page needs for sign-ins by scanning.
struct ScanSignInCodes: Sendable {
    let database: any Database
    let vault: ScanSignInVault
    let keyRing: KeyRing
    let random: any RandomBytes
    let issuer: Issuer

    /// The code that a page shows now.
    func code(of record: ScanSignInRecord, now: Timestamp) throws -> SignInCode {
        SignInCode(
            issuer: issuer, transactionID: try TransactionID(record.id.uuid),
            secret: try vault.content(of: record).secret(of: record.step(at: now)))
    }

    /// A waiting sign-in, for the browser that began it.
    func find(_ id: String, binding: String?) async throws -> ScanSignInRecord? {
        guard let id = UniqueID(uuid: id), let binding,
            let record = try await database.read({ try ScanSignIns.find(id, on: $0) }),
            ConstantTime.equal(record.browser, PageSeal.digest(of: binding))
        else { return nil }
        return record
    }
}

/// Sign-in with the phone on the hosted page: the code, the number, and what comes of it.
extension PageFlow {
    private var scans: ScanSignInCodes { pages.scans }

    /// Whether the page offers it. Not for what precedes a change or a payment: such a request asks for two factors or a recent sign-in,
    /// and this one counts as less. Nor for a device: its code may have been sent by a stranger, and this one as well. Nor for another
    /// company's client: the consent would outlast the session, and a stranger may be at the browser. Nor on a phone: the code would be
    /// on the screen of the phone that has to scan it.
    var offersScan: Bool {
        get async throws {
            guard !isOnPhone, purpose == .app, client.isFirstParty, request.maxAge == nil,
                request.acrValues.isEmpty || request.acrValues.contains(AuthenticationStrength.singleFactor)
            else { return false }
            let brand = try brand.rawValue
            return try await database.read { try Brands.takesScans(brand, on: $0) }
        }
    }

    /// Whether the browser says that it is on a phone. A tablet shows the code to a phone like any other screen; on Android, only phones
    /// say "Mobile".
    private var isOnPhone: Bool {
        switch BrowserKind(origin).system {
        case .iphone: true
        case .android: origin.userAgent?.contains("Mobile") == true
        default: false
        }
    }

    /// Begins to show codes. A browser has one at a time: the former one ends.
    func beginScan(_ state: PageState) async throws -> AuthorizationAnswer {
        guard try await offersScan, let binding = cookies.binding else { return try await ask(beginning(hint)) }
        let key = try scans.keyRing.active(.attempts)
        let network = SharedCounters("scan-sign-ins", of: origin, under: ScanLimits.ofNetwork, key: key, now: now)
        // Refused without a write, so that a flood costs none.
        if let held = try await database.read({ try network.heldUntil(now: now, on: $0) }) {
            return try await hold(until: held)
        }
        let id = try scans.random.timeOrderedID(now)
        let page = PageState(
            request: request, binding: PageSeal.digest(of: binding), merchant: merchant)
        let kind = BrowserKind(origin)
        let content = ScanSignInContent(
            request: try seal.fields(page, binding: binding, now: now).request, seed: scans.random.bytes(16),
            service: client.name, browser: kind.browser?.name, system: kind.system?.name)
        let record = ScanSignInRecord(
            id: id, brandID: try brand.rawValue, clientID: client.id.rawValue, browser: PageSeal.digest(of: binding),
            // An unknown network is never the phone's.
            network: origin.networkDigest(key: key) ?? scans.random.bytes(32),
            sealed: try scans.vault.seal(content, of: id), state: .open, revision: 1, createdAt: now,
            endsAt: now + ScanLimits.showing)
        let reservation = try await database.write { connection -> AttemptReservation in
            let reservation = try network.count(now: now, on: connection)
            guard case .compare = reservation else { return reservation }
            try ScanSignIns.endUnused(of: record.browser, now: now, on: connection)
            guard try ScanSignIns.add(record, on: connection) else { throw WriteConflict() }
            return reservation
        }
        if case .refuse(let until) = reservation { return try await hold(until: until ?? now + ScanLimits.showing) }
        let path = Endpoints.scanPage.path(try TransactionID(id.uuid))
        return AuthorizationAnswer(outcome: .restart(scans.issuer.url(path: path)), cookies: [])
    }

    private func hold(until end: Timestamp) async throws -> AuthorizationAnswer {
        try await ask(beginning(hint), .networkHeld(retryAfter: RetryAfter.seconds(until: end, now: now)))
    }

    /// Shows how far it is, or continues once the phone has approved it.
    func showScan(_ record: ScanSignInRecord) async throws -> AuthorizationAnswer {
        let again = beginning(hint)
        guard !record.hasExpired(at: now) else { return try await ask(again, .scanExpired) }
        let id = record.id.uuid
        switch record.state {
        case .open:
            let seconds = max(1, (record.nextStep(at: now) - now).wholeMilliseconds / 1000 + 1)
            return try await ask(
                .scan(
                    SignInPage.Scan(
                        id: id, code: try scans.code(of: record, now: now).reveal(), number: nil, refreshAfter: seconds)
                ))
        case .claimed, .chosen:
            return try await ask(
                .scan(SignInPage.Scan(id: id, code: nil, number: record.claim?.number, refreshAfter: 3)))
        case .signed:
            return try await signIn(by: ScanSignInMethod(scan: record.id), again: again, wrong: .scanExpired)
        case .mismatched: return try await ask(again, .numberMismatch)
        case .rejected, .failed: return try await ask(again, .scanRejected)
        // It signed in this browser before, and does so once.
        case .used: return try await ask(again)
        }
    }
}

extension Authorization {
    /// `GET /sign-in/scan/{id}`, in the browser that asked for a code. It needs no form: without scripts, the page can only load itself
    /// again.
    func scan(
        _ id: String, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = clock.now()
        guard let record = try await pages.scans.find(id, binding: cookies.binding),
            let binding = cookies.binding,
            let state = pages.seal.state(
                in: try pages.scans.vault.content(of: record).request, binding: binding, now: now)
        else { return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: []) }
        return try await goOn(state, cookies: cookies, origin: origin, now: now) { page in
            var page = page
            page.merchant = state.merchant
            return try await page.showScan(record)
        }
    }

    /// How far a waiting sign-in is, for the page's script.
    enum ScanState: Sendable, Hashable {
        /// The page shows this code.
        case code(String)
        case number
        /// The page has something else to show.
        case over
    }

    /// - Returns: `nil` if this browser has no such sign-in.
    func scanState(_ id: String, cookies: BrowserCookies) async throws -> ScanState? {
        let now = clock.now()
        guard let record = try await pages.scans.find(id, binding: cookies.binding) else { return nil }
        guard !record.hasExpired(at: now) else { return .over }
        switch record.state {
        case .open: return .code(try pages.scans.code(of: record, now: now).reveal())
        case .claimed, .chosen: return .number
        case .signed, .used, .rejected, .mismatched, .failed: return .over
        }
    }
}
