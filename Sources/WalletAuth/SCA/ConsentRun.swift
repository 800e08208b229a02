import Foundation
import WalletAuthWire

/// One consent, from the list of ways to the person's agreement: choose, challenge, show, answer, and again if a value
/// was wrong or a second factor is needed.
struct ConsentRun {
    let calls: ConsentCalls
    let consents: PendingConsents
    let authentication: DeviceAuthentication
    let pages: ConsentPages
    let generation: SessionGeneration
    let time: any TimeSource
    let ask: SCA.Handler
    let choose: SCA.Chooser?
    private(set) var consent: PendingConsent

    /// Ways that failed in this run.
    private var excluded: Set<SCA.Verification> = []
    /// The error of the last of them.
    private var refusal: WalletError?
    private var remainingAttempts: Int?
    private var page: (any UserAgentSession)?

    private static let operation = WalletError.Operation.perform
    /// Stops a handler that answers without asking anyone, or a broken server.
    private static let mostSteps = 100

    /// An error of the app's handler, which the app gets back as is.
    struct Thrown: Error {
        let error: any Error
    }

    private enum Step {
        case choose
        case challenge(SCA.Verification, SCA.Fault?)
        case ask(SCA.Challenge, SCA.Fault?)
        case agreed
    }

    init(
        calls: ConsentCalls, consents: PendingConsents, authentication: DeviceAuthentication, pages: ConsentPages,
        generation: SessionGeneration, consent: PendingConsent, time: any TimeSource, ask: @escaping SCA.Handler,
        choose: SCA.Chooser?
    ) {
        self.calls = calls
        self.consents = consents
        self.authentication = authentication
        self.pages = pages
        self.generation = generation
        self.consent = consent
        self.time = time
        self.ask = ask
        self.choose = choose
    }

    /// Runs until the person has agreed.
    /// - Throws: ``WalletError``, ``Thrown``, what the ports throw. An event that the person refused on the page or in another app ends
    ///   like one that they refused here. If the event ended, or the person refused, the
    ///   consent is no longer stored.
    mutating func run() async throws {
        do {
            var step = resumed()
            var steps = 0
            while true {
                guard steps < Self.mostSteps else {
                    throw unavailable(
                        "the app's handler has answered \(steps) questions and the consent is still not complete")
                }
                steps += 1
                try Task.checkCancellation()
                switch step {
                case .choose: step = try await chosen()
                case .challenge(let verification, let fault): step = try await challenged(verification, fault)
                case .ask(let challenge, let fault): step = try await answered(challenge, fault)
                case .agreed:
                    await closePage()
                    return
                }
            }
        } catch {
            await closePage()
            guard let error = error as? WalletError, Self.ends.contains(error.code) else { throw error }
            try? await consents.remove(consent.eventID)
            throw error.code == .dataError && error.isRefusedByPerson ? refused : error
        }
    }

    /// The errors that end a consent: the event is over or belongs to another session, or the person refused.
    static let ends: Set<WalletError.Code> = [
        .dataError, .eventNotFound, .operationMismatch, .cancelledByPerson,
    ]

    /// A code sent before the app was killed is still valid. Another is sent only on request.
    private func resumed() -> Step {
        guard let challenge = consent.keptChallenge, challenge.verification.method == .otp,
            authentication.clock.now < Instant(challenge.expiresAt)
        else { return .choose }
        return .ask(challenge, nil)
    }

    // MARK: - Choosing

    private mutating func chosen() async throws -> Step {
        let ways = try await usable()
        guard let first = ways.first else {
            if refusal == nil, try await enrollment()?.hasLostPresenceKey == true,
                consent.offered.contains(where: { $0.verification == .deviceBiometric })
            {
                throw DeviceAuthentication.presenceKeyLost(Self.operation)
            }
            if refusal == nil, try await isBiometricsBarred() { throw BiometricLimit.pinRequired(Self.operation) }
            throw refusal ?? unavailable("this app and device support none of the ways to approve")
        }
        guard ways.count > 1, let choose else { return .challenge(first.verification, nil) }
        let choice = try await app { try await choose(ways) } ?? first.verification
        guard ways.contains(where: { $0.verification == choice }) else {
            throw mistake("the chosen way was not offered")
        }
        return .challenge(choice, nil)
    }

    /// The offered ways that this device supports and that have not failed.
    private func usable() async throws -> [SCA.AvailableVerification] {
        let enrollment = try await enrollment()
        let isBarred = try await isBiometricsBarred()
        let hasPIN: Bool =
            if let enrollment { try await authentication.hasPIN(enrollment) } else { false }
        return consent.offered
            .filter { way in
                guard !excluded.contains(way.verification) else { return false }
                return switch way.verification {
                case .devicePIN: hasPIN
                case .deviceBiometric: enrollment?.presenceKeyID != nil && !isBarred
                case .devicePasskey: authentication.nativeLogin.passkeys != nil
                case let way where way.channel == .redirect: pages.returnURL != nil
                default: true
                }
            }
            .sorted { $0.verification.effort < $1.verification.effort }
    }

    private func enrollment() async throws -> Enrollment? {
        guard let account = try? AccountID(consent.owner.subject) else { return nil }
        return try await authentication.enrollments.find(account)
    }

    /// Whether face or fingerprint would be a way if the PIN were not due.
    private func isBiometricsBarred() async throws -> Bool {
        guard consent.offered.contains(where: { $0.verification == .deviceBiometric }),
            let enrollment = try await enrollment(), enrollment.presenceKeyID != nil
        else { return false }
        return try await authentication.biometricLimit.isDue(for: enrollment)
    }

    private mutating func exclude(_ verification: SCA.Verification, because error: WalletError) -> Step {
        excluded.insert(verification)
        refusal = error
        return .choose
    }

    // MARK: - Challenging

    private mutating func challenged(_ verification: SCA.Verification, _ fault: SCA.Fault?) async throws -> Step {
        await closePage()
        var action: SCA.Action?
        if verification.channel == .redirect, let returnURL = pages.returnURL {
            // A loopback listener learns its port only now.
            do {
                let conversation = try await pages.userAgent.begin(redirectURI: returnURL)
                page = conversation
                action = SCA.Action(returnURL: conversation.redirectURI)
            } catch let failure as UserAgentFailure {
                return exclude(
                    verification,
                    because: WalletError(
                        .userAgentUnavailable, .misconfigured, during: Self.operation, reason: failure.reason))
            }
        }
        let request = SCA.ChallengeRequest(
            walletOperationID: consent.operationID, verification: verification, action: action)
        do {
            let challenge = try await calls.challenge(
                request, of: consent.eventID, in: generation, during: Self.operation)
            let wasAsked = consent.keptChallenge?.verification == verification
            consent.note(challenge)
            try await consents.keep(consent)
            return .ask(challenge, fault ?? (wasAsked && !challenge.wasSent ? .tooSoon : nil))
        } catch let failure as ConsentCalls.Unavailable {
            consent.offered = failure.offered
            return exclude(verification, because: failure.error)
        } catch let error as WalletError where error.code == .alreadyVerified {
            return .agreed
        } catch let error as WalletError where error.code == .returnURLNotRegistered {
            return exclude(verification, because: error)
        } catch let error as WalletError where error.code == .noCodeLeft {
            // The last code stays valid until it expires.
            if let last = consent.keptChallenge, last.verification == verification {
                return .ask(last.withoutResending, .noCodeLeft)
            }
            return exclude(verification, because: error)
        } catch let error as WalletError where error.asksToWait {
            // Nothing has changed at the server: the last challenge can still be answered, and another code be sent
            // later.
            guard let last = consent.keptChallenge else { throw error }
            guard last.verification.channel == .redirect else { return .ask(last, .tooSoon) }
            // Its page was closed, and needs a new challenge.
            guard last.verification != verification else { throw error }
            return .challenge(last.verification, .tooSoon)
        }
    }

    // MARK: - Answering

    private mutating func answered(_ challenge: SCA.Challenge, _ fault: SCA.Fault?) async throws -> Step {
        let alternatives = try await usable().filter { $0.verification != challenge.verification }
        let prompt = SCA.Prompt(
            challenge: challenge, alternatives: alternatives, remainingAttempts: remainingAttempts, fault: fault,
            request: consent.request.original.forApp)
        let ask = ask
        let answer = try await app { try await ask(prompt) }
        if case .disown = answer.kind {
            let response = challenge.response
            try await calls.refuse(response.operationID, of: response.eventID, in: generation, during: Self.operation)
            throw refused
        }
        try Task.checkCancellation()
        guard answer.fits(challenge.verification) else {
            throw mistake("the handler's answer does not match the challenge: \(challenge.verification.expectation)")
        }
        switch answer.kind {
        case .refuse, .disown: throw cancelled("the person did not agree")
        case .resend: return .challenge(challenge.verification, nil)
        case .instead(let verification):
            guard alternatives.contains(where: { $0.verification == verification }) else {
                throw mistake("the handler chose a way that was not offered")
            }
            return .challenge(verification, nil)
        case .page: return try await shown(challenge)
        case .elsewhere: return try await waited(for: challenge)
        case .code, .biometrics, .passkey, .signature: return try await proved(answer, challenge)
        }
    }

    private mutating func proved(_ answer: SCA.Answer, _ challenge: SCA.Challenge) async throws -> Step {
        let proof = proof
        do {
            let attempt = try await WalletError.during(Self.operation) { try await proof.submit(answer, to: challenge) }
            return next(after: attempt, challenge)
        } catch let error as WalletError {
            switch error.code {
            case .badRequest where !error.reachedServer: return .ask(challenge, .malformedValue)
            case .cancelledByPerson: return .ask(challenge, .declined)
            // This way is closed, but another may not be.
            case .pinLocked, .pinExhausted, .pinNotSet, .pinServerKeyChanged, .keyLost, .keysUnavailable,
                .biometricsLockedOut, .pinRequired, .userAgentUnavailable,
                .biometricsNotEnabled, .deviceNotEnrolled, .deviceDeactivated, .deviceSuspended:
                return exclude(challenge.verification, because: error)
            default: throw error
            }
        }
    }

    /// Shows the hosted page and asks for its result.
    private mutating func shown(_ challenge: SCA.Challenge) async throws -> Step {
        guard let url = challenge.redirectURL, pages.environment.allows(url), let conversation = page
        else {
            throw WalletError(
                .malformedAnswer, .misconfigured, during: Self.operation, reachedServer: true,
                reason: "the page's URL is missing, or may not be opened in this environment")
        }
        var fault = SCA.Fault.unfinished
        var finished: SCA.Attempt?
        let outcome = PageOutcome(proof: proof, time: time)
        do {
            // The callback URL cannot be trusted, so ask the server.
            finished = try await pages.returns.wait(
                at: conversation.redirectURI, pageStaysOpen: conversation.pageStaysOpen,
                finish: { try await outcome.result(of: challenge) },
                { try await conversation.present(url) })
        } catch let failure as UserAgentFailure where failure.kind == .cancelledByPerson || failure.kind == .timedOut {
            fault = .declined
        }
        await closePage()
        let attempt: SCA.Attempt
        if let finished { attempt = finished } else { attempt = try await proof.outcome(of: challenge) }
        if attempt.statusReason == .notChallenged { return .challenge(challenge.verification, fault) }
        return next(after: attempt, challenge)
    }

    /// How often, and how long at a time, the result of the other device is asked for.
    private static let pause = Duration.seconds(2)
    private static let patience = Duration.seconds(60)

    /// Waits for the other device. The person may refuse there, which ends the event.
    private mutating func waited(for challenge: SCA.Challenge) async throws -> Step {
        let end = time.uptime() + Self.patience
        repeat {
            let attempt = try await proof.outcome(of: challenge)
            // A wrong PIN on the other device is for that device to say.
            guard [.notChallenged, .invalidValue].contains(attempt.statusReason) else {
                return next(after: attempt, challenge)
            }
            remainingAttempts = attempt.remainingAttempts
            try await time.sleep(for: Self.pause)
        } while time.uptime() < end
        return .ask(challenge, .unfinished)
    }

    private mutating func next(after attempt: SCA.Attempt, _ challenge: SCA.Challenge) -> Step {
        remainingAttempts = attempt.remainingAttempts
        guard attempt.status != .verified else { return .agreed }
        switch attempt.statusReason {
        case .additionalFactorRequired:
            consent.offered = attempt.availableVerifications
            consent.challenge = nil
            return .choose
        case .codeExpired: return .ask(challenge, .codeExpired)
        case .codeUsed: return .ask(challenge, .codeUsed)
        // Ask for the code again. A device signature or a page needs a new challenge.
        case .invalidValue:
            return challenge.verification.method == .otp
                ? .ask(challenge, .wrongValue) : .challenge(challenge.verification, .wrongValue)
        // Another challenge replaced this one: on another device, or after the response to a right value was lost. If
        // this way no longer helps, the server names the ones that do.
        case .notChallenged, .valid: return .challenge(challenge.verification, nil)
        }
    }

    // MARK: - The rest

    private var proof: ConsentProof {
        ConsentProof(
            calls: calls, authentication: authentication, generation: generation, operation: Self.operation)
    }

    private mutating func closePage() async {
        await page?.close()
        page = nil
    }

    private func app<Value>(_ call: () async throws -> Value) async throws(Thrown) -> Value {
        do { return try await call() } catch { throw Thrown(error: error) }
    }

    private func cancelled(_ reason: String) -> WalletError {
        WalletError(.cancelledByPerson, .cancelledByPerson, during: Self.operation, reason: reason)
    }

    private var refused: WalletError {
        var error = cancelled("the person refused it, and the server has ended it")
        error.isRefusedByPerson = true
        return error
    }

    private func unavailable(_ reason: String) -> WalletError {
        WalletError(.scaUnavailable, .refused, during: Self.operation, reason: reason)
    }

    private func mistake(_ reason: String) -> WalletError {
        WalletError(.badRequest, .misconfigured, during: Self.operation, reason: reason)
    }
}

extension WalletError {
    /// Whether the server responded with a time to wait.
    fileprivate var asksToWait: Bool {
        if case .temporarilyUnavailable(retryAfter: _?) = outcome { return reachedServer }
        return false
    }
}
