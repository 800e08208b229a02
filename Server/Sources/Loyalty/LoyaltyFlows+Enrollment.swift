internal import AuthCore
internal import AuthCredentials
internal import AuthEvents
internal import AuthFoundation
internal import AuthSignIn
internal import AuthStore
internal import AuthTokens
package import WalletAuthWire

extension LoyaltyFlows {
    /// `POST /enrollment/createAndRegister.json`: creates an account for a guest that a provider vouches for, and issues its tokens.
    ///
    /// A repeated request whose response was lost gets the same account.
    /// - Parameter request: the new account, and the proof of the guest's identity.
    package func enroll(
        _ request: LoyaltyEnrollmentRequest, call: LoyaltyCaller
    ) async throws -> Result<LoyaltyEnrollmentResponse, LoyaltyFailure> {
        let found = try await LoyaltyIntegration.find(
            request.externalAccount.integration, of: request.merchantID, for: call, in: context)
        let integration: LoyaltyIntegration
        switch found {
        case .failure(let failure): return .failure(failure)
        case .success(let known): integration = known
        }
        if let refusal = integration.refusal(of: request) { return .failure(refusal) }
        let memory = try EnrollmentMemory(of: request, by: call.client.id, context: context)
        let enrollment = GuestEnrolling(
            flows: self, request: request, integration: integration, memory: memory, call: call)
        // The client may disconnect at any moment. A redeemed code must still create its account or be remembered.
        let made = Task { try await alone(with: memory.digest) { try await enrollment.run() } }
        switch try await made.value {
        case nil: return .failure(LoyaltyFailure(.busy, retryAfter: 2))
        case .failure(let failure)?: return .failure(failure)
        case .success(let enrolled)?: return try await answer(enrolled, integration: integration, call: call)
        }
    }

    /// Opens a session for the account that this request created, now or earlier.
    private func answer(
        _ enrolled: EnrollmentMemory.Enrollment, integration: LoyaltyIntegration, call: LoyaltyCaller
    ) async throws -> Result<LoyaltyEnrollmentResponse, LoyaltyFailure> {
        guard let account = UniqueID(bytes: enrolled.account) else { throw SourceFailure() }
        let factors = SignInPolicy.Factors(
            securityVersion: enrolled.securityVersion, amr: [AuthenticationStrength.provider],
            authTime: enrolled.authTime, providerAuthTime: enrolled.providerAuthTime)
        let outcome = try await sessions.open(
            account, factors: factors, properties: ["provider": integration.provider.id.rawValue],
            call: call.session(scope: call.client.scope))
        switch outcome {
        case .opened(let tokens, let username):
            return .success(
                LoyaltyEnrollmentResponse(
                    accountID: enrolled.number, tokens: try GuestTokens(tokens, username: username)))
        case .refused(let decision): return .failure(LoyaltyFailure(gate: decision))
        }
    }
}

/// One enrollment, from the claim to the account. Checks without a cost come first. The code works only once and is redeemed last,
/// with one exception: if only an identifier names the guest, the code is redeemed before a name is looked up or a password hashed,
/// because anyone could have invented the identifier.
struct GuestEnrolling: Sendable {
    let flows: LoyaltyFlows
    let request: LoyaltyEnrollmentRequest
    let integration: LoyaltyIntegration
    let memory: EnrollmentMemory
    let call: LoyaltyCaller

    private var context: ServerContext { flows.context }
    private var accounts: GuestEnrollment { GuestEnrollment(context: context) }
    private var session: GuestSessions.Call { call.session(scope: call.client.scope) }

    typealias Outcome = Result<EnrollmentMemory.Enrollment, LoyaltyFailure>

    func run() async throws -> Outcome {
        var guest: ProvenGuest?
        let (claimDigest, registration) = (
            request.externalAccount.claimDigest, try integration.provider.registration()
        )
        switch try await memory.content(now: call.now) {
        case .enrolled(let enrollment)?
        where enrollment.request == request.digest && enrollment.registration == registration:
            return .success(enrollment)
        case .redeemed(let redemption)?
        where redemption.claim == claimDigest && redemption.registration == registration:
            guest = ProvenGuest(redemption.identity, at: integration.provider)
        case .enrolled?, .redeemed?, nil: break
        }
        let check = ExternalAccountCheck(
            context: context, integration: integration, account: request.externalAccount, now: call.now)
        let claim: ExternalAccountCheck.Claim
        if let guest {
            claim = check.claim(of: guest.subject)
        } else {
            switch try await check.claim() {
            case .failure(let failure): return .failure(failure)
            case .success(let claimed): claim = claimed
            }
        }
        guard try await !flows.isLinked(claim, at: integration) else {
            return .failure(LoyaltyFailure(.externalAccountLinked))
        }
        if guest == nil, claim.kind == .subject {
            switch try await redeem(claim, check) {
            case .failure(let failure): return .failure(failure)
            case .success(let proven): guest = proven
            }
        }
        if let failure = try await nameFailure(claim) { return .failure(failure) }
        let password: GuestEnrollment.HashedPassword
        switch try await accounts.hash(request.password, for: request.username, call: session) {
        case .hashed(let hashed): password = hashed
        case .unacceptable(let fault): return .failure(.field("password", LoyaltyFieldError.Reason(fault)))
        case .busy(let seconds): return .failure(LoyaltyFailure(.busy, retryAfter: seconds))
        }
        if let guest { return try await make(guest, password) }
        switch try await redeem(claim, check) {
        case .failure(let failure): return .failure(failure)
        case .success(let guest): return try await make(guest, password)
        }
    }

    /// Why the name is refused; `nil` if it is free. Taken names count against the guest.
    private func nameFailure(_ claim: ExternalAccountCheck.Claim) async throws -> LoyaltyFailure? {
        let attempts = try GuestAttempts(
            at: .names, by: claim.digest, claim.kind, provider: integration.provider, context: context)
        let outcome = try await attempts.charging(now: call.now) { () -> Result<Void, LoyaltyFailure> in
            let isTaken = try await accounts.isTaken(request.username, in: integration.provider.brand)
            return isTaken ? .failure(.taken) : .success(())
        }
        switch outcome {
        case .failure(let failure): return failure
        case .success:
            try await attempts.takeBack()
            return nil
        }
    }

    private func redeem(
        _ claim: ExternalAccountCheck.Claim, _ check: ExternalAccountCheck
    ) async throws -> Result<ProvenGuest, LoyaltyFailure> {
        let attempts = try GuestAttempts(
            at: .codes, by: claim.digest, claim.kind, provider: integration.provider, context: context)
        // Each invented identifier has its own counter, so they are also counted by client.
        let claims: GuestAttempts? =
            claim.kind == .subject
            ? try GuestAttempts(
                at: .claimedIdentities, by: Array(call.client.id.rawValue.utf8), claim.kind,
                provider: integration.provider,
                context: context) : nil
        func redeemed() async throws -> Result<VendorIdentity, LoyaltyFailure> {
            try await attempts.charging(now: call.now) { try await check.redeem(claim) }
        }
        let outcome =
            if let claims {
                try await claims.charging(now: call.now, redeemed)
            } else {
                try await redeemed()
            }
        switch outcome {
        case .failure(let failure): return .failure(failure)
        case .success(let identity):
            try await claims?.succeed()
            let redemption = EnrollmentMemory.Redemption(
                claim: request.externalAccount.claimDigest, registration: try integration.provider.registration(),
                subject: identity.subject, email: identity.email, isEmailVerified: identity.isEmailVerified,
                grant: identity.grant, authTime: identity.authTime)
            let remember = try memory.remembering(.redeemed(redemption), now: call.now)
            let guest = ProvenGuest(identity, at: integration.provider)
            guard try await attempts.succeed(as: guest, of: nil, now: call.now, remembering: remember) else {
                return .failure(LoyaltyFailure(.externalCodeRefused))
            }
            return .success(guest)
        }
    }

    /// Creates account, link, number and memory in one write, all or none.
    private func make(_ guest: ProvenGuest, _ password: GuestEnrollment.HashedPassword) async throws -> Outcome {
        let numbers = (0..<8).map { _ in LoyaltyNumber.make(of: context.random.bytes(8)) }
        let written = EnrollmentWrite(enrolling: self, guest: guest, numbers: numbers)
        let outcome = try await accounts.make(
            for: guest, username: request.username, password: password, properties: [:], call: session
        ) { try written.write($0, on: $1) }
        switch outcome {
        case .made(let account):
            // Only the committed row shows which number was free.
            let kept = try await context.database.read { try LoyaltyAccounts.find(account.id, on: $0) }
            guard let kept else { return .failure(LoyaltyFailure(.accountChanged)) }
            return .success(try enrollment(of: account, guest, number: kept.number))
        case .linked: return .failure(LoyaltyFailure(.externalAccountLinked))
        case .nameTaken: return .failure(.taken)
        case .providerGone: return .failure(LoyaltyFailure(.unknownIntegration))
        }
    }

    func enrollment(
        of account: AccountRecord, _ guest: ProvenGuest, number: Int64
    ) throws -> EnrollmentMemory.Enrollment {
        EnrollmentMemory.Enrollment(
            request: request.digest, registration: try integration.provider.registration(), account: account.id.bytes,
            securityVersion: account.securityVersion,
            number: number, authTime: call.now, providerAuthTime: guest.identity.authTime)
    }
}

/// The data that an enrollment writes with its account.
private struct EnrollmentWrite: Sendable {
    let enrolling: GuestEnrolling
    let guest: ProvenGuest
    let numbers: [Int64]

    func write(_ account: AccountRecord, on connection: any SQLConnection) throws {
        let (call, context) = (enrolling.call, enrolling.flows.context)
        guard
            let kept = try numbers.lazy.map(record(of: account)).first(where: {
                try LoyaltyAccounts.add($0, on: connection)
            })
        else { throw StoreError(.unavailable, "no free number was found for a loyalty account") }
        try enrolling.memory.remembering(
            .enrolled(enrolling.enrollment(of: account, guest, number: kept.number)), of: account.id, now: call.now
        )(connection)
        try AuditLog(context: context).entry(
            LoyaltyEvent.enrolled, account: account.id, client: call.client.id.rawValue, origin: call.origin,
            now: call.now, details: kept.details
        ).write(on: connection)
    }

    private func record(of account: AccountRecord) -> @Sendable (Int64) -> LoyaltyAccountRecord {
        let (integration, request) = (enrolling.integration.record, enrolling.request)
        return { [now = enrolling.call.now] number in
            LoyaltyAccountRecord(
                accountID: account.id, number: number, merchantID: integration.merchantID,
                integrationID: integration.integrationID, cardTemplate: request.cardTemplateCode,
                activationStore: request.activationStoreCode, enrolledAt: now)
        }
    }
}

/// The account numbers for integrators. They are random, so that they do not reveal how many accounts exist, and have nine or ten
/// digits, to fit into the 32 bits that some clients use.
enum LoyaltyNumber {
    private static let range: ClosedRange<Int64> = 100_000_000...2_147_483_647

    /// - Parameter bytes: eight random bytes.
    static func make(of bytes: [UInt8]) -> Int64 {
        let value = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return range.lowerBound + Int64(value % UInt64(range.count))
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
        case .tooCommon, .unchanged: self = .tooCommon
        case .breached: self = .breached
        }
    }
}
