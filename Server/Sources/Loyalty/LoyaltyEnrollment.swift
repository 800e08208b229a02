internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import Tokens
internal import WalletAuthWire
internal import Web

/// `POST /enrollment/createAndRegister.json`: creates an account for a guest that a provider vouches for, and issues its tokens.
///
/// Checks without a cost come first. The code works only once and is redeemed last, with one exception: if only an identifier
/// names the guest, the code is redeemed before a name is looked up or a password hashed, because anyone could have invented the
/// identifier.
struct LoyaltyEnrollment: Sendable {
    let integrations: LoyaltyIntegrations
    let accounts: GuestAccounts
    let sessions: GuestSessions
    let check: ExternalAccountCheck
    let attempts: GuestAttempts
    let passwords: NewGuestPasswords
    let codes: ProviderCodes
    let database: any Database
    let sealing: SealingKeys
    let auditLog: AuditLog

    /// One enrollment.
    private struct Attempt: Sendable {
        let request: LoyaltyEnrollmentRequest
        let integration: LoyaltyIntegration
        let memory: EnrollmentMemory
        let call: LoyaltyCaller
    }

    private typealias Outcome = Result<EnrollmentMemory.Enrollment, LoyaltyFailure>

    /// A repeated request whose response was lost gets the same account.
    func enroll(
        _ request: LoyaltyEnrollmentRequest, call: LoyaltyCaller
    ) async throws -> Result<LoyaltyEnrollmentResponse, LoyaltyFailure> {
        let found = try await integrations.find(
            request.externalAccount.integration, of: request.merchantID, for: call)
        let integration: LoyaltyIntegration
        switch found {
        case .failure(let failure): return .failure(failure)
        case .success(let known): integration = known
        }
        if let refusal = integration.refusal(of: request) { return .failure(refusal) }
        let memory = try EnrollmentMemory(of: request, by: call.client.id, database: database, sealing: sealing)
        let attempt = Attempt(request: request, integration: integration, memory: memory, call: call)
        guard let lease = try await codes.take(memory.digest) else {
            return .failure(LoyaltyFailure(.busy, retryAfter: 2))
        }
        // Ends even if the backend disconnects: a redeemed code must create its account, or be remembered.
        let ended = await Task { try await enroll(attempt) }.result
        await lease.release()
        let enrolled: EnrollmentMemory.Enrollment
        switch try ended.get() {
        case .failure(let failure): return .failure(failure)
        case .success(let done): enrolled = done
        }
        guard let account = UniqueID(bytes: enrolled.account) else { throw InvariantViolation() }
        let factors = SignInPolicy.Factors(
            securityVersion: enrolled.securityVersion, amr: [AuthenticationStrength.provider],
            authTime: enrolled.authTime, providerAuthTime: enrolled.providerAuthTime)
        let outcome = try await sessions.open(
            account, factors: factors, properties: ["provider": integration.provider.id.rawValue],
            call: call.tokens(scope: nil))
        switch outcome {
        case .opened(let tokens, let username):
            return .success(
                LoyaltyEnrollmentResponse(
                    accountID: enrolled.number, tokens: try GuestTokens(tokens, username: username)))
        case .refused(let decision): return .failure(LoyaltyFailure(gate: decision))
        }
    }

    /// The account that this request creates now, or created earlier.
    private func enroll(_ attempt: Attempt) async throws -> Outcome {
        let (request, integration, call) = (attempt.request, attempt.integration, attempt.call)
        var guest: ProvenIdentity?
        let registration = try integration.provider.registration()
        switch try await attempt.memory.content(now: call.now) {
        case .enrolled(let enrollment)?
        where enrollment.request == request.digest && enrollment.registration == registration:
            return .success(enrollment)
        case .redeemed(let redemption)?
        where redemption.claim == request.externalAccount.claimDigest
            && redemption.identity.registration == registration:
            guest = redemption.identity
        case .enrolled?, .redeemed?, nil: break
        }
        let claim: ExternalAccountCheck.Claim
        if let guest {
            claim = try check.claim(request.externalAccount, at: integration, of: guest.subject)
        } else {
            switch try await check.claim(request.externalAccount, at: integration, now: call.now) {
            case .failure(let failure): return .failure(failure)
            case .success(let claimed): claim = claimed
            }
        }
        guard try await !integrations.isLinked(claim) else {
            return .failure(LoyaltyFailure(.externalAccountLinked))
        }
        let profile: PersonalProfile
        switch PersonalProfile.entered(request.profile, now: call.now) {
        case .failure(let failure): return .failure(failure)
        case .success(let entered): profile = entered
        }
        if guest == nil, claim.kind == .subject {
            switch try await redeem(claim, attempt) {
            case .failure(let failure): return .failure(failure)
            case .success(let proven): guest = proven
            }
        }
        if let failure = try await nameFailure(claim, attempt) { return .failure(failure) }
        let passwordHash: String
        switch try await passwords.hash(request.password, for: request.username, call: call) {
        case .failure(let failure): return .failure(failure)
        case .success(let hash): passwordHash = hash
        }
        if let guest { return try await make(guest, profile, passwordHash: passwordHash, attempt) }
        switch try await redeem(claim, attempt) {
        case .failure(let failure): return .failure(failure)
        case .success(let guest): return try await make(guest, profile, passwordHash: passwordHash, attempt)
        }
    }

    /// Why the name is refused; `nil` if it is free. Taken names count against the guest.
    private func nameFailure(
        _ claim: ExternalAccountCheck.Claim, _ attempt: Attempt
    ) async throws -> LoyaltyFailure? {
        let (name, provider) = (attempt.request.username.rawValue, attempt.integration.provider)
        let names = try attempts.counter(of: .names, by: claim.digest, claim.kind, at: provider)
        if let seconds = try await attempts.reserve([names], now: attempt.call.now) {
            return LoyaltyFailure(.locked, retryAfter: seconds)
        }
        do {
            let isTaken = try await database.read {
                try Accounts.find(named: name, brand: provider.brand.rawValue, on: $0) != nil
            }
            try await attempts.settle([names], isWrong: isTaken)
            return isTaken ? .taken : nil
        } catch {
            try? await attempts.settle([names], isWrong: false)
            throw error
        }
    }

    private func redeem(
        _ claim: ExternalAccountCheck.Claim, _ attempt: Attempt
    ) async throws -> Result<ProvenIdentity, LoyaltyFailure> {
        let now = attempt.call.now
        // Each invented identifier has its own counter, so they are also counted by client.
        let claims: GuestAttempts.Counter? =
            claim.kind == .subject
            ? try attempts.counter(
                of: .claimedIdentities, by: Array(attempt.call.client.id.rawValue.utf8), claim.kind,
                at: attempt.integration.provider) : nil
        switch try await check.redeem(claim, countedAlsoBy: claims, now: now) {
        case .failure(let failure): return .failure(failure)
        case .success(let identity):
            if let claims { try await attempts.succeed(claims) }
            let redemption = EnrollmentMemory.Redemption(claim: claim.account.claimDigest, identity: identity)
            do {
                try await database.write { connection in
                    try attempts.succeed(claim.codes, as: identity, of: nil, now: now, on: connection)
                    try attempt.memory.remember(.redeemed(redemption), now: now, on: connection)
                }
                return .success(identity)
            } catch is VendorConsentEnded {
                try await attempts.settle([claim.codes], isWrong: false)
                return .failure(LoyaltyFailure(.externalCodeRefused))
            }
        }
    }

    /// Creates account, link, number and memory in one write, all or none.
    private func make(
        _ guest: ProvenIdentity, _ profile: PersonalProfile, passwordHash: String, _ attempt: Attempt
    ) async throws -> Outcome {
        let (request, call) = (attempt.request, attempt.call)
        // An unverified address would have to be confirmed before the first sign-in, which a backend cannot ask for.
        var details = GuestAccounts.Details(
            username: request.username, email: guest.isEmailVerified ? guest.email : nil, passwordHash: passwordHash,
            locale: request.profile.language, client: call.client.id, origin: call.origin, countsAddress: false)
        details.profile = profile
        let numbers = (0..<8).map { _ in LoyaltyNumber.make(of: sealing.random.bytes(8)) }
        let new = try accounts.new(for: guest, details, now: call.now)
        do {
            return try await database.write { connection -> Outcome in
                switch try accounts.make(new, on: connection) {
                case .made(let account):
                    let records = numbers.lazy.map { record($0, of: account, attempt) }
                    guard let kept = try records.first(where: { try LoyaltyAccounts.add($0, on: connection) }) else {
                        throw StoreError(.unavailable, "no free number was found for a loyalty account")
                    }
                    let enrollment = try remembered(account, of: guest, number: kept.number, attempt)
                    try attempt.memory.remember(.enrolled(enrollment), of: account.id, now: call.now, on: connection)
                    try auditLog.entry(
                        LoyaltyEvent.enrolled, account: account.id, client: call.client.id.rawValue,
                        origin: call.origin, now: call.now, details: kept.details
                    ).write(on: connection)
                    return .success(enrollment)
                case .linked, .outdated: return .failure(LoyaltyFailure(.externalAccountLinked))
                case .nameTaken: return .failure(.taken)
                case .providerGone: return .failure(LoyaltyFailure(.unknownIntegration))
                // Only network addresses are slowed, and only a person's choice of a name is refused: the backend chose this one.
                case .tooManyAttempts, .nameUnusable: throw InvariantViolation()
                }
            }
        } catch is VendorConsentEnded { return .failure(LoyaltyFailure(.externalAccountLinked)) }
    }

    /// The phone number that the guest entered does not find the account: it is not proved.
    private func record(_ number: Int64, of account: AccountRecord, _ attempt: Attempt) -> LoyaltyAccountRecord {
        let (integration, request) = (attempt.integration.record, attempt.request)
        return LoyaltyAccountRecord(
            accountID: account.id, number: number, merchantID: integration.merchantID,
            integrationID: integration.integrationID, cardTemplate: request.cardTemplateCode,
            activationStore: request.activationStoreCode, enrolledAt: attempt.call.now, phoneDigest: nil)
    }

    /// What a repetition of the request needs of the new account.
    private func remembered(
        _ account: AccountRecord, of guest: ProvenIdentity, number: Int64, _ attempt: Attempt
    ) throws -> EnrollmentMemory.Enrollment {
        EnrollmentMemory.Enrollment(
            request: attempt.request.digest, registration: try attempt.integration.provider.registration(),
            account: account.id.bytes, securityVersion: account.securityVersion, number: number,
            authTime: attempt.call.now, providerAuthTime: guest.authTime)
    }
}

/// Checks and hashes the passwords of new guests.
struct NewGuestPasswords: Sendable {
    let hasher: PasswordHasher
    let compromised: CompromisedPasswords
    /// In the sandbox, so that the examples in integrators' documents work there unchanged.
    let acceptsCommon: Bool

    /// - Parameter password: as typed.
    func hash(
        _ password: Password, for username: Username, call: LoyaltyCaller
    ) async throws -> Result<String, LoyaltyFailure> {
        let fault = try await compromised.fault(in: password, names: [username.rawValue], now: call.now)
        if let fault, !acceptsCommon || ![.tooCommon, .containsName].contains(fault) {
            return .failure(.field("password", LoyaltyFieldError.Reason(fault)))
        }
        let claimant = PasswordSlots.Claimant.untrusted(
            at: username, brand: try call.client.accountBrand, from: call.origin)
        guard let slot = hasher.slot(for: claimant) else {
            return .failure(LoyaltyFailure(.busy, retryAfter: PasswordHasher.retryAfter))
        }
        return .success(try await hasher.hash(password, in: slot))
    }
}

extension LoyaltyAccountRecord {
    /// The codes of its enrollment.
    var details: JSONObject {
        var details = JSONObject()
        details.set("number", number)
        details.set("merchant_id", merchantID)
        details.set("integration", integrationID)
        details.set("card_template", cardTemplate)
        details.set("activation_store", activationStore)
        return details
    }
}

extension LoyaltyFailure {
    fileprivate static let taken = LoyaltyFailure(
        .usernameTaken, fields: [LoyaltyFieldError("username", .taken)])
}

extension LoyaltyFieldError.Reason {
    init(_ fault: PasswordRuleViolation) {
        switch fault {
        case .tooShort: self = .tooShort
        case .tooLong: self = .tooLong
        case .tooCommon, .containsName, .unchanged: self = .tooCommon
        case .breached: self = .breached
        }
    }
}

/// The account numbers for integrators. They are random, so that they do not reveal how many accounts exist, and have
/// nine or ten digits, to fit into the 32 bits that some clients use.
enum LoyaltyNumber {
    private static let range: ClosedRange<Int64> = 100_000_000...2_147_483_647

    /// - Parameter bytes: eight random bytes.
    static func make(of bytes: [UInt8]) -> Int64 {
        let value = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return range.lowerBound + Int64(value % UInt64(range.count))
    }
}
