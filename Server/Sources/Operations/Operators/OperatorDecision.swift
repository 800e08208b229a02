internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// What the database says about the target of a call.
struct TargetFacts: Sendable, Hashable {
    enum Brand: Sendable, Hashable {
        case every
        case one(String)
        /// There is no such target.
        case none
    }

    var brand: Brand
    /// Whether the request names it by an id that says nothing of its brand. A role of another brand must not learn that it exists.
    var isByID = false
    /// Whether a change of it concerns every brand, though it belongs to one. Its own brand may look at it.
    var concernsEveryBrand = false
    /// The account, if it is one, or belongs to one.
    var account: UniqueID?
    /// The other account of a command about two.
    var other: UniqueID?
    /// Whether it is an operator, a client or right that administers the server, or trust as the operator's own.
    var isOfAdministration = false

    /// Whether both are of the same accounts, if of any, and both or neither of administration.
    func isSameSubject(as other: TargetFacts) -> Bool {
        account == other.account && self.other == other.other && isOfAdministration == other.isOfAdministration
    }

    func concerns(_ person: UniqueID) -> Bool { account == person || other == person }
}

/// Whether a call is within the caller's role.
enum OperatorDecision: String, Codable, Sendable {
    case allowed
    /// The role does not run the command.
    case role
    /// The role holds for another brand.
    case brand
    /// As if there were no such target.
    case unknown
    /// No operator changes their own account over HTTP.
    case ownAccount
    /// Only an owner of all brands changes operators, the clients that administer the server, and what it trusts as its own.
    case administration

    /// - Parameters:
    ///   - grant: the caller's.
    ///   - isOwn: whether the target is the caller's own account, or belongs to it.
    init(
        _ grant: OperatorGrant, isOwn: Bool, access: CommandAccess, isReading: Bool, on target: TargetFacts
    ) {
        guard access.admits(grant.role, reading: isReading) else {
            self = .role
            return
        }
        let isWithin =
            switch target.brand {
            case .every: grant.brand == nil
            case .one(let brand): grant.reaches(brand: brand)
            case .none: grant.brand == nil || !target.isByID
            }
        if !isWithin {
            self = target.isByID ? .unknown : .brand
        } else if isReading {
            self = .allowed
        } else if target.concernsEveryBrand, grant.brand != nil {
            self = .brand
        } else if isOwn {
            self = .ownAccount
        } else {
            self = target.isOfAdministration && !grant.mayGrant ? .administration : .allowed
        }
    }
}

extension CommandTarget {
    /// - Parameter search: of a command that only reads.
    /// - Throws: `MalformedValue` for an id that cannot be one.
    func facts(findingBy search: AccountSearch?, on connection: any SQLConnection) throws -> TargetFacts {
        switch self {
        case .everything: return TargetFacts(brand: .every)
        case .administration(let reference):
            let account = try reference.flatMap { try $0.findIfAny(by: search, on: connection)?.id }
            return TargetFacts(brand: .every, account: account, isOfAdministration: true)
        case .brand(let id): return TargetFacts(brand: .one(id ?? BrandSettings.defaultBrand))
        case .account(let reference):
            let found = try reference.findIfAny(by: search, on: connection)
            switch reference {
            case .id: return try .account(found, isByID: true, on: connection)
            case .username(_, let brand):
                var facts = try TargetFacts.account(found, isByID: false, on: connection)
                facts.brand = .one(brand ?? BrandSettings.defaultBrand)
                return facts
            }
        case .accounts(let reference, let text):
            // No address is looked for: only ids and user names name two accounts.
            var facts = try CommandTarget.account(reference).facts(findingBy: nil, on: connection)
            guard let account = try facts.account.flatMap({ try Accounts.find($0, on: connection) }) else {
                return facts
            }
            do {
                let other = try AccountPair.other(text, sharingBrandOf: account, on: connection).id
                facts.other = other
                if try Operators.find(other, on: connection) != nil { facts.isOfAdministration = true }
            } catch is AdministrationRefusal {}
            return facts
        case .client(let id, let concern):
            guard let client = try Clients.find(id, on: connection).map(RegisteredClient.init) else {
                return TargetFacts(brand: .none, isByID: true)
            }
            return try TargetFacts(
                brand: client.brand.map { .one($0.rawValue) } ?? .every, isByID: true,
                concernsEveryBrand: client.mayIntrospect || client.mayExchangeTokens || concern.contains(.everyBrand),
                isOfAdministration: PrivilegedScopes.isAny(of: client.scope.tokens) || concern.contains(.ownership)
                    || (concern.contains(.credentials) && client.isTrusted(on: connection)))
        case .device(let text):
            let device = try UniqueID(uuid: text).flatMap { try Devices.find($0, on: connection) }
            return try .account(ofOwner: device?.accountID, on: connection)
        case .passkey(let text):
            let passkey = try UniqueID(uuid: text).flatMap { try Passkeys.find($0, on: connection) }
            return try .account(ofOwner: passkey?.accountID, on: connection)
        }
    }

    /// The account that it names.
    var reference: AccountReference? {
        switch self {
        case .account(let reference), .accounts(let reference, _): reference
        case .administration(let reference): reference
        case .everything, .brand, .client, .device, .passkey: nil
        }
    }

    /// What is not found, for a refusal.
    fileprivate var unknown: AdministrationRefusal {
        switch self {
        case .account(.id(let id)), .accounts(.id(let id), _): .notFound("account", id)
        case .client(let id, _): .notFound("client", id)
        case .device(let id): .notFound("device", id)
        case .passkey(let id): .notFound("passkey", id)
        case .everything, .administration, .brand, .account(.username), .accounts(.username, _):
            AdministrationRefusal("There is nothing with this name.", code: "not_found")
        }
    }
}

extension TargetFacts {
    fileprivate static func account(
        ofOwner id: UniqueID?, on connection: any SQLConnection
    ) throws -> TargetFacts {
        try account(id.flatMap { try Accounts.find($0, on: connection) }, isByID: true, on: connection)
    }

    fileprivate static func account(
        _ account: AccountRecord?, isByID: Bool, on connection: any SQLConnection
    ) throws -> TargetFacts {
        guard let account else { return TargetFacts(brand: .none, isByID: isByID) }
        return TargetFacts(
            brand: .one(account.brandID), isByID: isByID, account: account.id,
            isOfAdministration: try Operators.find(account.id, on: connection) != nil)
    }
}

extension AccountReference {
    fileprivate func findIfAny(
        by search: AccountSearch?, on connection: any SQLConnection
    ) throws -> AccountRecord? {
        do {
            return try search?.find(self, on: connection) ?? find(on: connection)
        } catch is AdministrationRefusal {
            return nil
        }
    }
}

extension OperatorDecision {
    /// `nil` if the call is allowed.
    func refusal(
        of grant: OperatorGrant, title: String, access: CommandAccess, isReading: Bool, on target: CommandTarget
    ) -> AdministrationRefusal? {
        var refusal: AdministrationRefusal
        switch self {
        case .allowed: return nil
        case .role:
            let roles = access.admitted(reading: isReading).map(\.rawValue).joined(separator: ", ")
            refusal = Self.forbidden(
                "The role \(grant.role.rawValue) may not run `\(title)`.",
                roles.isEmpty ? "Run it on the server's machine." : "Ask an operator with one of the roles: \(roles).")
        case .brand:
            refusal = Self.forbidden(
                "The role reaches the brand \(grant.brand ?? "") only.",
                "Name this brand if the command takes one. Otherwise ask an operator of all brands, who has the role by "
                    + "`walletauth operator grant USERNAME --role \(grant.role.rawValue) --all-brands`.")
        case .unknown: return target.unknown
        case .ownAccount:
            refusal = Self.forbidden(
                "Operators change neither their own account nor their own role here.",
                "Use the account page, or ask another owner.")
        case .administration:
            refusal = Self.forbidden(
                "This concerns an operator, a client that administers the server, or what the server trusts as its own.",
                "Only an owner of all brands may change these.")
        }
        refusal.decision = self
        return refusal
    }

    static func forbidden(_ message: String, _ hint: String) -> AdministrationRefusal {
        AdministrationRefusal(message, hint: hint, code: "forbidden_role")
    }
}
