import WalletAuth
import WalletAuthPIN
import WalletAuthTransport
import WalletAuthWire

/// A flow that runs: one of the SDK's, or a sign-in elsewhere, which the SDK makes of calls.
final class RunningFlow: Sendable {
    typealias Tell = @Sendable (FlowUpdate) async -> Void

    let isLogin: Bool
    let follow: @Sendable (@escaping Tell) async -> Void
    let cancel: @Sendable () -> Void

    init(_ flow: WalletAuth.Flow) {
        isLogin = false
        cancel = { flow.cancel() }
        follow = { tell in
            var asked: CurrentUserInteraction.`Type`?
            for await update in flow {
                let update = FlowUpdate(update, after: asked)
                asked = update.currentUserInteraction?.type ?? asked
                await tell(update)
            }
        }
    }

    init(_ login: LoginFlow) {
        isLogin = true
        cancel = { login.cancel() }
        follow = { await login.run($0) }
    }
}

/// Signs in the browser whose page the person scanned: CONFIRM with the number, then VERIFY_SECOND_FACTOR.
final class LoginFlow: Sendable {
    /// A step, as ``FlowUpdate`` presents it.
    enum Step: Sendable {
        case processing
        case asking(CurrentUserInteraction.Question)
        case done(TransactionID)
        case failed(NextAuthError)
    }

    /// Asks which number is on the page.
    struct Confirmation: Sendable {
        enum Decision: Sendable {
            case number(Int)
            case rejected
        }

        let signIn: ElsewhereSignIn
        let answer: FlowAnswer<Decision>
    }

    /// Asks for the second factor.
    struct SecondFactor: Sendable {
        enum Input: Sendable {
            case pin(String)
            case biometrics(String)
        }

        let signIn: ElsewhereSignIn
        let allowed: [TransactionFactor]
        let remainingAttempts: Int?
        let fault: UserInteraction.SecondFactor.Fault?
        let answer: FlowAnswer<Input>
    }

    private let wallet: WalletAuth.Wallet
    private let text: String
    /// Ends the question that waits, and every later one.
    private let ending = LockedValue<(isCancelled: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))

    init(wallet: WalletAuth.Wallet, text: String) {
        self.wallet = wallet
        self.text = text
    }

    func cancel() {
        let cancel = ending.withLock { ending in
            ending.isCancelled = true
            return ending.cancel
        }
        cancel?()
    }

    func run(_ tell: @escaping RunningFlow.Tell) async {
        let steps = Steps(tell)
        do {
            await steps.tell(.processing)
            let signIn = try await wallet.transactions.scanSignIn(text)
            let decision = try await ask(steps) { .signIn(Confirmation(signIn: signIn, answer: $0)) }
            guard case .number(let number) = decision else {
                try await signIn.reject()
                throw NextAuthError(
                    .rejected, .cancelledByPerson, during: .signInElsewhere, reachedServer: true,
                    reason: "the person rejected the sign-in, and the server knows")
            }
            try await approve(signIn.choose(number), steps)
            await steps.tell(.done(signIn.id))
        } catch let error as NextAuthError { await steps.tell(.failed(error)) } catch {
            await steps.tell(
                .failed(
                    NextAuthError(
                        .cancelledByPerson, .cancelledByPerson, during: .signInElsewhere,
                        reason: "the flow was cancelled")))
        }
    }

    /// Asks for the second factor until it has signed.
    private func approve(_ approval: ElsewhereSignIn.Approval, _ steps: Steps) async throws {
        var remainingAttempts: Int?
        var fault: UserInteraction.SecondFactor.Fault?
        while true {
            let (left, last) = (remainingAttempts, fault)
            let input: SecondFactor.Input = try await ask(steps) {
                .signInFactor(
                    SecondFactor(
                        signIn: approval.signIn, allowed: approval.allowedSecondFactors, remainingAttempts: left,
                        fault: last, answer: $0))
            }
            do {
                switch input {
                case .pin(let pin): return try await approval.approve(pin: pin)
                case .biometrics(let reason): return try await approval.approve(biometrics: reason)
                }
            } catch let error as NextAuthError where error.code == .invalidCredentials && error.remainingAttempts != nil
            {
                (remainingAttempts, fault) = (error.remainingAttempts, .pinFailed)
            } catch let error as NextAuthError where error.code == .badRequest && !error.reachedServer {
                fault = .pinMalformed
            } catch let error as NextAuthError where error.code == .cancelledByPerson { fault = .biometricsDeclined }
        }
    }

    private func ask<Answer: Sendable>(
        _ steps: Steps, _ question: (FlowAnswer<Answer>) -> CurrentUserInteraction.Question
    ) async throws -> Answer {
        let answer = FlowAnswer<Answer>()
        let isCancelled = ending.withLock { ending in
            ending.cancel = { answer.cancel() }
            return ending.isCancelled
        }
        guard !isCancelled else { throw CancellationError() }
        await steps.tell(.asking(question(answer)))
        let value = try await answer.value()
        await steps.tell(.processing)
        return value
    }

    /// Tells the steps, with the kind of question that was asked before.
    private final class Steps: Sendable {
        private let send: RunningFlow.Tell
        private let asked = LockedValue<CurrentUserInteraction.`Type`?>(nil)

        init(_ send: @escaping RunningFlow.Tell) { self.send = send }

        func tell(_ step: Step) async {
            let update = FlowUpdate(step, after: asked.withLock { $0 })
            if let type = update.currentUserInteraction?.type { asked.withLock { $0 = type } }
            await send(update)
        }
    }
}
