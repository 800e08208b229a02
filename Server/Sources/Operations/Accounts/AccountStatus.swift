internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// What `account show` reports: an account, and why a sign-in may fail even with the right password.
struct AccountReport: Sendable {
    let database: any Database
    let clock: any Clock
    let vault: AccountVault
    let deviceVault: DeviceVault
    let verification: PasswordVerification
    let issuer: Issuer
    let lockout: LockoutPolicy
    /// Decides on the sign-ins that the report is about.
    let gate: SignInGate
    let keyRing: KeyRing
    /// Factors whose codes nothing delivers.
    let undeliverable: Set<FactorKind>
    let flows: [any AdministeredFlow]
    let search: AccountSearch

    /// Everything that the report is made of, in one snapshot.
    func status(
        of account: AccountRecord, at now: Timestamp, on connection: any SQLConnection
    ) throws -> AccountStatus {
        let devices = try DeviceList.devices(of: account.id, at: now, on: connection)
        let password = [AuthenticationStrength.password]
        let isByProvider = try FirstFactor(of: account, on: connection) == .provider
        return AccountStatus(
            account: account, names: try Accounts.names(of: account.id, on: connection),
            merged: try Accounts.merged(into: account.id, on: connection), devices: devices,
            untrusted: try Attempts.state(verification.untrustedDevices(at: account), now: now, on: connection),
            known: try Attempts.state(verification.knownDevices(of: account), now: now, on: connection),
            pin: try AccountPINs.find(account.id, on: connection),
            takesPINs: try Brands.takesAccountPINs(account.brandID, on: connection),
            passwordExpiry: try account.passwordExpiry(on: connection),
            hasOtherWayIn: try account.hasOtherWayIn(at: issuer, now: now, on: connection),
            onNewDevice: try gate.preview(
                account, by: isByProvider ? [AuthenticationStrength.provider] : password, now: now, on: connection),
            onDevices: try devices.map {
                try gate.preview(account, by: password, with: $0.device, now: now, on: connection)
            }, now: now, lockout: lockout)
    }

    func show(_ reference: AccountReference) async throws -> AdministrationAnswer {
        let now = clock.now()
        let status = try await database.read { connection in
            try self.status(of: search.find(reference, on: connection), at: now, on: connection)
        }
        var json = vault.json(status.account, names: status.names)
        if !status.merged.isEmpty { json.set("mergedAccounts", status.merged.map(\.uuid)) }
        json.set("passwordExpiresAt", status.passwordExpiry?.text)
        if let pin = status.pin {
            json.set("pin", status.state(of: pin).rawValue)
            json.set("pinLockReason", pin.lockReason?.rawValue)
            json.set("pinSetAt", pin.setAt.text)
            json.set("pinCoolingUntil", pin.coolingUntil.text)
        }
        var facts = json.members.compactMap { member -> (name: String, value: String)? in
            if member.name == "coolingUntil" { return status.cooling(at: now).map { ("cooling", $0) } }
            if member.name == "pinCoolingUntil" { return status.pinCooling(at: now).map { ("pin cooling", $0) } }
            // The hindrance says it in words.
            if member.name == "pinLockReason" { return nil }
            if member.name == "pin", !status.takesPINs { return ("pin", "off for the brand") }
            if member.name == "address" {
                return member.value.string.map { ("address", $0.replacing("\n", with: ", ")) }
            }
            return (member.value.string ?? member.value.strings?.joined(separator: " ")).map { (member.name, $0) }
        }
        for flow in flows {
            for fact in try await flow.facts(of: status.account.id) {
                facts.append((fact.label, fact.value))
                json.set(fact.member, fact.value)
            }
        }
        facts += status.devices.compactMap { device, pin in
            deviceVault.remark(on: device, pin, at: now).map { ("device", $0) }
        }
        facts += status.facts
        json["devices"] = .array(status.devices.map { .object(deviceVault.json($0.device, $0.pin)) })
        json["failures"] = .object(status.failures)
        json.set("hindrances", status.hindrances.map(\.text))
        return .facts(facts, json)
    }

    /// The passkeys of the current domain.
    func passkeys(of account: UniqueID, on connection: any SQLConnection) throws -> Int {
        let party = PasskeyRelyingParty(issuer: issuer)?.id
        return try Passkeys.list(of: account, on: connection).count { $0.relyingParty == party }
    }
}

/// The failures that count against an account, and the obstacles to its next sign-in with a password.
struct AccountStatus: Sendable {
    let account: AccountRecord
    let names: [String]
    /// The accounts that were merged into it.
    let merged: [UniqueID]
    let devices: [(device: DeviceRecord, pin: DevicePIN.Status)]
    let untrusted: AttemptState?
    let known: AttemptState?
    let pin: AccountPINRecord?
    let takesPINs: Bool
    /// The time at which its password is too old for its brand; `nil` for never.
    let passwordExpiry: Timestamp?
    /// Whether the holder can sign in without a password.
    let hasOtherWayIn: Bool
    /// The gate's decisions on a sign-in with the first factor, on a device and browser that the account does not know.
    let onNewDevice: SignInPreview
    /// Those on a sign-in with the password on each of ``devices``.
    let onDevices: [SignInPreview]
    let now: Timestamp
    let lockout: LockoutPolicy

    /// The state of the account PIN, for programs.
    enum AccountPINState: String {
        case active
        case locked
        /// The brand accepts no PINs, so this one cannot be used, whatever its state.
        case off
    }

    func state(of pin: AccountPINRecord) -> AccountPINState {
        guard takesPINs else { return .off }
        return pin.isOpen ? .active : .locked
    }

    /// For people.
    var facts: [(name: String, value: String)] { failureFacts + hindrances.map { ("hindrance", $0.text) } }

    /// The failures that count, for people.
    var failureFacts: [(name: String, value: String)] {
        let counted = [
            ("unknown devices", untrusted, lockout.unknownDeviceFailures, "each further attempt has to wait"),
            ("known devices", known, lockout.allKnownDevicesFailures, "it is deactivated"),
        ]
        return counted.compactMap { whose, attempts, limit, consequence -> (name: String, value: String)? in
            guard let attempts, attempts.failures > 0 else { return nil }
            return ("failures", "\(attempts.failures) on \(whose); from \(limit) on \(consequence)")
        }
    }

    /// What cannot be changed after a recovery, and until when; `nil` if nothing is restricted any more.
    func cooling(at now: Timestamp) -> String? {
        guard let until = account.coolingUntil, now < until else { return nil }
        return
            "until \(until.text) no device can be enrolled, no PIN set, and neither the password nor a second factor changed: "
            + "the password was recovered by e-mail alone, or by e-mail and SMS. The restriction ends by itself; sign-ins still "
            + "work."
    }

    /// What the PIN cannot do yet, and until when; `nil` if it is not restricted, or cannot be used at all.
    func pinCooling(at now: Timestamp) -> String? {
        guard let pin, state(of: pin) == .active, now < pin.coolingUntil else { return nil }
        return """
            until \(pin.coolingUntil.text) it cannot approve payments. The restriction ends by itself; signing in \
            with it still works.
            """
    }

    /// For programs.
    var failures: JSONObject {
        var json = JSONObject()
        for (whose, attempts) in [("unknownDevices", untrusted), ("knownDevices", known)] {
            var count = JSONObject()
            count.set("count", attempts?.failures ?? 0)
            count.set("heldUntil", attempts?.heldUntil?.text)
            json[whose] = .object(count)
        }
        return json
    }

    /// A command about the account.
    func command(_ verb: String) -> String { CommandLineSyntax.account(verb, account, names: names) }
}
