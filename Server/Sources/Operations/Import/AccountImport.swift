internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Imports accounts with the hashes of their passwords, and what belongs to them, a batch at a time.
///
/// This folder owns it: the forms of files, the lines, and the command that receives them. It does not own the hashes (`Kernel/Passwords`).
struct AccountImport: Sendable {
    let database: any Database
    let clock: any Clock
    let sealing: SealingKeys
    let auditLog: AuditLog
    let providers: ProviderVault
    let random: any RandomBytes
    /// Factors whose codes nothing delivers.
    let undeliverable: Set<FactorKind>

    /// Accounts of one write: sign-ins wait for no more.
    static let batch = 100
    /// Lines of one call. While the accounts of one write are written, those of the next are sealed.
    static let mostLines = 10 * batch

    /// Which import a batch belongs to, and what to do with it.
    struct Request: Sendable {
        var brand: BrandID
        var source: String
        var run: String
        var isFirst: Bool
        var isDry: Bool
        var isStrict: Bool
        /// Whether people may have an address or number to which nothing is sent.
        var takesUndeliverable = false
    }

    /// A line of the file.
    struct Line: Sendable {
        var number: Int
        var content: Result<ImportedLine, Refusal>
        /// Of a dry run: what earlier batches would have made, of ``ImportedLine/needs``.
        var coming: Set<String> = []
        /// Whether the program left out members at fault: nothing is made of it, and its other faults are named.
        var isFaulty = false
    }

    /// Why a line is not imported.
    struct Refusal: Error, Hashable {
        let faults: [ImportFault]

        init(_ faults: [ImportFault]) { self.faults = faults }

        init(_ reason: String, isGeneral: Bool = false) {
            faults = [ImportFault(reason, isGeneral: isGeneral)]
        }
    }

    /// One of those of a line.
    struct Fault: Sendable, Hashable {
        var line: Int
        var fault: ImportFault
    }

    struct Outcome: Sendable {
        var created: [ImportedLine.Kind: Int64] = [:]
        var present: Int64 = 0
        /// The accounts made that have neither a password nor an identity to sign in with.
        var withoutPassword: Int64 = 0
        var faults: [Fault] = []
        /// Whether nothing was written because of the faults.
        var isStopped = false

        mutating func add(_ other: Outcome) {
            created.merge(other.created, uniquingKeysWith: +)
            present += other.present
            withoutPassword += other.withoutPassword
            faults += other.faults
            isStopped = other.isStopped
        }
    }

    private struct Strict: Error {
        let outcome: Outcome
    }

    private typealias Prepared = (line: Line, content: Result<any PreparedLine, Refusal>)

    // MARK: - Steps

    func add(_ lines: [Line], to request: Request) async throws -> Outcome {
        let now = clock.now()
        let providers = try await openedProviders(of: request.brand)
        if request.isDry {
            let all = prepared(lines[...], request, providers, now: now)
            return try await database.read { try outcome(of: all, request, on: $0) }
        }
        var (sum, current) = (Outcome(), request)
        var rest = lines[...]
        var next = prepared(Self.split(&rest), request, providers, now: now)
        while !next.isEmpty, !sum.isStopped {
            let following = Self.split(&rest)
            async let coming = prepared(following, request, providers, now: now)
            do {
                sum.add(try await write(next, current))
                // A run that takes over from now on keeps the lease.
                current.isFirst = false
            } catch let strict as Strict {
                sum.add(strict.outcome)
            }
            next = await coming
        }
        return sum
    }

    /// Takes the lines of one write from the beginning.
    private static func split(_ lines: inout ArraySlice<Line>) -> ArraySlice<Line> {
        defer { lines = lines.dropFirst(batch) }
        return lines.prefix(batch)
    }

    private func prepared(
        _ lines: ArraySlice<Line>, _ request: Request, _ providers: [String: IdentityProvider], now: Timestamp
    ) -> [Prepared] {
        lines.map { line in
            do throws(Refusal) {
                return (line, .success(try prepare(try line.content.get(), request, providers, now: now)))
            } catch {
                return (line, .failure(error))
            }
        }
    }

    private func write(_ prepared: [Prepared], _ request: Request) async throws -> Outcome {
        try await database.write { connection in
            // Each write renews the lease: ten of them may take long.
            var lease = try lease(of: request, now: clock.now(), on: connection)
            let outcome = try outcome(of: prepared, request, on: connection)
            if request.isStrict, !outcome.faults.isEmpty {
                throw Strict(outcome: Outcome(faults: outcome.faults, isStopped: true))
            }
            lease.created.merge(outcome.created, uniquingKeysWith: +)
            lease.present += outcome.present
            lease.faulty += Int64(Set(outcome.faults.map(\.line)).count)
            try lease.write(on: connection)
            return outcome
        }
    }

    /// Ends a run: nothing else is written, and the audit log has its counts.
    /// - Parameter faulty: the lines not imported, with those that the program did not send.
    func finish(_ request: Request, faulty: Int64) async throws -> Outcome {
        let now = clock.now()
        guard let found = try await database.read({ try ImportLease.current(on: $0) }), found.run == request.run else {
            return Outcome()
        }
        var ended = found
        ended.faulty = max(found.faulty, faulty)
        let entry = try entry(of: ended, isWhole: true, now: now)
        return try await database.write { connection in
            guard try ImportLease.current(on: connection) == found else { return Outcome() }
            try entry.write(on: connection)
            try ImportLease.end(on: connection)
            return Outcome(created: found.created, present: found.present)
        }
    }

    // MARK: - The run

    /// The lease of this run, taken by its first batch. The audit log then has the counts of a run that was cut off.
    /// - Throws: ``AdministrationRefusal`` while another one runs.
    private func lease(of request: Request, now: Timestamp, on connection: any SQLConnection) throws -> ImportLease {
        var lease = ImportLease(
            source: request.source, run: request.run, brand: request.brand.rawValue, until: now + ImportLease.lifetime)
        guard let found = try ImportLease.current(on: connection) else {
            guard request.isFirst else { throw Self.overtaken }
            return lease
        }
        if found.run == request.run {
            guard found.brand == request.brand.rawValue else { throw Self.overtaken }
            lease = found
            lease.until = now + ImportLease.lifetime
            return lease
        }
        guard request.isFirst else { throw Self.overtaken }
        guard found.source == request.source || found.until <= now else {
            throw AdministrationRefusal(
                "Another import is running.",
                hint:
                    "Wait until it is done. If it was killed, run it again first, or this one in "
                    + "\(max(1, (found.until - now).wholeSeconds)) seconds.",
                code: "import_running")
        }
        try entry(of: found, isWhole: false, now: now).write(on: connection)
        return lease
    }

    private static let overtaken = AdministrationRefusal(
        "Another run of an import has taken over from this one.", hint: "Let that one finish.", code: "import_running")

    private func entry(of lease: ImportLease, isWhole: Bool, now: Timestamp) throws -> AuditLog.Entry {
        var details = lease.counts
        details.set("source", lease.source)
        details.set("brand", lease.brand)
        details["whole"] = .bool(isWhole)
        return try auditLog.administration(AdministrationEvent.accountsImported, details: details, now: now)
    }

    // MARK: - A line

    private func openedProviders(of brand: BrandID) async throws -> [String: IdentityProvider] {
        let records = try await database.read {
            try IdentityProviders.list(brand: brand.rawValue, limit: 1000, on: $0)
        }
        return Dictionary(
            try records.map { ($0.id, try providers.open($0)) }, uniquingKeysWith: { first, _ in first })
    }

    private func prepare(
        _ content: ImportedLine, _ request: Request, _ providers: [String: IdentityProvider], now: Timestamp
    ) throws(Refusal) -> any PreparedLine {
        do {
            switch content {
            case .account(let person): return try sealed(person, request, providers, now: now)
            case .merchant(let merchant): return try prepared(merchant, request, now: now)
            case .employee(let employee): return try prepared(employee, request, now: now)
            case .consent(let consent): return try prepared(consent, request, now: now)
            }
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal("cannot be sealed: \(error)")
        }
    }

    private func sealed(
        _ person: ImportedPerson, _ request: Request, _ providers: [String: IdentityProvider], now: Timestamp
    ) throws -> PreparedAccount {
        var faults = request.takesUndeliverable ? [] : undelivered(to: person)
        let id = try person.key.accountID(in: request.brand)
        let vault = AccountVault(sealing)
        // As the account's, an unconfirmed number would be a second factor.
        let phone = person.profile.isPhoneVerified ? person.phone : nil
        var profile = person.profile
        if phone == nil { profile.entered.phone = person.phone }
        let hash = try person.password.map { try vault.seal($0.text, .password, of: id) }
        let account = AccountRecord(
            id: id, brandID: request.brand.rawValue, state: person.isDisabled ? .deactivated : .active, password: hash,
            passwordState: hash == nil ? .none : person.isPasswordExpired ? .expired : .current,
            passwordChangedAt: hash == nil ? nil : now,
            email: try person.email.map { try vault.seal($0, .email, of: id) },
            emailState: person.email == nil ? .none : person.isEmailVerified ? .verified : .unverified,
            phone: try phone.map { try vault.seal($0, .phone, of: id) },
            profile: try vault.seal(profile, of: id), locale: person.locale, createdAt: now,
            deactivatedBy: person.isDisabled ? .imported : nil)
        var identities: [FederatedIdentityRecord] = []
        for identity in person.identities {
            switch Self.provider(of: identity, among: providers) {
            case .success(let provider):
                let digest = provider.digest(of: identity.subject)
                identities.append(
                    FederatedIdentityRecord(
                        brandID: request.brand.rawValue, digest: digest, accountID: id, providerID: identity.provider,
                        subject: try IdentityVault(sealing).seal(identity.subject, .subject, of: digest), linkedAt: now,
                        // What the provider asserts is not in the file, and may be the account's own address.
                        assertsAddress: person.email != nil))
            case .failure(let refusal): faults += refusal.faults.filter { !faults.contains($0) }
            }
        }
        if Set(identities.map(\.digest)).count < identities.count {
            faults.append(ImportFault("it has the same identity twice"))
        }
        var properties = ["import": request.source]
        if !person.identities.isEmpty {
            properties["providers"] = person.identities.map(\.provider).joined(separator: " ")
        }
        if person.totpSecret != nil { properties["authenticator"] = "imported" }
        return PreparedAccount(
            mark: person.key.mark, account: account, name: person.username,
            identities: identities,
            totp: try person.totpSecret.map { try AuthenticatorVault(sealing).seal($0, .secret, of: id) },
            digests: try AccountDigests(of: account, names: [person.username], sealing: sealing),
            entry: try auditLog.entry(AccountEvent.created, account: id, appProperties: properties, now: now),
            faults: faults)
    }

    private func undelivered(to person: ImportedPerson) -> [ImportFault] {
        let given = [(FactorKind.email, person.email != nil), (.sms, person.phone != nil)]
        return given.filter { $0.1 && undeliverable.contains($0.0) }.map { kind, _ in
            ImportFault(
                "\(UndeliverableContact.consequence(of: kind)) \(UndeliverableContact.remedy(of: kind)) first, or import with "
                    + "--even-undeliverable", isGeneral: true)
        }
    }

    private static func provider(
        of identity: ImportedPerson.Identity, among providers: [String: IdentityProvider]
    ) -> Result<IdentityProvider, Refusal> {
        guard let provider = providers[identity.provider] else {
            return .failure(
                Refusal(
                    "there is no provider \(identity.provider) here: add it, map it with --provider \(identity.provider)=ID, or leave "
                        + "its identities out with --provider \(identity.provider)=", isGeneral: true))
        }
        // Apple's subjects are different in each team.
        let team = provider.vendor?.facts.first { $0.member == "teamId" }?.values.first
        if let team, let former = identity.team, former != team {
            return .failure(
                Refusal(
                    "the identity at \(identity.provider) is of the team \(former), and the provider here of \(team)",
                    isGeneral: true))
        }
        return .success(provider)
    }

    /// What becomes of each line, in the order of the file. A dry run only looks.
    private func outcome(of prepared: [Prepared], _ request: Request, on connection: any SQLConnection) throws
        -> Outcome
    {
        guard try Brands.find(request.brand.rawValue, on: connection) != nil else {
            throw AdministrationRefusal.notFound("brand", request.brand.rawValue)
        }
        var outcome = Outcome()
        // Of a dry run, which makes nothing that later lines could find.
        var (made, refused): (Set<String>, Set<String>) = ([], [])
        for (line, content) in prepared {
            do {
                let one = try content.get()
                let coming = request.isDry ? line.coming.union(made).subtracting(refused) : []
                if line.isFaulty {
                    if try !one.isPresent(on: connection) { try one.requireFit(coming: coming, on: connection) }
                    continue
                }
                if try one.isPresent(on: connection) {
                    outcome.present += 1
                } else {
                    try one.requireFit(coming: coming, on: connection)
                    if !request.isDry { try one.create(on: connection) }
                    outcome.created[one.kind, default: 0] += 1
                    if (one as? PreparedAccount)?.isWithoutPassword == true { outcome.withoutPassword += 1 }
                }
                if let mark = one.mark { made.insert(mark) }
            } catch let refusal as Refusal {
                if case .success(let content) = line.content { refused.formUnion(content.marks.map(\.value)) }
                outcome.faults += refusal.faults.map { Fault(line: line.number, fault: $0) }
            }
        }
        return outcome
    }
}
