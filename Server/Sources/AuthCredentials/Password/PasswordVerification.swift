package import AuthCore
package import AuthFoundation
package import AuthStore
package import WalletAuthWire

/// Verifies a password for every kind of sign-in: one charge, one comparison, and one response for every failure.
///
/// This folder owns the check of a password and its failures: attempts, breaches, age, and the lock after too many. It does not change
/// a password: required actions, recovery (`AuthSignIn`) and the holder (`AuthAccount/Factors`) do.
package struct PasswordVerification: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    package enum Outcome: Sendable {
        /// The password is correct. The gate decides whether the account may sign in.
        case verified(AccountRecord)
        /// Wrong password, unknown name or locked; the caller cannot tell which.
        case invalid
        /// The account is deactivated. Only a known device learns this.
        case deactivated
        /// The device is suspended. Only a caller that proved its key learns this.
        case deviceSuspended
        /// The device is deactivated. Only a caller that proved its key learns this.
        case deviceDeactivated
        /// Too many failures from this address; in seconds.
        case tooManyAttempts(retryAfter: Int64)
        /// No capacity to hash; nothing was charged. In seconds.
        case busy(retryAfter: Int64)
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
    private struct Charge: Sendable {
        var subject: [UInt8]
        var policy: AttemptPolicy
        /// For a known device: the shared counter of all known devices of the account.
        var ceiling: Limit?

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
    ///   - username: as typed, then mapped.
    ///   - device: the evidence in the request.
    package func verify(
        _ password: Password, username: Username, brand: BrandID, device: Device, origin: RequestOrigin, now: Timestamp
    ) async throws -> Outcome {
        let found = try await find(username, brand: brand, device: device, now: now)
        let (account, device, isKnownDevice) = (found.account, found.device, found.isKnown)
        // A closed device compares nothing, and the holder of its key learns why.
        if case .enrolled(let device) = device {
            switch device.state {
            case .active, .removed: break
            case .suspended: return .deviceSuspended
            case .deactivated: return .deviceDeactivated
            }
        }
        if let account, account.state == .deactivated, isKnownDevice { return .deactivated }
        // A known device has its own, tighter counter: untrusted devices behind the same address must not block it.
        let addresses = AddressAttempts(context: context)
        let address: SharedCounters? =
            if isKnownDevice {
                nil
            } else if device.isBackend {
                try SharedCounters(spraying(password, brand: brand), under: addresses.policy)
            } else {
                try addresses.counters(of: origin)
            }
        if let address, let until = try await addresses.heldUntil(address, now: now) {
            return .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
        }
        // The hashing slot comes before the reservation, so an attempt that there is no capacity for costs nothing.
        let claimant: PasswordSlots.Claimant =
            if isKnownDevice, let account {
                .known(to: account.id, from: origin)
            } else {
                .untrusted(at: username, brand: brand, from: origin)
            }
        guard let slot = context.passwords.slot(for: claimant) else {
            return .busy(retryAfter: PasswordHasher.retryAfter)
        }
        let charge = try charge(account, username: username, brand: brand, device: isKnownDevice ? device : nil)

        switch try await reserve(charge, address: address, now: now) {
        case .addressLocked(let until):
            return .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
        case .locked:
            // The process ended between the count of the last wrong password and the deactivation.
            if let account, charge.isKnownDevice, account.state == .active {
                return try await close(account, device, origin: origin, now: now)
            }
            return try await refuse(password, charge, in: slot)
        case .held(let until):
            if charge.isKnownDevice {
                return .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
            }
            return try await refuse(password, charge, in: slot)
        case .compare:
            let encoded = account.flatMap { $0.state == .active ? phc(of: $0) : nil }
            let isRight = try await context.passwords.verify(password, against: encoded, in: slot)
            guard isRight, let account, let encoded else {
                return try await fail(charge, address: address, account, device, origin: origin, now: now)
            }
            let upgraded = try await upgraded(encoded, password: password, account: account, in: slot)
            try await context.database.write { connection in
                try Attempts.succeed(charge.subject, on: connection)
                if let ceiling = charge.ceiling { try Attempts.succeed(ceiling.subject, on: connection) }
                try address?.refund(on: connection)
                if let upgraded, let old = account.password {
                    try Accounts.upgradePassword(of: account.id, from: old, to: upgraded, on: connection)
                }
            }
            return .verified(account)
        }
    }

    /// Counts a wrong password. A known device's last allowed failure closes it, but only if the password was compared; a
    /// reservation alone does not.
    private func fail(
        _ charge: Charge, address: SharedCounters?, _ account: AccountRecord?, _ device: Device, origin: RequestOrigin,
        now: Timestamp
    ) async throws -> Outcome {
        let (failures, isLast) = try await context.database.write { connection in
            try address?.fail(on: connection)
            let failures = try Attempts.fail(charge.subject, on: connection)
            guard let ceiling = charge.ceiling else { return (failures, false) }
            let together = try Attempts.fail(ceiling.subject, on: connection)
            return (failures, failures >= charge.policy.free || together >= ceiling.policy.free)
        }
        if isLast, let account, account.state == .active {
            return try await close(account, device, origin: origin, now: now)
        }
        try await FailedSignIns(context: context).record(
            failures, of: account, countedUnder: charge.subject,
            from: charge.isKnownDevice ? .known : .unknown, origin: origin, now: now)
        return .invalid
    }

    /// Closes an enrolled device, which its holder can unlock. Deactivates the account if the device is known only by its key, or if
    /// all known devices together failed too often.
    private func close(
        _ account: AccountRecord, _ device: Device, origin: RequestOrigin, now: Timestamp
    ) async throws -> Outcome {
        let closing = AccountDeactivation(context: context)
        if case .enrolled(let record) = device, try await !isCeilingReached(account, now: now) {
            try await closing.deactivate(record, of: account, origin: origin, now: now)
            return .deviceDeactivated
        }
        try await closing.deactivate(account.id, origin: origin, now: now)
        return .deactivated
    }

    private func isCeilingReached(_ account: AccountRecord, now: Timestamp) async throws -> Bool {
        let subject = try knownDevices(of: account)
        let together = try await context.database.read { try Attempts.state(subject, now: now, on: $0) }
        return (together?.failures ?? 0) >= context.settings.lockout.allKnownDevicesFailures
    }

    /// The opened password hash of an account; `nil` if it has none.
    package func phc(of account: AccountRecord) -> String? {
        AccountVault(context: context).open(account.password, .password, of: account.id)
    }

    /// Refuses without a comparison. Performs the same work and the same write, so that the timing reveals nothing.
    private func refuse(
        _ password: Password, _ charge: Charge, in slot: PasswordHasher.Slot
    ) async throws -> Outcome {
        _ = try await context.passwords.verify(password, against: nil, in: slot)
        try await context.database.write { try Attempts.touch(charge.subject, on: $0) }
        return .invalid
    }

    /// Finds the account, the device as the account knows it, and whether it is a known one.
    package func find(
        _ username: Username, brand: BrandID, device: Device, now: Timestamp
    ) async throws -> (account: AccountRecord?, device: Device, isKnown: Bool) {
        try await context.database.read { connection in
            let account = try Accounts.find(named: username.rawValue, brand: brand.rawValue, on: connection)
            guard let account else { return (nil, device, false) }
            switch device {
            case .key(let thumbprint, let client):
                // An app that omits its enrollment is treated as the device it runs on. If that device was removed, it is untrusted,
                // however often it has signed in.
                if let here = try Devices.find(dpopKey: thumbprint, of: account.id, on: connection) {
                    return here.state == .removed ? (account, device, false) : (account, .enrolled(here), true)
                }
                return (
                    account, device,
                    try Sessions.knows(thumbprint, by: client.rawValue, of: account.id, on: connection)
                )
            case .enrolled(let enrolled): return (account, device, enrolled.accountID == account.id)
            case .cookie(let cookie):
                return (account, device, cookie?.knows(account, now: now) ?? false)
            case .backend: return (account, device, false)
            }
        }
    }

    /// The counter for the attempt. It includes the account's security version, so that a reactivated account or a new password
    /// starts with no failures.
    private func charge(
        _ account: AccountRecord?, username: Username, brand: BrandID, device: Device?
    ) throws -> Charge {
        let lockout = context.settings.lockout
        if let account, let device {
            let version = String(account.securityVersion)
            let name: String
            switch device {
            case .key(let thumbprint, _): name = Base64URL.encode(thumbprint)
            case .enrolled(let enrolled): name = enrolled.id.uuid
            case .cookie(let cookie): name = cookie?.device ?? ""
            case .backend: name = ""
            }
            return Charge(
                subject: try subject("device", [account.id.uuid, version, name]),
                policy: AttemptPolicy(
                    free: lockout.knownDeviceFailures, afterwards: .locked, forgottenAfter: lockout.unknownDeviceMemory),
                ceiling: Charge.Limit(
                    subject: try knownDevices(of: account),
                    policy: AttemptPolicy(
                        free: lockout.allKnownDevicesFailures, afterwards: .locked,
                        forgottenAfter: lockout.unknownDeviceMemory)))
        }
        // An unknown name is counted and slowed like an existing one.
        return Charge(
            subject: try account.map(untrustedDevices(at:)) ?? subject("name", [brand.rawValue, username.rawValue]),
            policy: AttemptPolicy(
                free: lockout.unknownDeviceFailures,
                afterwards: .delay(first: lockout.firstDelay, longest: lockout.longestDelay),
                forgottenAfter: lockout.unknownDeviceMemory))
    }

    private func reserve(_ charge: Charge, address: SharedCounters?, now: Timestamp) async throws -> Reservation {
        try await context.database.write { connection in
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

    /// A hash with the current cost and pepper, unless the stored one has both; then `nil`.
    private func upgraded(
        _ encoded: String, password: Password, account: AccountRecord, in slot: PasswordHasher.Slot
    ) async throws -> [UInt8]? {
        let isPeppered =
            try account.password.flatMap(Sealing.keyID(of:)) == context.keyRing.active(.pepper).id
        let isCurrent = Argon2.isCurrent(encoded, cost: context.settings.passwordHashing)
        guard !isCurrent || !isPeppered else { return nil }
        let current = isCurrent ? encoded : try await context.passwords.hash(password, in: slot)
        return try AccountVault(context: context).seal(current, .password, of: account.id)
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
        try subject("known-devices", [account.id.uuid, String(account.securityVersion)])
    }

    /// The counter of one enrolled device.
    package func counter(of device: DeviceRecord, account: AccountRecord) throws -> [UInt8] {
        try subject("device", [account.id.uuid, String(account.securityVersion), device.id.uuid])
    }

    /// The counter that all devices unknown to an account share.
    package func untrustedDevices(at account: AccountRecord) throws -> [UInt8] {
        try subject("account", [account.id.uuid, String(account.securityVersion)])
    }

    private func subject(_ label: String, _ parts: [String]) throws -> [UInt8] {
        Digests.keyed(label, parts, key: try context.keyRing.active(.attempts))
    }
}

extension PasswordVerification.Device {
    fileprivate var isBackend: Bool {
        if case .backend = self { true } else { false }
    }
}
