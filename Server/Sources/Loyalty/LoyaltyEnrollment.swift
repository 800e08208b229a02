internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import Tokens
internal import WalletAuthWire
internal import Web

/// One enrollment, from the claim to the account. Checks without a cost come first. The code works only once and is
/// redeemed last, with one exception: if only an identifier names the guest, the code is redeemed before a name is
/// looked up or a password hashed, because anyone could have invented the identifier.
struct LoyaltyEnrollment: Sendable {
    let flows: LoyaltyFlows
    let request: LoyaltyEnrollmentRequest
    let integration: LoyaltyIntegration
    let memory: EnrollmentMemory
    let call: LoyaltyCaller

    private var context: ServerContext { flows.context }
    private var accounts: GuestEnrollment { flows.tokens.enrollment }
    private var session: TokenCaller { call.tokens(scope: nil) }

    typealias Outcome = Result<EnrollmentMemory.Enrollment, LoyaltyFailure>

    func run() async throws -> Outcome {
        var guest: ProvenIdentity?
        let claimDigest = request.externalAccount.claimDigest
        let registration = try integration.provider.registration()
        switch try await memory.content(now: call.now) {
        case .enrolled(let enrollment)?
        where enrollment.request == request.digest && enrollment.registration == registration:
            return .success(enrollment)
        case .redeemed(let redemption)?
        where redemption.claim == claimDigest && redemption.identity.registration == registration:
            guest = redemption.identity
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
        let profile: PersonalProfile
        switch PersonalProfile.entered(request.profile, now: call.now) {
        case .failure(let failure): return .failure(failure)
        case .success(let entered): profile = entered
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
        let details = GuestEnrollment.Details(
            username: request.username, password: password, profile: profile, locale: request.profile.language)
        if let guest { return try await make(guest, details) }
        switch try await redeem(claim, check) {
        case .failure(let failure): return .failure(failure)
        case .success(let guest): return try await make(guest, details)
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
            try await attempts.refund()
            return nil
        }
    }

    private func redeem(
        _ claim: ExternalAccountCheck.Claim, _ check: ExternalAccountCheck
    ) async throws -> Result<ProvenIdentity, LoyaltyFailure> {
        let attempts = try GuestAttempts(
            at: .codes, by: claim.digest, claim.kind, provider: integration.provider, context: context)
        // Each invented identifier has its own counter, so they are also counted by client.
        let claims: GuestAttempts? =
            claim.kind == .subject
            ? try GuestAttempts(
                at: .claimedIdentities, by: Array(call.client.id.rawValue.utf8), claim.kind,
                provider: integration.provider,
                context: context) : nil
        func redeemed() async throws -> Result<ProvenIdentity, LoyaltyFailure> {
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
                claim: request.externalAccount.claimDigest, identity: identity)
            let remember = try memory.remembering(.redeemed(redemption), now: call.now)
            guard try await attempts.succeed(as: identity, of: nil, now: call.now, remembering: remember) else {
                return .failure(LoyaltyFailure(.externalCodeRefused))
            }
            return .success(identity)
        }
    }

    /// Creates account, link, number and memory in one write, all or none.
    private func make(_ guest: ProvenIdentity, _ details: GuestEnrollment.Details) async throws -> Outcome {
        let numbers = (0..<8).map { _ in LoyaltyNumber.make(of: context.random.bytes(8)) }
        let written = EnrollmentWrite(enrollment: self, guest: guest, numbers: numbers)
        let outcome = try await accounts.make(for: guest, details, call: session) { try written.write($0, on: $1) }
        switch outcome {
        case .made(let account):
            // Only the committed row shows which number was free.
            let kept = try await context.database.read { try LoyaltyAccounts.find(account.id, on: $0) }
            guard let kept else { return .failure(LoyaltyFailure(.accountChanged)) }
            return .success(try remembered(account, of: guest, number: kept.number))
        case .linked: return .failure(LoyaltyFailure(.externalAccountLinked))
        case .nameTaken: return .failure(.taken)
        case .providerGone: return .failure(LoyaltyFailure(.unknownIntegration))
        }
    }

    /// What a repetition of the request needs of the new account.
    func remembered(
        _ account: AccountRecord, of guest: ProvenIdentity, number: Int64
    ) throws -> EnrollmentMemory.Enrollment {
        EnrollmentMemory.Enrollment(
            request: request.digest, registration: try integration.provider.registration(), account: account.id.bytes,
            securityVersion: account.securityVersion, number: number, authTime: call.now,
            providerAuthTime: guest.authTime)
    }
}

/// The data that an enrollment writes with its account.
private struct EnrollmentWrite: Sendable {
    let enrollment: LoyaltyEnrollment
    let guest: ProvenIdentity
    let numbers: [Int64]

    func write(_ account: AccountRecord, on connection: any SQLConnection) throws {
        let (call, context) = (enrollment.call, enrollment.flows.context)
        guard
            let kept = try numbers.lazy.map({ record($0, of: account) }).first(where: {
                try LoyaltyAccounts.add($0, on: connection)
            })
        else { throw StoreError(.unavailable, "no free number was found for a loyalty account") }
        try enrollment.memory.remembering(
            .enrolled(enrollment.remembered(account, of: guest, number: kept.number)), of: account.id, now: call.now
        )(connection)
        try context.auditLog.entry(
            LoyaltyEvent.enrolled, account: account.id, client: call.client.id.rawValue, origin: call.origin,
            now: call.now, details: kept.details
        ).write(on: connection)
    }

    /// The phone number that the guest entered does not find the account: it is not proved.
    private func record(_ number: Int64, of account: AccountRecord) -> LoyaltyAccountRecord {
        let (integration, request) = (enrollment.integration.record, enrollment.request)
        return LoyaltyAccountRecord(
            accountID: account.id, number: number, merchantID: integration.merchantID,
            integrationID: integration.integrationID, cardTemplate: request.cardTemplateCode,
            activationStore: request.activationStoreCode, enrolledAt: enrollment.call.now, phoneDigest: nil)
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
