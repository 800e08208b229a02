internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// What operators do to accounts.
///
/// This folder owns it, and what operators see of an account, the export included. What the holder does is in `SignIn`.
package struct AccountAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let random: any RandomBytes
    let vault: AccountVault
    let auditLog: AuditLog
    let keyRing: KeyRing
    let passwords: PasswordHasher
    let compromised: CompromisedPasswords
    let verification: PasswordVerification
    /// What removes the account PIN with the password.
    let pinRemoval: @Sendable (AccountRecord, Timestamp) throws -> AccountPINRemoval
    let changes: CommittedChanges
    let dependents: [any DependentRows]
    /// Second factors by messages that are not sent.
    let undeliverable: Set<FactorKind>
    let flows: [any AdministeredFlow]
    let ability: OperatorAbility
    let links: OperatorLinks
    /// How long an identity that moved with a merge changes and pays nothing alone.
    let identityCooling: Duration
    let emailAfterProvider: EmailAfterProvider
    /// Whether a list of user names by their beginning passes over those that are addresses. For support they are masked, and their
    /// beginnings, asked for letter by letter, would tell what is.
    let hidesAddresses: Bool

    func erase(_ reference: AccountReference) async throws -> AdministrationAnswer {
        let account = try await database.read { try reference.find(on: $0) }
        var advice: [String] = []
        for flow in flows { advice += try await flow.adviceOnErasure(of: account.id) }
        var answer = try await change(reference, AccountEvent.erased, said: "erased; its sessions ended") {
            id, now, connection in
            try requireOtherOwner(than: id, on: connection)
            return try Accounts.end(id, with: dependents, now: now, on: connection)
                ? .done : .refused("It was already erased.")
        }
        changes.changed(account.id)
        guard !advice.isEmpty else { return answer }
        answer.lines += advice
        var json = try answer.document()
        json.set("advice", advice)
        answer.json = JSONValue.object(json).text
        return answer
    }

    /// Keeps the last owner, whose account must not be closed or erased.
    func requireOtherOwner(than account: UniqueID, on connection: any SQLConnection) throws {
        guard try !ability.losesLastOwner(account, to: nil, on: connection) else {
            throw AdministrationRefusal.lastOwner(account)
        }
    }

    /// Outcome of a change, inside the write.
    enum Change: Sendable {
        case done
        case refused(String)
    }

    /// Finds the account, changes it and records that in the same write.
    /// - Parameter body: gets the time of the write.
    func change(
        _ reference: AccountReference, _ event: some SecurityEventKind, message: (any SecurityMessage)? = nil,
        said: String,
        _ body: @escaping @Sendable (UniqueID, Timestamp, any SQLConnection) throws -> Change
    ) async throws -> AdministrationAnswer {
        let now = clock.now()
        let account = try await database.read { try reference.find(on: $0) }
        let entry = try auditLog.entry(
            event, account: account.id, now: now, message: message,
            email: vault.open(account.email, .email, of: account.id))
        let outcome = try await database.write { connection in
            let outcome = try body(account.id, clock.writeTime(since: now), connection)
            if case .done = outcome { try entry.write(on: connection) }
            return outcome
        }
        if case .refused(let why) = outcome {
            throw AdministrationRefusal("Account \(account.id.uuid) was not changed. \(why)", code: "no_change")
        }
        return .done("Account \(account.id.uuid) \(said).", JSONObject(strings: ["accountId": account.id.uuid]))
    }

    package func create(_ registration: AccountRegistration) async throws -> AdministrationAnswer {
        let now = clock.now()
        let name = try Username(registration.username)
        if let reason = ShownText.fault(in: name.rawValue) {
            throw MalformedValue(field: "username", reason: reason)
        }
        let brand = try BrandID(registration.brand ?? BrandSettings.defaultBrand)
        let id = try random.uniqueID()
        let email = try registration.email.map { try EmailAddress($0).rawValue }
        let phone = try registration.phone.map { try ContactDetails.phone($0) }
        guard email != nil || !registration.emailVerified else {
            throw AdministrationRefusal(
                "There is no e-mail address to mark as confirmed: add --email.", code: "contradiction")
        }
        var profile = PersonalProfile()
        try profile.apply(registration.profile)
        guard phone != nil || !profile.isPhoneVerified else { throw Self.noPhone }
        let locale = try registration.profile.locale.flatMap { try Self.locale($0) }
        var hash: [UInt8]?
        if let password = registration.password {
            hash = try await sealedHash(
                of: password, for: id, names: [name.rawValue, email].compactMap { $0 }, now: now)
        }
        let account = AccountRecord(
            id: id, brandID: brand.rawValue, password: hash, passwordState: hash == nil ? .none : .current,
            passwordChangedAt: hash == nil ? nil : now, email: try email.map { try vault.seal($0, .email, of: id) },
            emailState: email == nil ? .none : registration.emailVerified ? .verified : .unverified,
            phone: try phone.map { try vault.seal($0, .phone, of: id) }, profile: try vault.seal(profile, of: id),
            locale: locale, createdAt: now)
        let entry = try auditLog.entry(AccountEvent.created, account: id, now: now)
        let link = try registration.invitation.map { role in
            try links.make(
                for: id, securityVersion: account.securityVersion, role.grant(ownBrand: brand.rawValue), now: now)
        }
        if let reached = link?.invitation.grant.brand, reached != brand.rawValue,
            try await database.read({ try Brands.find(reached, on: $0) }) == nil
        {
            throw AdministrationRefusal.notFound("brand", reached)
        }
        let digests = try AccountDigests(of: account, names: [name], sealing: auditLog.sealing)
        let outcome = try await database.write { connection in
            let outcome = try ConfirmedEmail(auditLog).create(
                account, named: name, digests: digests, now: now, on: connection)
            if outcome == .created {
                try entry.write(on: connection)
                try link?.write(on: connection)
            }
            return outcome
        }
        switch outcome {
        case .created: break
        case .nameTaken:
            throw AdministrationRefusal(
                "The user name \(name.rawValue) is taken in the brand \(brand.rawValue); choose another one.",
                code: "taken")
        case .unknownBrand: throw AdministrationRefusal.notFound("brand", brand.rawValue)
        }
        var lines = ["Account \(id.uuid) created for \(name.typed)."]
        var json = vault.json(account, names: [name.typed])
        if let link {
            lines += link.lines(for: name.typed)
            link.add(to: &json)
        } else if hash == nil {
            let command = CommandLineSyntax.account("set-password", name: name.rawValue, brand: brand.rawValue)
            lines.append("It has no password yet: run `\(command)`.")
        }
        return .done(lines, json)
    }

    func setPassword(of reference: AccountReference, to password: String) async throws -> AdministrationAnswer {
        let now = clock.now()
        let (account, names) = try await database.read { connection in
            let account = try reference.find(on: connection)
            return (account, try Accounts.names(of: account.id, on: connection))
        }
        let hash = try await sealedHash(of: password, for: account.id, names: names, now: now)
        let entry = try auditLog.entry(
            AccountEvent.passwordChanged, account: account.id, now: now,
            details: .ofPassword(replacing: account.password), message: AccountMessage.passwordChanged,
            email: vault.open(account.email, .email, of: account.id))
        let pinRemoval = try pinRemoval(account, now)
        let isChanged = try await database.write { connection in
            let changedAt = clock.writeTime(since: now)
            let version = try Accounts.changePassword(
                of: account.id, to: hash, expecting: account.securityVersion, now: changedAt, on: connection)
            guard version != nil else { return false }
            try Sessions.endAll(of: account.id, because: .passwordChanged, now: changedAt, on: connection)
            try BrowserSessions.endAll(of: account.id, on: connection)
            try entry.write(on: connection)
            try pinRemoval.run(on: connection)
            return true
        }
        guard isChanged else {
            throw AdministrationRefusal(
                "The account is not active, or another command changed it at the same time; nothing was changed.",
                hint: "See `walletauth account show`.", code: "no_change")
        }
        return .done(
            "Account \(account.id.uuid) has a new password; its sessions ended.",
            JSONObject(strings: ["accountId": account.id.uuid]))
    }

    private func sealedHash(
        of password: String, for id: UniqueID, names: [String], now: Timestamp
    ) async throws -> [UInt8] {
        let secret = try Password(password)
        if let fault = try await compromised.fault(in: secret, names: names, now: now) {
            throw AdministrationRefusal(fault.advice, code: "password_\(fault.rawValue)")
        }
        guard let slot = passwords.slot(for: .administrator) else {
            throw AdministrationRefusal("The server is busy hashing passwords; try again in a moment.", code: "busy")
        }
        return try vault.seal(try await passwords.hash(secret, in: slot), .password, of: id)
    }
}

extension AccountVault {
    /// What operators see of an account.
    func json(_ account: AccountRecord, names: [String]) -> JSONObject {
        var json = JSONObject()
        json.set("accountId", account.id.uuid)
        json.set("usernames", names)
        json.set("brand", account.brandID)
        json.set("state", account.state.rawValue)
        json.set("passwordState", account.passwordState.rawValue)
        json.set("passwordChangedAt", account.passwordChangedAt?.text)
        json.set("email", open(account.email, .email, of: account.id))
        json.set("emailState", account.emailState.rawValue)
        let profile = self.profile(of: account)
        if let phone = open(account.phone, .phone, of: account.id) {
            json.set("phone", phone)
            json.set("phoneState", profile.isPhoneVerified ? "verified" : "unverified")
        }
        json.set("name", profile.name)
        json.set("givenName", profile.givenName)
        json.set("familyName", profile.familyName)
        json.set("address", profile.address)
        if profile.postal != PersonalProfile.PostalAddress() { json["postalAddress"] = .object(profile.postal.json) }
        json.set("birthdate", profile.birthdate)
        json.set("enteredEmail", profile.entered.email)
        json.set("enteredPhone", profile.entered.phone)
        json.set("locale", account.locale)
        json.set("createdAt", account.createdAt.text)
        json.set("lastLoginAt", account.lastLoginAt?.text)
        json.set("closedBy", account.deactivatedBy?.rawValue)
        json.set("coolingUntil", account.coolingUntil?.text)
        json.set("mergedInto", account.mergedInto?.uuid)
        return json
    }
}

extension PasswordRuleViolation {
    /// Shown to the operator.
    var advice: String {
        switch self {
        case .tooShort: "The password is too short: at least \(PasswordRules.length.lowerBound) characters."
        case .tooLong: "The password is too long: at most \(PasswordRules.length.upperBound) characters."
        case .tooCommon: "The password is too common; choose another one."
        case .containsName: "The password contains the user name or the e-mail address; choose another one."
        case .breached:
            "The password is in a list of stolen passwords; choose another one, and do not use this one anywhere."
        case .unchanged: "This is the current password; choose another one."
        }
    }
}
