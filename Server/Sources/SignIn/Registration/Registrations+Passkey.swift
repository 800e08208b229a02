internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// A passkey in place of the password.
///
/// It counts in full from the first minute: the cooling period of a passkey protects a holder who was there before it, and this account
/// has none.
extension Registrations {
    /// A verified passkey that waits for its account.
    struct NewPasskey: Sendable {
        let record: PasskeyRecord
        fileprivate let challenge: PasskeyChallenges.Opened

        /// Adds it to the account that the same write makes.
        /// - Throws: ``PasskeyTaken``, which undoes the write.
        func keep(on connection: any SQLConnection) throws {
            guard try challenge.use(on: connection),
                try Passkeys.add(record, limit: PasskeyOverview.limit, on: connection) == .added
            else { throw PasskeyTaken() }
        }
    }

    /// The passkey has an account already, or its challenge was used.
    struct PasskeyTaken: Error {}

    /// Where a newcomer's passkey is created.
    enum PasskeyPlace: Sendable {
        /// The page, in the browser that a digest of its binding cookie identifies.
        case page(browser: [UInt8])
        /// An app's own screen, in the sign-in with this DPoP key.
        case app(RegisteredClient, key: JWKThumbprint)

        /// What the challenge is for.
        fileprivate func use(by account: UniqueID) -> PasskeyChallenges.Use {
            switch self {
            case .page(let browser): .newcomer(account: account, browser: browser)
            case .app(let client, let key): .newcomerInApp(account: account, client: client.id, key: key)
            }
        }

        fileprivate var app: RegisteredClient? { if case .app(let client, _) = self { client } else { nil } }
    }

    /// What the person's device is asked to create.
    /// - Returns: `nil` if there are no passkeys.
    func passkeyOptions(
        for name: String, of begun: Begun, at site: String, in place: PasskeyPlace, now: Timestamp
    ) throws -> PasskeyCreationOptions? {
        guard let party = passkeys.party, let account = UniqueID(uuid: begun.account) else { return nil }
        return PasskeyCreationOptions(
            relyingPartyID: party.id, relyingPartyName: site, userHandle: account.bytes, userName: name,
            challenge: try passkeys.challenges.issue(place.use(by: account), now: now),
            exclude: [], timeout: PasskeyOverview.patience.wholeMilliseconds)
    }

    /// Verifies what the device created.
    /// - Returns: `nil` if it is invalid; the log says why.
    func passkey(
        _ response: PasskeyRegistrationResponse, of account: UniqueID, in place: PasskeyPlace, now: Timestamp
    ) throws -> NewPasskey? {
        guard let party = passkeys.party,
            let (challenge, made) = passkeys.verify(
                response, for: place.use(by: account), from: place.app, now: now)
        else { return nil }
        let id = try sealing.random.uniqueID()
        let record = PasskeyRecord(
            id: id, credentialID: made.credentialID, accountID: account, relyingParty: party.id,
            publicKey: made.publicKey, counter: made.counter, isBackupEligible: made.isBackupEligible,
            isBackedUp: made.isBackedUp, transports: response.transports,
            name: try PasskeyVault(sealing).seal(PasskeyOverview.usualName, .name, of: id), createdAt: now,
            coolingUntil: now)
        return NewPasskey(record: record, challenge: challenge)
    }

    enum NameCheck: Sendable {
        case free
        case taken
        case unusable
        /// Too many names were tried from this network. In seconds.
        case held(retryAfter: Int64)
    }

    /// Whether a name is free, before the device creates a passkey for it. A taken one counts as at the end.
    func check(_ name: Username, of begun: Begun, origin: RequestOrigin, now: Timestamp) async throws -> NameCheck {
        guard begun.address.allows(name), ShownText.fault(in: name.rawValue) == nil else { return .unusable }
        let tries = try addresses.counters(of: origin, now: now)
        return try await database.write { connection in
            if case .refuse(let until) = try tries.reserve(now: now, on: connection) {
                return .held(retryAfter: RetryAfter.seconds(until: until, now: now))
            }
            let isTaken = try ChosenName.isTaken(
                name, in: begun.brand, sealing: sealing, now: now, on: connection)
            if isTaken { try tries.fail(on: connection) } else { try tries.refund(on: connection) }
            return isTaken ? .taken : .free
        }
    }
}
