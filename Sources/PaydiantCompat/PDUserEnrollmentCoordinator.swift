import WalletAuth
import WalletAuthTransport
import WalletAuthWire

/// Makes an account, and reads the secret questions.
///
/// The brand has to allow newcomers (`walletauth brand update BRAND --registration on`). Here an address is proved before the account
/// exists, so making one takes two calls: ``createUser(_:completion:failure:)`` sends a code, and
/// ``confirmUser(_:token:completion:failure:)`` submits it. The server keeps no postal addresses and describes no fields, so
/// `PDAddressInformation` and `PDMetaData` are missing. A signed-in person changes the password, addresses and answers with the calls of
/// `WalletAuth.Wallet`: `changePassword(current:new:)`, `account`, `factors`.
public final class PDUserEnrollmentCoordinator: PDCoordinator, @unchecked Sendable {
    /// Asks for the secret questions in the person's language. The person must be signed in (otherwise 401), and the operator allow
    /// questions (otherwise 409).
    /// - Parameters:
    ///   - completion: receives the questions.
    ///   - failure: receives the error.
    public func retrieveMfaQuestionsWithMetadata(
        completion: @escaping RetrieveMFAQuestionsWithMetadataCompletionBlock, failure: @escaping PDFailure
    ) {
        let report: @MainActor @Sendable (SecretQuestionCatalog) -> Void = {
            completion(PDRetrieveMFAQuestionsWithMetadataResponse($0))
        }
        perform(kUserErrorRetrieveMfaQuestionsWithMetadataDomain, report, failure) {
            try await $0.wallet.factors.secretQuestions()
        }
    }

    /// Sends a code to a newcomer's address. The answer never says whether the address has an account. Called again for the same
    /// address, it sends another code.
    /// - Parameters:
    ///   - user: the newcomer, with an e-mail address or a phone number.
    ///   - completion: receives the token for ``confirmUser(_:token:completion:failure:)``.
    ///   - failure: receives the error: 403 if the brand takes no newcomers.
    public func createUser(
        _ user: PDUser, completion: @escaping CreateUserCompletionBlock, failure: @escaping PDFailure
    ) {
        let address = Service.Registration.Address(email: user.emailAddress, phone: user.phoneNumber)
        let report: @MainActor @Sendable (RegistrationChallenge) -> Void = {
            completion(PDEnrollmentToken($0, of: address))
        }
        perform(kUserErrorCreateUserDomain, report, failure) { service in
            let challenge: RegistrationChallenge
            if let last = service.registration.withLock({ $0 }), last.address == address {
                challenge = try await last.challenge.resend()
            } else {
                switch (address.email, address.phone) {
                case (let email?, nil): challenge = try await service.wallet.enrollment.begin(email: email)
                case (nil, let phone?): challenge = try await service.wallet.enrollment.begin(phone: phone)
                default:
                    throw WalletError.refused(
                        .badRequest, 400, during: .register, "set either emailAddress or phoneNumber")
                }
            }
            let registration = Service.Registration(address: address, challenge: challenge)
            service.registration.withLock { $0 = registration }
            return challenge
        }
    }

    /// Submits the code, makes the account, and signs in to it.
    ///
    /// After a wrong code (400), a taken user name (409) or a refused password (508) it may be called again with the same token and
    /// another value. After `invalid_session` (400) call ``createUser(_:completion:failure:)`` again.
    /// - Parameters:
    ///   - user: the newcomer, with the user name and password that they chose.
    ///   - token: the token of ``createUser(_:completion:failure:)``, with its code.
    ///   - completion: called when the person is signed in.
    ///   - failure: receives the error.
    public func confirmUser(
        _ user: PDUser, token: PDEnrollmentToken, completion: @escaping PDCompletion, failure: @escaping PDFailure
    ) {
        let (step, code, address) = (token.step, token.code ?? "", token.address)
        let (username, password) = (user.username ?? user.emailAddress ?? user.phoneNumber ?? "", user.password ?? "")
        let (locale, acceptedTerms) = (user.locale, user.acceptedTerms)
        let report = { @MainActor @Sendable (outcome: LoginOutcome) throws(PDPaydiantError) -> Void in
            guard case .authenticated = outcome else {
                throw PDPaydiantError(outcome, domain: kUserErrorCreateUserDomain)
            }
            completion()
        }
        perform(kUserErrorCreateUserDomain, report, failure) { service in
            do {
                let newcomer: Newcomer
                switch step.withLock({ $0 }) {
                case .code(let challenge)?: newcomer = try await challenge.confirm(code: code)
                case .proved(let known)?: newcomer = known
                case nil: throw WalletError.refused(.badRequest, 400, during: .register, "not a token of createUser")
                }
                // The code is not asked for again.
                step.withLock { $0 = .proved(newcomer) }
                service.endRegistration(of: address)
                return try await newcomer.finish(
                    username: username, password: password, locale: locale, acceptedTerms: acceptedTerms)
            } catch let error as WalletError where error.code == .invalidSession {
                service.endRegistration(of: address)
                throw error
            }
        }
    }
}

/// A code that was sent to a newcomer's address.
///
/// Set ``code``, and pass the same token to ``PDUserEnrollmentCoordinator/confirmUser(_:token:completion:failure:)``.
public final class PDEnrollmentToken: PDObject {
    /// How far the newcomer is.
    enum Step: Sendable {
        case code(RegistrationChallenge)
        case proved(Newcomer)
    }

    /// The code as typed.
    public var code: String?
    /// The number of digits of the code.
    public private(set) var digits = 0
    /// Whether this token's call sent a message. False if it came too soon after the last one, whose code is still valid.
    public private(set) var wasSent = false
    /// Nil in a token that the app created.
    let step = LockedValue<Step?>(nil)
    /// Which one the code was sent to.
    private(set) var address: Service.Registration.Address?

    convenience init(_ challenge: RegistrationChallenge, of address: Service.Registration.Address) {
        self.init()
        self.address = address
        digits = challenge.digits
        wasSent = challenge.wasSent
        step.withLock { $0 = .code(challenge) }
    }
}

/// A secret question.
public final class PDMFAQuestionWithMetadata: PDObject {
    /// The server's name for the question.
    public private(set) var key = ""
    /// The question, in the person's language.
    public private(set) var question = ""

    convenience init(_ question: SecretQuestionCatalog.Question) {
        self.init()
        key = question.id
        self.question = question.text
    }
}

/// The secret questions, and how many the person answers.
public final class PDRetrieveMFAQuestionsWithMetadataResponse: PDObject {
    /// The questions. The person chooses among them: none is required.
    public private(set) var mfaQuestions: [PDMFAQuestionWithMetadata] = []
    /// The least answers.
    public private(set) var minimumQuestions = 0
    /// The most answers.
    public private(set) var maximumQuestions = 0

    convenience init(_ catalog: SecretQuestionCatalog) {
        self.init()
        mfaQuestions = catalog.questions.map(PDMFAQuestionWithMetadata.init)
        minimumQuestions = Int(clamping: catalog.least)
        maximumQuestions = Int(clamping: catalog.most)
    }
}
