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
    let secondFactors: SecondFactorRules
    /// Factors whose codes nothing delivers.
    let undeliverable: Set<FactorKind>
    let flows: [any AdministeredFlow]

    func show(_ reference: AccountReference) async throws -> AdministrationAnswer {
        let now = clock.now()
        let status = try await database.read { connection in
            let account = try reference.find(on: connection)
            return AccountStatus(
                account: account, names: try Accounts.names(of: account.id, on: connection),
                devices: try DeviceList.devices(of: account.id, at: now, on: connection),
                untrusted: try Attempts.state(verification.untrustedDevices(at: account), now: now, on: connection),
                known: try Attempts.state(verification.knownDevices(of: account), now: now, on: connection),
                pin: try AccountPINs.find(account.id, on: connection),
                takesPINs: try Brands.takesAccountPINs(account.brandID, on: connection),
                passwordExpiry: try account.passwordExpiry(on: connection),
                hasOtherWayIn: try self.hasOtherWayIn(account.id, on: connection),
                unreachable: try self.unreachable(account, on: connection), now: now, lockout: self.lockout)
        }
        var json = vault.json(status.account, names: status.names)
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
        json.set("hindrances", status.hindrances)
        return .facts(facts, json)
    }

    /// The second factors that a new device is asked for, if nothing delivers the code of any of them.
    private func unreachable(_ account: AccountRecord, on connection: any SQLConnection) throws -> Set<FactorKind> {
        let brand = try Brands.find(account.brandID, on: connection).map { try BrandProfile(json: $0.settings) }
        guard (brand?.newDevice ?? .secondFactor) == .secondFactor else { return [] }
        let own = try secondFactors.usable(
            by: account, after: FirstFactor(of: account, on: connection), brand: brand, on: connection)
        return own.isSubset(of: undeliverable) ? own : []
    }

    /// Whether the holder can sign in without a password: with an identity at a registered provider, or a passkey of the
    /// current domain.
    private func hasOtherWayIn(_ account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        // No identity has an empty digest.
        if try FederatedIdentities.hasAnother(than: [], of: account, on: connection) { return true }
        let party = PasskeyRelyingParty(issuer: issuer)?.id
        return try Passkeys.list(of: account, on: connection).contains { $0.relyingParty == party }
    }
}

/// The failures that count against an account, and the obstacles to its next sign-in with a password.
struct AccountStatus: Sendable {
    let account: AccountRecord
    let names: [String]
    let devices: [(device: DeviceRecord, pin: DevicePIN.Status)]
    let untrusted: AttemptState?
    let known: AttemptState?
    let pin: AccountPINRecord?
    let takesPINs: Bool
    /// The time at which its password is too old for its brand; `nil` for never.
    let passwordExpiry: Timestamp?
    /// Whether the holder can sign in without a password.
    let hasOtherWayIn: Bool
    /// Its second factors, if nothing delivers the code of any of them.
    let unreachable: Set<FactorKind>
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

    /// One sentence for each obstacle to a sign-in, with its remedy.
    var hindrances: [String] {
        switch account.state {
        case .erased: return ["It was erased. This is permanent."]
        case .deactivated:
            guard account.deactivatedBy == .failures else {
                return ["It is deactivated: no one can sign in until you run `\(command("reactivate"))`."]
            }
            let other =
                account.isRecoverable
                ? ", or until the person recovers it by e-mail"
                : ". Without a confirmed e-mail address the person cannot recover it"
            return ["It is deactivated: no one can sign in until you run `\(command("reactivate"))`\(other)."]
        case .active: break
        }
        var hindrances: [String] = []
        switch account.passwordState {
        // An account that signs in with a provider or a passkey may never have had a password.
        case .none where hasOtherWayIn: break
        case .none: hindrances.append("It has no password yet: run `\(command("set-password"))`.")
        case .expired: hindrances.append("Its password has expired: the person chooses a new one at the next sign-in.")
        case .current:
            if let passwordExpiry, now >= passwordExpiry {
                hindrances.append(
                    "Its password is older than its brand allows: the person chooses a new one at the next sign-in.")
            }
        }
        if !unreachable.isEmpty {
            let remedies: [(kind: FactorKind, channel: String, settings: String)] = [
                (.email, "e-mail", "email.smtp.host and email.from"),
                (.sms, "SMS", "sms.webhook.url or sms.twilio.account"),
            ].filter { unreachable.contains($0.kind) }
            let channels = remedies.map { $0.channel }.joined(separator: " or ")
            let settings = remedies.map { $0.settings }.joined(separator: ", or ")
            hindrances.append(
                "New devices and browsers need a code by \(channels), which this server cannot send: configure "
                    + "\(settings). Linked devices can still sign in.")
        }
        if let untrusted, let until = untrusted.heldUntil {
            hindrances.append(
                "Unknown devices have to wait until \(until.text) after \(Self.tries(untrusted)); known devices do "
                    + "not. The wait ends by itself, and `\(command("set-password"))` resets the count.")
        }
        if let known, let until = known.heldUntil {
            hindrances.append(
                "Known devices have to wait until \(until.text) after \(Self.tries(known)). The wait ends by itself.")
        }
        if let pin, state(of: pin) == .locked, let reason = pin.lockReason {
            hindrances.append(
                "Its PIN is locked \(reason.inWords): the person signs in with the password and sets a new one on "
                    + "the account page.")
        }
        return hindrances + devices.compactMap { hindrance(of: $0.device) }
    }

    /// The attempts that made devices wait.
    private static func tries(_ attempts: AttemptState) -> String {
        guard attempts.unanswered > 0 else { return "\(attempts.failures) wrong passwords" }
        return "\(attempts.failures) wrong passwords and \(attempts.unanswered) attempts without an outcome"
    }

    /// The obstacle to the next sign-in on one device, if any.
    private func hindrance(of device: DeviceRecord) -> String? {
        let (said, verb): (String, String)
        switch device.state {
        case .active where device.awaitsCode:
            return
                "Its device \(device.id.uuid) is waiting for the code that was sent to its holder. No one can sign "
                + "in on it until the code is entered in the app, or until you run `walletauth device confirm "
                + "\(device.id.uuid)`."
        case .active, .removed: return nil
        case .suspended: (said, verb) = ("suspended", "resume")
        case .deactivated: (said, verb) = ("deactivated", "reactivate")
        }
        let other =
            device.deactivatedBy == .failures && account.isRecoverable
            ? ", or until the person recovers the password on it, after its cooling period" : ""
        return "Its device \(device.id.uuid) is \(said): no one can sign in on it until you run "
            + "`walletauth device \(verb) \(device.id.uuid)`\(other)."
    }

    /// For people.
    var facts: [(name: String, value: String)] {
        let counted = [
            ("unknown devices", untrusted, lockout.unknownDeviceFailures, "each further attempt has to wait"),
            ("known devices", known, lockout.allKnownDevicesFailures, "it is deactivated"),
        ]
        var facts = counted.compactMap { whose, attempts, limit, consequence -> (name: String, value: String)? in
            guard let attempts, attempts.failures > 0 else { return nil }
            return ("failures", "\(attempts.failures) on \(whose); from \(limit) on \(consequence)")
        }
        facts += hindrances.map { ("hindrance", $0) }
        return facts
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

    private func command(_ verb: String) -> String {
        guard let name = names.first else { return "walletauth account \(verb) --account \(account.id.uuid)" }
        return CommandLineSyntax.account(verb, name: name, brand: account.brandID)
    }
}
