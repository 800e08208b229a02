internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// What the pages read and write of waiting devices.
struct DeviceGrantLedger: Sendable {
    let database: any Database
    let vault: DeviceGrantVault
    let auditLog: AuditLog
    let keyRing: KeyRing
    let issuer: Issuer
    let random: any RandomBytes

    init(_ context: ServerContext) {
        database = context.database
        vault = DeviceGrantVault(context.sealing)
        auditLog = context.auditLog
        keyRing = context.keyRing
        issuer = context.settings.issuer
        random = context.random
    }

    enum Guess: Sendable {
        case found(DeviceGrantRecord)
        case wrong
        case held(until: Timestamp?)
    }

    /// Looks for the device with a code. Wrong codes count for the browser and for its network, so that no one tries them through.
    /// - Parameter binding: the cookie of the browser.
    func find(_ code: UserCode, binding: String, origin: RequestOrigin, now: Timestamp) async throws -> Guess {
        let key = try keyRing.active(.attempts)
        let network = SharedCounters(
            "device-codes", of: origin, under: DeviceGrantLimits.ofNetworkGuesses, key: key, now: now)
        let browser = Digests.keyed("device-codes-of-browser", [binding], key: key)
        let digests = keyRing.keys(.attempts, at: now).map { code.digest(key: $0) }
        return try await database.write { connection in
            if case .refuse(let until) = try network.reserve(now: now, on: connection) { return .held(until: until) }
            let own = try Attempts.reserve(
                browser, under: DeviceGrantLimits.ofBrowserGuesses, now: now, on: connection)
            if case .refuse(let until) = own {
                try network.refund(on: connection)
                return .held(until: until)
            }
            if let record = try DeviceGrants.waiting(digests, now: now, on: connection) {
                try network.refund(on: connection)
                try Attempts.refund(browser, on: connection)
                return .found(record)
            }
            try network.fail(on: connection)
            try Attempts.fail(browser, on: connection)
            return .wrong
        }
    }

    /// Stores the decision, with its entry in the audit log.
    /// - Parameters:
    ///   - admission: the sign-in that the device gets; `nil` to refuse it.
    ///   - client: its name in the audit log.
    /// - Returns: whether this was the decision; `false` if there was another one, or the codes have expired.
    func decide(
        _ id: UniqueID, by account: UniqueID, giving admission: Admission?, client: RegisteredClient,
        origin: RequestOrigin, now: Timestamp
    ) async throws -> Bool {
        let grant = try admission.map { try vault.seal($0, of: id) }
        let entry = try auditLog.entry(
            grant == nil ? DeviceGrantEvent.denied : .approved, account: account, client: client.id.rawValue,
            origin: origin, now: now)
        return try await database.write { connection in
            guard try DeviceGrants.decide(id, by: account, grant: grant, now: now, on: connection) else { return false }
            try entry.write(on: connection)
            return true
        }
    }

    /// The authorization request with what the device asked for, in the form that sign-in pages carry.
    func request(for record: DeviceGrantRecord, _ locales: [LocaleTag]) throws -> AuthorizationRequest {
        let content = try vault.content(of: record)
        var request = try Self.request(client: ClientID(record.clientID), at: issuer, random: random)
        request.scope = content.scope
        request.resources = content.resources
        request.dpopKeyThumbprint = try content.keyThumbprint.map { try JWKThumbprint(bytes: $0) }
        request.uiLocales = locales
        return request
    }

    /// - Parameter client: ``noClient`` before a code was found.
    static func request(
        client: ClientID, at issuer: Issuer, random: any RandomBytes
    ) throws -> AuthorizationRequest {
        AuthorizationRequest(
            clientID: client, redirectURI: try RedirectURI(issuer.url(path: Endpoints.devicePage.path)),
            // No code leaves the server, so no one has a verifier.
            codeChallenge: try CodeChallenge(Base64URL.encode(random.bytes(32))))
    }

    /// The client of a page that does not know the device yet. None is registered with it.
    static let noClient = "device-page"
}
