package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// Verifies a password for every kind of sign-in: one charge, one comparison, and one response for every failure.
///
/// This folder owns passwords: their check with its failures (attempts, breaches, age, the lock after too many), and
/// their change.
package struct PasswordVerification: Sendable {
    let database: any Database
    let keyRing: KeyRing
    let vault: AccountVault
    let passwords: PasswordHasher
    let lockout: LockoutPolicy
    package let addresses: AddressAttempts
    let failures: PasswordFailures
    package let compromised: CompromisedPasswords
    let adoption: PasswordAdoption

    package enum Outcome: Sendable {
        /// The password is correct. The gate decides whether the account may sign in.
        case verified(AccountRecord)
        case refused(CredentialRefusal)
    }

    /// Evidence in the request that its device may be a known one.
    package enum Device: Sendable {
        /// A proved key of a client: the 32 bytes of its thumbprint.
        case key([UInt8], of: ClientID)
        /// An enrolled device whose key was proved for this sign-in.
        case enrolled(DeviceRecord)
        case cookie(KnownDeviceCookie?)
        /// A client's backend. All its guests share its network address, so failures are counted by the password tried instead.
        case backend
    }

    /// The counter that an attempt is charged to.
    struct Charge: Sendable {
        var subject: [UInt8]
        var policy: AttemptPolicy
        /// For a known device: the shared counter of all known devices of the account.
        var ceiling: Limit?
        /// For any other device: the counter that the page's wait follows from, see ``announcement(at:brand:)``.
        var announced: [UInt8]?

        var isKnownDevice: Bool { ceiling != nil }

        struct Limit: Sendable {
            var subject: [UInt8]
            var policy: AttemptPolicy
        }
    }

    private enum Reservation: Sendable {
        case compare
        case locked
        /// Attempts are refused until a time.
        case held(until: Timestamp)
        case addressLocked(until: Timestamp?)
    }

    /// Verifies a password.
    /// - Parameters:
    ///   - username: as typed, then mapped; or an e-mail address, see ``Accounts/find(typed:brand:sealing:now:on:)``.
    ///   - device: the evidence in the request.
    ///   - isReached: whether the caller may sign in to an account. If not, nothing is compared, and the attempt is answered and
    ///     counted like a wrong one. It is also called for a name without an account, which takes as long.
    package func verify(
        _ password: Password, username: Username, brand: BrandID, device: Device, origin: RequestOrigin, now: Timestamp,
        ifReached isReached: (UniqueID?) async throws -> Bool = { _ in true }
    ) async throws -> Outcome {
        let shared = try counters(of: device, password: password, brand: brand, origin: origin, now: now)
        // Before the account is looked up: how long a held attempt takes must not tell whether there is one.
        let hold = try await addresses.heldUntil(shared, now: now).map {
            CredentialRefusal.held(device, for: RetryAfter.seconds(until: $0, now: now))
        }
        if let hold {
            let unnamed = ClaimedAccount(account: nil, device: device, isKnownDevice: false)
            if let closure = unnamed.closureToPasswords { return .refused(closure) }
            let mayBeKnown = try await addresses.mayBeKnown(
                device, to: username, brand: brand, sealing: vault.sealing, now: now)
            guard mayBeKnown else { return .refused(hold) }
        }
        let claimed = try await find(username, brand: brand, device: device, now: now)
        if let closure = claimed.closureToPasswords { return .refused(closure) }
        let isReached = try await isReached(claimed.account?.id)
        // A known device has its own, tighter counter: untrusted devices behind the same address must not block it.
        let address = claimed.isKnownDevice ? nil : shared
        if address != nil, let hold { return .refused(hold) }
        // Before anything is compared or counted: the answer to a wrong password that is not counted would be a free guess.
        guard let place = try await adoption.place(for: claimed, in: brand, now: now) else {
            return .refused(.busy(retryAfter: PasswordHasher.retryAfter))
        }
        defer { place.giveBack() }
        // The hashing slot comes before the reservation, so an attempt that there is no capacity for costs nothing.
        guard let slot = passwords.slot(for: claimed.claimant(at: username, brand: brand, from: origin)) else {
            return .refused(.busy(retryAfter: PasswordHasher.retryAfter))
        }
        let charge = try charge(to: claimed, username: username, brand: brand)
        switch try await reserve(charge, address: address, now: now) {
        case .addressLocked(let until):
            return .refused(.held(device, for: RetryAfter.seconds(until: until, now: now)))
        case .locked:
            // The process ended between the count of the last wrong password and the deactivation.
            if let account = claimed.account, charge.isKnownDevice, account.state == .active {
                return .refused(try await close(account, claimed.device, origin: origin, now: now))
            }
            return try await refuse(password, charge, in: (brand, slot), now: now)
        case .held(let until):
            if charge.isKnownDevice {
                return .refused(.tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now)))
            }
            return try await refuse(password, charge, in: (brand, slot), now: now)
        case .compare:
            return try await compare(
                password, to: claimed, at: (username, brand), isReached: isReached, charge, address: address, in: slot,
                origin: origin, now: now)
        }
    }

    /// The counter of the network address or, for a backend, of the password.
    private func counters(
        of device: Device, password: Password, brand: BrandID, origin: RequestOrigin, now: Timestamp
    ) throws -> SharedCounters {
        if case .backend = device {
            return SharedCounters(try spraying(password, brand: brand), under: lockout.shared)
        }
        return try addresses.counters(of: origin, now: now)
    }

    /// Compares the password of a reserved attempt, and settles the attempt by the result.
    private func compare(
        _ password: Password, to claimed: ClaimedAccount, at name: (username: Username, brand: BrandID),
        isReached: Bool, _ charge: Charge, address: SharedCounters?, in slot: PasswordHasher.Slot,
        origin: RequestOrigin, now: Timestamp
    ) async throws -> Outcome {
        let stored = claimed.account.flatMap { isReached && claimed.tellsByPassword ? phc(of: $0) : nil }
        var (isRight, isCompared) = (false, true)
        do {
            isRight = try await passwords.verify(password, against: stored, in: slot)
        } catch is PasswordOverload {
            // A known device must not lock its account because of other people's sign-ins. From others it counts as a failure at any
            // name does that cannot wait now: the network's counter would tell which names have an imported hash.
            if charge.isKnownDevice {
                try await refund(charge, address: address)
                return .refused(.busy(retryAfter: PasswordHasher.retryAfter))
            }
            isCompared = false
        }
        guard isRight, let account = claimed.account, let encoded = stored else {
            let mayTell = isCompared ? await passwords.hideImportedHashes(stored, in: slot) : false
            return try await askFormerSystem(
                password, of: isReached && mayTell ? claimed.account : nil, claimed, at: name, charge,
                address: address, mayTell: mayTell, origin: origin, now: now)
        }
        let upgraded = try await upgraded(encoded, password: password, account: account, in: slot)
        try await database.write { connection in
            try succeed(charge, address: address, on: connection)
            if let upgraded, let old = account.password {
                try Accounts.upgradePassword(of: account.id, from: old, to: upgraded, on: connection)
            }
        }
        return .verified(account)
    }

    func succeed(_ charge: Charge, address: SharedCounters?, on connection: any SQLConnection) throws {
        // In the order of the reservation: another one would be a deadlock between two attempts.
        try address?.refund(on: connection)
        try Attempts.succeed(charge.subject, on: connection)
        if let ceiling = charge.ceiling { try Attempts.succeed(ceiling.subject, on: connection) }
    }

    /// Counts a wrong password, or one that an overload kept from being compared. A known device's last allowed failure closes it,
    /// but only if the password was compared; a reservation alone does not.
    /// - Parameter mayTell: otherwise it counts too, and the answer is that of a busy server.
    func fail(
        _ charge: Charge, address: SharedCounters?, _ claimed: ClaimedAccount, mayTell: Bool, origin: RequestOrigin,
        now: Timestamp
    ) async throws -> CredentialRefusal {
        let (failures, isLast) = try await database.write { connection in
            try address?.fail(on: connection)
            let failures = try Attempts.fail(charge.subject, on: connection)
            try announce(charge, now: now, on: connection)
            guard let ceiling = charge.ceiling else { return (failures, false) }
            let together = try Attempts.fail(ceiling.subject, on: connection)
            return (failures, failures >= charge.policy.free || together >= ceiling.policy.free)
        }
        if isLast, let account = claimed.account, account.state == .active {
            return try await close(account, claimed.device, origin: origin, now: now)
        }
        try await self.failures.record(
            failures, of: claimed.account, countedUnder: charge.subject,
            from: charge.isKnownDevice ? .known : .unknown, origin: origin, now: now)
        return mayTell ? .invalid : .busy(retryAfter: PasswordHasher.retryAfter)
    }

    /// Closes an enrolled device, which its holder can unlock. Deactivates the account if the device is known only by its key, or if
    /// all known devices together failed too often.
    private func close(
        _ account: AccountRecord, _ device: Device, origin: RequestOrigin, now: Timestamp
    ) async throws -> CredentialRefusal {
        if case .enrolled(let record) = device, try await !isCeilingReached(account, now: now) {
            try await failures.close(record, of: account, origin: origin, now: now)
            return .deviceDeactivated
        }
        try await failures.close(account.id, origin: origin, now: now)
        return .walletDeactivated
    }

    private func isCeilingReached(_ account: AccountRecord, now: Timestamp) async throws -> Bool {
        let subject = try knownDevices(of: account)
        let together = try await database.read { try Attempts.state(subject, now: now, on: $0) }
        return (together?.failures ?? 0) >= lockout.allKnownDevicesFailures
    }

    /// The opened password hash of an account; `nil` if it has none.
    package func phc(of account: AccountRecord) -> String? {
        vault.open(account.password, .password, of: account.id)
    }

    /// Refuses without a comparison. Performs the same work and the same write, and waits as long, so that the timing reveals nothing.
    private func refuse(
        _ password: Password, _ charge: Charge, in place: (brand: BrandID, slot: PasswordHasher.Slot), now: Timestamp
    ) async throws -> Outcome {
        _ = try await passwords.verify(password, against: nil, in: place.slot)
        let mayTell = await passwords.hideImportedHashes(nil, in: place.slot)
        let system = try await adoption.system(of: place.brand, isKnownDevice: charge.isKnownDevice, now: now)
        try await database.write { connection in
            try Attempts.touch(charge.subject, on: connection)
            try announce(charge, now: now, on: connection)
        }
        let refusal: CredentialRefusal = mayTell ? .invalid : .busy(retryAfter: PasswordHasher.retryAfter)
        guard let system else { return .refused(refusal) }
        return .refused(try await adoption.settled(refusal, by: system))
    }

    /// Finds the account of a name, and whether it knows the device.
    func find(
        _ username: Username, brand: BrandID, device: Device, now: Timestamp
    ) async throws -> ClaimedAccount {
        try await database.read { connection in
            let account = try Accounts.find(
                typed: username, brand: brand, sealing: vault.sealing, now: now, on: connection)
            guard let account else { return ClaimedAccount(account: nil, device: device, isKnownDevice: false) }
            var (device, isKnown) = (device, false)
            switch device {
            case .key(let thumbprint, let client):
                // An app that omits its enrollment is treated as the device it runs on. If that device was removed, it is untrusted,
                // however often it has signed in.
                if let here = try Devices.find(dpopKey: thumbprint, of: account.id, on: connection) {
                    isKnown = here.state != .removed
                    if isKnown { device = .enrolled(here) }
                } else {
                    isKnown = try Sessions.knows(
                        thumbprint, by: client.rawValue, of: account.id, on: connection)
                }
            case .enrolled(let enrolled): isKnown = enrolled.accountID == account.id
            case .cookie(let cookie): isKnown = cookie?.knows(account, now: now) ?? false
            case .backend: break
            }
            return ClaimedAccount(account: account, device: device, isKnownDevice: isKnown)
        }
    }

    /// The counter for the attempt. It includes the version of the account's counters, so that an account that an operator reopened or a
    /// new password starts with no failures.
    func charge(to claimed: ClaimedAccount, username: Username, brand: BrandID) throws -> Charge {
        if let account = claimed.account, claimed.isKnownDevice {
            return Charge(
                subject: try knownDevice(claimed.device.name, of: account),
                policy: lockout.knownDevice,
                ceiling: Charge.Limit(subject: try knownDevices(of: account), policy: lockout.allKnownDevices))
        }
        // An unknown name is counted and slowed like an existing one.
        return Charge(
            subject: try claimed.account.map(untrustedDevices(at:))
                ?? subject("name", [brand.rawValue, username.rawValue]),
            policy: lockout.unknownDevices, announced: try announcement(at: username, brand: brand))
    }

    private func reserve(_ charge: Charge, address: SharedCounters?, now: Timestamp) async throws -> Reservation {
        try await database.write { connection in
            if case .refuse(let until)? = try address?.reserve(now: now, on: connection) {
                return .addressLocked(until: until)
            }
            let own = Charge.Limit(subject: charge.subject, policy: charge.policy)
            var reserved: [[UInt8]] = []
            for limit in [own, charge.ceiling].compactMap({ $0 }) {
                guard
                    case .refuse(let until) =
                        try Attempts.reserve(limit.subject, under: limit.policy, now: now, on: connection)
                else {
                    reserved.append(limit.subject)
                    continue
                }
                for subject in reserved { try Attempts.refund(subject, on: connection) }
                // A further attempt at a slowed name counts against its networks.
                try address?.fail(on: connection)
                return until.map { .held(until: $0) } ?? .locked
            }
            return .compare
        }
    }

    /// A hash with the current cost and pepper, unless the stored one has both, or the pepper and no replacement; then `nil`.
    private func upgraded(
        _ encoded: String, password: Password, account: AccountRecord, in slot: PasswordHasher.Slot
    ) async throws -> [UInt8]? {
        let isPeppered =
            try account.password.flatMap(Sealing.keyID(of:)) == keyRing.active(.pepper).id
        let isKept = passwords.isCurrent(encoded) || !passwords.isReplaceable(encoded, by: password)
        guard !isKept || !isPeppered else { return nil }
        let current = isKept ? encoded : try await passwords.hash(password, in: slot)
        return try vault.seal(current, .password, of: account.id)
    }

    /// The counter for a password from a backend, independent of the name, so that one password cannot be tried at all names.
    ///
    /// It is one of sixteen million counters that many passwords share: no row identifies a password by its digest.
    private func spraying(_ password: Password, brand: BrandID) throws -> [UInt8] {
        let text = Base64URL.encode(PasswordHasher.bytes(password))
        let place = try subject("password-place", [brand.rawValue, text]).prefix(3)
        return try subject("backend-password", [brand.rawValue, Base64URL.encode(Array(place))])
    }

    /// The counter that all known devices of an account share.
    package func knownDevices(of account: AccountRecord) throws -> [UInt8] {
        try subject("known-devices", [account.id.uuid, String(account.attemptsVersion)])
    }

    /// The counter of one enrolled device.
    package func counter(of device: DeviceRecord, account: AccountRecord) throws -> [UInt8] {
        try knownDevice(Device.enrolled(device).name, of: account)
    }

    private func knownDevice(_ name: String, of account: AccountRecord) throws -> [UInt8] {
        try subject("device", [account.id.uuid, String(account.attemptsVersion), name])
    }

    /// The counter that all devices unknown to an account share.
    package func untrustedDevices(at account: AccountRecord) throws -> [UInt8] {
        try subject("account", [account.id.uuid, String(account.attemptsVersion)])
    }

    func subject(_ label: String, _ parts: [String]) throws -> [UInt8] {
        Digests.keyed(label, parts, key: try keyRing.active(.attempts))
    }
}

extension CredentialRefusal {
    /// The refusal while the counter that the attempt shares with others is used up: of the network, or of a backend's password.
    fileprivate static func held(_ device: PasswordVerification.Device, for seconds: Int64) -> CredentialRefusal {
        if case .backend = device { .tooManyAttempts(retryAfter: seconds) } else { .networkHeld(retryAfter: seconds) }
    }
}

extension PasswordVerification.Device {
    /// Identifies the device in the name of a counter.
    package var name: String {
        switch self {
        case .key(let thumbprint, _): Base64URL.encode(thumbprint)
        case .enrolled(let device): device.id.uuid
        case .cookie(let cookie): cookie?.device ?? ""
        case .backend: ""
        }
    }
}
