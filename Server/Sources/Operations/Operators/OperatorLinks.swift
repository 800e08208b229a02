internal import ArgumentParser
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Where a role holds. The account's own brand, unless one of these says otherwise.
struct RoleReachOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The brand that the role reaches; the account's own if omitted.", valueName: "brand"))
    var forBrand: String?

    @Flag(help: "The role reaches every brand.")
    var allBrands = false

    var isGiven: Bool { forBrand != nil || allBrands }

    func check() throws {
        guard forBrand == nil || !allBrands else { throw ValidationError("use either --for-brand or --all-brands") }
    }

    /// - Parameter role: as typed.
    func named(_ role: String) throws -> NamedRole {
        guard let role = OperatorRole(rawValue: role) else {
            throw MalformedValue(field: "role", reason: "is not one of \(OperatorRole.listed)")
        }
        let brand = try forBrand.map { try BrandID($0).rawValue }
        return NamedRole(role: role, reach: allBrands ? .allBrands : brand.map { .brand($0) } ?? .ownBrand)
    }
}

/// A role as an operator names it, before its account is known.
struct NamedRole: Sendable, Hashable {
    enum Reach: Sendable, Hashable {
        case ownBrand
        case brand(String)
        case allBrands
    }

    let role: OperatorRole
    let reach: Reach

    func grant(ownBrand: String) -> OperatorGrant {
        switch reach {
        case .ownBrand: OperatorGrant(role, brand: ownBrand)
        case .brand(let id): OperatorGrant(role, brand: id)
        case .allBrands: OperatorGrant(role, brand: nil)
        }
    }
}

/// Makes the one-time links by which people become operators (`SignIn/OperatorWelcome` has their page).
struct OperatorLinks: Sendable {
    let issuer: Issuer
    let random: any RandomBytes
    let auditLog: AuditLog
    /// Who makes them over HTTP; `nil` at the command line.
    let caller: OperatorCaller.Identity?

    func make(
        for account: UniqueID, securityVersion: Int64, _ grant: OperatorGrant, now: Timestamp
    ) throws -> OperatorLink {
        let secret = OperatorLinkSecret(account: account, random: random)
        return OperatorLink(
            invitation: OperatorInvitation(
                secret, grant, securityVersion: securityVersion, madeBy: caller?.account, now: now),
            address: issuer.url(path: Endpoints.operatorWelcomePage.path) + "?token=" + secret.reveal(),
            entry: try auditLog.administration(
                OperatorEvent.invited, account: account, details: grant.json, now: now))
    }

    /// How the person of an account signs in already, as far as that forbids a link: who opens it sets a new password, so over HTTP it
    /// would be a way into any account without an authenticator app. At the server's machine there are others.
    func hindrances(of account: AccountRecord, on connection: any SQLConnection) throws -> [String] {
        guard caller != nil else { return [] }
        let ways = [
            ("a password", account.passwordState != .none),
            ("a device", try Devices.holdsAny(of: account.id, on: connection)),
            ("a passkey", try !Passkeys.list(of: account.id, on: connection).isEmpty),
            ("an identity at a provider", try !FederatedIdentities.list(of: account.id, on: connection).isEmpty),
            ("an earlier sign-in", account.lastLoginAt != nil),
        ]
        return ways.filter(\.1).map(\.0)
    }
}

/// A link, for the operator who made it. The address is nowhere else.
struct OperatorLink: Sendable {
    let invitation: OperatorInvitation
    private let address: String
    private let entry: AuditLog.Entry

    fileprivate init(invitation: OperatorInvitation, address: String, entry: AuditLog.Entry) {
        self.invitation = invitation
        self.address = address
        self.entry = entry
    }

    func write(on connection: any SQLConnection) throws {
        try OperatorInvitations.set(invitation, on: connection)
        try entry.write(on: connection)
    }

    /// - Parameter name: the person's user name.
    func lines(for name: String) -> [String] {
        [
            "Give \(name) this link. It works once, until \(invitation.expiresAt.text); keep it from everyone else:",
            "  \(address)",
            "Once a password and an authenticator app are set up there, \(name) is \(invitation.grant.words).",
        ]
    }

    func add(to json: inout JSONObject) {
        json.set("link", address)
        json.set("linkExpiresAt", invitation.expiresAt.text)
    }
}
