import Foundation
import WalletAuth

/// The addresses that the app's people are proving.
struct DataVerifications {
    /// How far one is.
    enum Step: Sendable {
        case registration(RegistrationChallenge)
        case newcomer(Newcomer)
        case recovery(RecoveryChallenge)
        case passwordChange(PasswordChange)
    }

    /// The proof of one address.
    struct Process: Sendable {
        let id = UUID().uuidString.lowercased()
        let request: Wallet.CustomerDataVerificationRequest
        var step: Step
        /// The wrong codes.
        var failed = 0
    }

    /// The wrong codes that end a verification at the server.
    static let allowableAttempts = 5
    /// How many are kept. An app has one at a time.
    private static let limit = 8

    private var processes: [Process] = []

    /// Adds or replaces one.
    mutating func keep(_ process: Process) {
        remove(process.id)
        processes = processes.suffix(Self.limit - 1) + [process]
    }

    mutating func remove(_ id: String) { processes.removeAll { $0.id == id } }

    /// The one with an id.
    func process(_ id: String) throws -> Process {
        guard let process = processes.first(where: { $0.id == id }) else {
            throw WalletAuth.WalletError(
                .invalidSession, .refused, during: .register,
                reason: "no verification has this id, or it has ended: call initiateDataVerificationProcess again")
        }
        return process
    }

    /// The one of an address that waits for its code.
    func waiting(for request: Wallet.CustomerDataVerificationRequest) -> Process? {
        processes.first { process in
            switch process.step {
            case .registration, .recovery: process.request == request
            case .newcomer, .passwordChange: false
            }
        }
    }

    /// The one that proves the address of a customer.
    func process(proving identifiers: Wallet.CustomerIdentifiers) throws -> Process {
        let type: Wallet.CustomerDataVerificationAttributeType = identifiers.email == nil ? .mobile : .email
        guard let identifier = identifiers.email ?? identifiers.mobile,
            identifiers.email == nil || identifiers.mobile == nil
        else { throw refused("an account has one proved address: pass either email or mobile") }
        let process = try process(identifier.verificationID)
        guard process.request.attribute == .init(type: type, value: identifier.value) else {
            throw refused("the verification is of another address")
        }
        return process
    }

    /// The error of a call that cannot be meant.
    func refused(_ reason: String) -> WalletAuth.WalletError {
        WalletAuth.WalletError(.badRequest, .refused, during: .register, reason: reason)
    }
}

extension Connection {
    /// Sends a code to an address, or sends it again.
    func initiate(
        _ request: Wallet.CustomerDataVerificationRequest
    ) async throws -> Wallet.CustomerDataVerificationResponse {
        guard var process = verifications.waiting(for: request) else {
            return try await response(to: .init(request: request, step: begin(request)))
        }
        switch process.step {
        case .registration(let challenge):
            let next = try await challenge.resend()
            process.step = .registration(next)
            // The next code has tries of its own.
            if next.wasSent { process.failed = 0 }
        case .recovery(let challenge):
            do { process.step = .recovery(try await challenge.resend()) } catch let error as WalletAuth.WalletError
                where error.code == .invalidSession
            {
                process = .init(request: request, step: try await begin(request))
            }
        case .newcomer, .passwordChange: break
        }
        return response(to: process)
    }

    private func begin(
        _ request: Wallet.CustomerDataVerificationRequest
    ) async throws -> DataVerifications.Step {
        let typed = request.attribute.value
        switch (request.flow, request.attribute.type) {
        case (.walletSetup, .email): return .registration(try await wallet.enrollment.begin(email: typed))
        case (.walletSetup, .mobile): return .registration(try await wallet.enrollment.begin(phone: typed))
        case (.passwordReset, .email): return .recovery(try await wallet.recover(username: typed))
        case (.passwordReset, .mobile):
            throw verifications.refused("the code for a new password goes to the account's e-mail address")
        case (.walletUpdate, _):
            throw verifications.refused("walletAuth.account changes addresses: changeEmail(to:), changePhone(to:)")
        }
    }

    private func response(to process: DataVerifications.Process) -> Wallet.CustomerDataVerificationResponse {
        verifications.keep(process)
        let now = Date()
        let (wasSent, expiresIn): (Bool, Duration) =
            switch process.step {
            case .registration(let challenge): (challenge.wasSent, challenge.expiresIn)
            case .recovery(let challenge): (challenge.wasSent, challenge.expiresIn)
            case .newcomer, .passwordChange: (false, .zero)
            }
        return .init(
            verificationID: process.id, attribute: process.request.attribute, flow: process.request.flow,
            notificationType: process.request.attribute.type.notification, creationTime: now,
            expirationTime: wasSent ? now + TimeInterval(expiresIn.components.seconds) : nil, wasSent: wasSent)
    }

    /// Submits the code of an address. A proved one stays proved.
    func attempt(
        _ id: String, _ request: Wallet.CustomerDataVerificationAttemptRequest
    ) async throws -> Wallet.CustomerDataVerificationAttemptResponse {
        var process = try verifications.process(id)
        guard process.request.attribute == request.attribute else {
            throw verifications.refused("the verification is of another address")
        }
        var status = Wallet.CustomerDataVerificationAttemptStatus.verified
        do {
            switch process.step {
            case .registration(let challenge):
                process.step = .newcomer(try await challenge.confirm(code: request.value.value))
            case .recovery(let challenge):
                let outcome = try await challenge.answer(request.value.value)
                guard case .passwordChangeRequired(let change) = outcome else {
                    verifications.remove(id)
                    throw SecondFactorEvents.Interruption.unfinished(outcome)
                }
                process.step = .passwordChange(change)
            case .newcomer, .passwordChange: break
            }
        } catch let error as WalletAuth.WalletError
            where [.invalidCode, .invalidCredentials].contains(error.code)
        {
            status = .failed
            // What cannot be a code is not sent, and costs no try.
            if error.reachedServer { process.failed += 1 }
        } catch { throw ended(process, by: error) }
        verifications.keep(process)
        let termsURL: String? = if case .newcomer(let newcomer) = process.step { newcomer.termsURL } else { nil }
        return .init(
            verificationID: id, attribute: process.request.attribute,
            notificationType: process.request.attribute.type.notification, status: status,
            currentAttempts: process.failed, termsURL: termsURL)
    }

    /// Makes an account with a proved address.
    func onboard(_ request: Wallet.CustomerOnboardingRequest) async throws -> Wallet.CustomerInfo {
        let process = try verifications.process(proving: request.identifiers)
        guard case .newcomer(let newcomer) = process.step else { throw notProved(process, for: .walletSetup) }
        // A name has no spaces, which a number as typed may have.
        let address = process.request.attribute.value.filter { !$0.isWhitespace }
        let outcome: LoginOutcome
        do {
            outcome = try await newcomer.finish(
                username: request.username ?? address, password: request.credentials.password.value,
                locale: request.locale, acceptedTerms: request.acceptedTerms)
        } catch { throw ended(process, by: error) }
        return Wallet.CustomerInfo(id: wallet.identity?.subject, token: try await token(of: outcome))
    }

    /// Chooses a new password for the account of a proved address.
    func changeCredentials(_ request: Wallet.CustomerCredentialsRequest) async throws -> Wallet.TokenResponse {
        var process = try verifications.process(proving: request.identifiers)
        guard case .passwordChange(let change) = process.step else { throw notProved(process, for: .passwordReset) }
        let outcome: LoginOutcome
        do { outcome = try await change.choose(newPassword: request.credentials.password.value) } catch {
            throw ended(process, by: error)
        }
        if case .passwordChangeRequired(let next) = outcome, let fault = next.fault {
            process.step = .passwordChange(next)
            verifications.keep(process)
            throw WalletAuth.WalletError(
                .init(rawValue: "password_\(fault)"), .refused, during: .recover, reachedServer: true,
                reason: "the password is not accepted")
        }
        verifications.remove(process.id)
        return try await token(of: outcome)
    }

    private func token(of outcome: LoginOutcome) async throws -> Wallet.TokenResponse {
        guard case .authenticated = outcome else { throw SecondFactorEvents.Interruption.unfinished(outcome) }
        return try await issueToken()
    }

    private func notProved(
        _ process: DataVerifications.Process, for flow: Wallet.CustomerDataVerificationFlow
    ) -> WalletAuth.WalletError {
        verifications.refused(
            process.request.flow == flow
                ? "submitDataVerificationAttempt comes first, with the right code"
                : "the verification belongs to another flow")
    }

    /// Forgets a verification that the server has ended.
    private func ended(_ process: DataVerifications.Process, by error: any Error) -> any Error {
        if (error as? WalletAuth.WalletError)?.code == .invalidSession { verifications.remove(process.id) }
        return error
    }
}

extension Wallet.CustomerDataVerificationAttributeType {
    /// How the code of an address is delivered.
    fileprivate var notification: Wallet.CustomerDataVerificationNotificationType {
        self == .email ? .email : .sms
    }
}
