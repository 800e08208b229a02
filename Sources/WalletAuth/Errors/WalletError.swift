public import Foundation
public import WalletAuthWire

/// The error of all of the SDK's calls (besides `CancellationError`, if the calling task was cancelled).
///
/// ``outcome`` says what the app should do, and is complete: switch on it. ``code`` is a stable name for what happened,
/// for analytics and texts; more may be added. `reason` is a diagnostic text for developers. Nothing here ever contains
/// a secret.
public struct WalletError: Error, Sendable, Hashable {
    /// A stable name for what happened.
    public let code: Code
    /// What the app should do.
    public let outcome: Outcome
    /// The operation that failed.
    public internal(set) var operation: Operation
    /// The numeric status that older wallet apps switch on (`status_code` of the server's answer), if it has one.
    public let statusCode: Int?
    /// Whether the server answered. False means that it may never have received the call.
    public let reachedServer: Bool
    /// The server's trace id of this call, for support.
    public let traceID: String?
    /// The tries left before the PIN locks, if a wrong one cost a try; 0 if wrong values locked the event of a consent
    /// (`data_error`).
    public let remainingAttempts: Int?
    /// Whether the person refused the event of a consent, here (``SCA/Answer/disown``), on the page or in another app, and the
    /// server has ended it: nothing was carried out.
    public internal(set) var isRefusedByPerson: Bool
    /// The reason the PIN is locked (`pin_locked`); nil if the server gave none, which means too many wrong PINs. Also set if the
    /// wrong PIN that ended a consent (`data_error`) locked it.
    public package(set) var pinLockReason: PINLockReason?
    /// How an ended transaction ended (`transaction_over`).
    public internal(set) var transactionStatus: TransactionStatus?
    /// When a newly enrolled device may sign (`device_cooling`), in server time, or when the account may be changed
    /// (`recovery_cooling`) or closed (`contact_cooling`) again.
    public internal(set) var coolingUntil: Date?
    /// What a device without an allowed second factor lacks (`second_factor_unavailable`); nil if the server did not
    /// say.
    public internal(set) var secondFactorShortage: SecondFactorShortage?
    /// The payments and transactions that keep the account open (`payments_open`), the oldest of them.
    public internal(set) var openPayments: [OpenPayment]
    /// When the account that its holder closed is erased (`wallet_deactivated`); nil if someone else closed it.
    public internal(set) var eraseAt: Date?
    /// Whether the wrong value (`invalid_credentials`) continues a sign-in, such as a code that was sent, and is not what the
    /// sign-in began with.
    public internal(set) var concernsAnswer: Bool
    /// The URL that answered, without its query; nil if nothing answered, or for an app's own call.
    public internal(set) var answeredBy: URL?
    /// Whether the server identifies itself as one of this project's. Tools named in a reason or advice do not help the
    /// operator of any other server.
    public internal(set) var isFromWalletAuth = false
    /// A diagnostic text for developers: neither for the person nor stable. If the server gave a reason, it is the
    /// server's text, without characters that control a terminal.
    public let reason: String

    /// Creates an error; apps do so only in tests.
    /// - Parameters:
    ///   - code: a stable name for what happened.
    ///   - outcome: what the app should do.
    ///   - operation: the operation that failed.
    ///   - statusCode: the number in the server's answer, if it has one.
    ///   - reachedServer: whether the server answered.
    ///   - traceID: the server's trace id of the call.
    ///   - remainingAttempts: the tries left after a wrong PIN.
    ///   - isRefusedByPerson: whether the person refused the event of a consent.
    ///   - pinLockReason: the reason the PIN is locked.
    ///   - transactionStatus: how an ended transaction ended.
    ///   - coolingUntil: when what is refused for now is allowed.
    ///   - secondFactorShortage: what the device lacks to sign a transaction.
    ///   - openPayments: what keeps the account open.
    ///   - eraseAt: when the account that its holder closed is erased.
    ///   - concernsAnswer: whether the wrong value continues a sign-in.
    ///   - answeredBy: the URL that answered.
    ///   - isFromWalletAuth: whether the server is one of this project's.
    ///   - reason: a diagnostic text for developers; never a secret.
    public init(
        _ code: Code, _ outcome: Outcome, during operation: Operation, statusCode: Int? = nil,
        reachedServer: Bool = false, traceID: String? = nil, remainingAttempts: Int? = nil,
        isRefusedByPerson: Bool = false, pinLockReason: PINLockReason? = nil,
        transactionStatus: TransactionStatus? = nil, coolingUntil: Date? = nil,
        secondFactorShortage: SecondFactorShortage? = nil, openPayments: [OpenPayment] = [], eraseAt: Date? = nil,
        concernsAnswer: Bool = false, answeredBy: URL? = nil,
        isFromWalletAuth: Bool = false, reason: String
    ) {
        self.code = code
        self.outcome = outcome
        self.operation = operation
        self.statusCode = statusCode
        self.reachedServer = reachedServer
        self.traceID = traceID
        self.remainingAttempts = remainingAttempts
        self.isRefusedByPerson = isRefusedByPerson
        self.pinLockReason = pinLockReason
        self.transactionStatus = transactionStatus
        self.coolingUntil = coolingUntil
        self.secondFactorShortage = secondFactorShortage
        self.openPayments = openPayments
        self.eraseAt = eraseAt
        self.concernsAnswer = concernsAnswer
        self.answeredBy = answeredBy
        self.isFromWalletAuth = isFromWalletAuth
        self.reason = reason
    }
}

extension WalletError {
    /// What the app should do.
    public enum Outcome: Sendable, Hashable {
        /// No one is signed in. Offer to sign in.
        case signedOut(SignOutReason)
        /// The server cannot answer right now; the session stays. Try again, after `retryAfter` if given.
        case temporarilyUnavailable(retryAfter: Duration?)
        /// There is no network; the session stays.
        case offline
        /// This device lost a key, for instance after a restore from a backup; `recovery` says how to get a new one.
        case keyLost(recovery: KeyRecovery)
        /// The secure store is unavailable right now; the session stays.
        case storeUnavailable(StoreFailure)
        /// The person closed the page or declined. Show nothing, or offer it again.
        case cancelledByPerson
        /// The session's sign-in is too weak or too old for this call (RFC 9470). ``Wallet/stepUp(to:)``, or
        /// ``Wallet/login(username:password:strength:properties:requestedAttributes:)`` with
        /// ``Wallet/LoginStrength/required(_:)``, makes the person sign in as required; then repeat the call.
        case stepUp(AuthenticationRequirements)
        /// The request was refused: wrong credentials, a locked wallet, a used code. ``WalletError/code`` says which.
        case refused
        /// The app or the server is misconfigured and must be changed.
        case misconfigured
    }

    /// The reason no one is signed in.
    public enum SignOutReason: String, Sendable, Hashable, Codable {
        /// No one has signed in on this device yet.
        case neverSignedIn
        /// ``Wallet/logout()`` was called, here or in another process of the app.
        case loggedOut
        /// The server ended the session: it expired, was revoked, or the password was changed.
        case sessionEnded
        /// The token has expired and cannot be renewed.
        case tokenExpired
        /// Another sign-in replaced the session; an operation of the former session is not carried out in the new one.
        case replacedByAnotherSignIn
        /// The key that the session is bound to is gone.
        case keyLost
        /// The session was opened with Sign in with Apple, and the person stopped using their Apple Account with this
        /// app.
        case appleCredentialRevoked
    }

    /// How a device that lost a key can continue.
    public enum KeyRecovery: String, Sendable, Hashable, Codable {
        /// Sign in again; that creates and binds a new key.
        case signInAgain
        /// Enroll the device again.
        case enrollAgain
        /// Set the PIN again, after a sign-in with two factors.
        case setPINAgain
        /// Turn biometric sign-in on again: the device's enrolled faces or fingerprints have changed.
        case enableBiometricsAgain
    }

    /// The reason the secure store is unavailable.
    public typealias StoreFailure = SecureStoreFailure.Kind

    /// The operation during which an error occurred.
    public struct Operation: RawRepresentable, Sendable, Hashable, Codable {
        /// The stable text.
        public let rawValue: String
        /// Creates an operation from its name.
        /// - Parameter rawValue: the text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// ``Wallet/init(configuration:)`` or ``Wallet/configure(_:)``.
        public static let configure = Self(rawValue: "configure")
        /// ``Wallet/stepUp(to:)``.
        public static let stepUp = Self(rawValue: "step_up")
        /// ``Wallet/restore()``.
        public static let restore = Self(rawValue: "restore")
        /// ``Wallet/setUp()``.
        public static let setUp = Self(rawValue: "set_up")
        /// ``Wallet/signIn()``, and any sign-in through the browser, its callback included.
        public static let signIn = Self(rawValue: "sign_in")
        /// ``Wallet/Authentication/getAuthenticationDetails(brandIdentity:request:)``.
        public static let authenticationDetails = Self(rawValue: "authentication_details")
        /// ``Wallet/login(username:password:)`` and its following steps.
        public static let loginByUsernamePassword = Self(rawValue: "login_by_username_password")
        /// ``Wallet/login(username:accountPIN:strength:properties:requestedAttributes:)`` and its following steps.
        public static let loginByAccountPIN = Self(rawValue: "login_by_account_pin")
        /// ``Wallet/checkRegistration(provider:)``.
        public static let checkRegistration = Self(rawValue: "check_registration")
        /// ``Wallet/login(nonce:purpose:properties:requestedAttributes:)`` and its following steps.
        public static let loginByNonce = Self(rawValue: "login_by_nonce")
        /// ``Wallet/Passkeys/signIn(username:strength:properties:requestedAttributes:)`` and its following steps.
        public static let loginByPasskey = Self(rawValue: "login_by_passkey")
        /// ``Wallet/recover(username:)`` and its following steps.
        public static let recover = Self(rawValue: "recover")
        /// ``Wallet/AccountEnrollment/begin(email:forPasskey:)``, its other form, and the steps of their result.
        public static let register = Self(rawValue: "register")
        /// Sign-in with the device's PIN, `login(pin:account:properties:requestedAttributes:)` of WalletAuthPIN, and
        /// its following steps.
        public static let loginByPIN = Self(rawValue: "login_by_pin")
        /// `pin.set(_:rules:)` of WalletAuthPIN.
        public static let setPIN = Self(rawValue: "set_pin")
        /// `pin.change(from:to:rules:)` of WalletAuthPIN.
        public static let changePIN = Self(rawValue: "change_pin")
        /// `pin.forget(account:)` of WalletAuthPIN.
        public static let forgetPIN = Self(rawValue: "forget_pin")
        /// `pin.state(of:)` of WalletAuthPIN.
        public static let pinState = Self(rawValue: "pin_state")
        /// ``Wallet/login(biometrics:account:properties:requestedAttributes:)`` and its following steps.
        public static let loginByBiometrics = Self(rawValue: "login_by_biometrics")
        /// `biometrics.enable(pin:)` of WalletAuthPIN.
        public static let enableBiometrics = Self(rawValue: "enable_biometrics")
        /// ``Wallet/Biometrics/disable()``.
        public static let disableBiometrics = Self(rawValue: "disable_biometrics")
        /// ``Wallet/Biometrics/state(of:)``.
        public static let biometricsState = Self(rawValue: "biometrics_state")
        /// ``Wallet/generateDeviceAuthenticationToken(username:password:)`` and ``Wallet/checkDeviceAuthenticationToken()``.
        public static let generateDeviceToken = Self(rawValue: "generate_device_authentication_token")
        /// ``Wallet/loginWithDeviceAuthenticationToken(biometrics:account:)``, its counterpart with a PIN, and their
        /// following steps.
        public static let loginWithDeviceToken = Self(rawValue: "login_with_device_authentication_token")
        /// ``Wallet/expireDeviceAuthenticationToken()``.
        public static let expireDeviceToken = Self(rawValue: "expire_device_authentication_token")
        /// ``Wallet/declineDeviceAuthenticationToken()``.
        public static let declineDeviceToken = Self(rawValue: "decline_device_authentication_token")
        /// ``Wallet/deviceAuthenticationToken``.
        public static let deviceTokenState = Self(rawValue: "device_authentication_token_state")
        /// ``Wallet/accounts``.
        public static let listAccounts = Self(rawValue: "list_accounts")
        /// ``Wallet/login(federatedIdentity:strength:properties:requestedAttributes:)`` and its following steps,
        /// including the creation of an account for a guest.
        public static let loginByFederatedIdentity = Self(rawValue: "login_by_federated_identity")
        /// ``Wallet/login(apple:provider:strength:properties:requestedAttributes:)`` and its following steps.
        public static let loginByApple = Self(rawValue: "login_by_apple")
        /// Asking Apple whether a session's credential is still valid. Nothing is thrown: it is for
        /// ``Wallet/diagnostics``.
        public static let appleCredential = Self(rawValue: "apple_credential")
        /// ``Wallet/changePassword(current:new:)``.
        public static let changePassword = Self(rawValue: "change_password")
        /// ``Wallet/Factors/list()`` and ``Wallet/Factors/secretQuestions()``.
        public static let listFactors = Self(rawValue: "list_factors")
        /// Adding and removing second factors: ``Wallet/Factors``.
        public static let changeFactors = Self(rawValue: "change_factors")
        /// Adding and removing passkeys: ``Wallet/Passkeys``.
        public static let changePasskeys = Self(rawValue: "change_passkeys")
        /// Changing the e-mail address or the phone number: ``Wallet/OwnAccount``.
        public static let changeContact = Self(rawValue: "change_contact")
        /// ``Wallet/OwnAccount/activity(after:)``.
        public static let listActivity = Self(rawValue: "list_activity")
        /// ``Wallet/OwnAccount/export()``.
        public static let exportAccount = Self(rawValue: "export_account")
        /// ``Wallet/OwnAccount/close()``.
        public static let closeAccount = Self(rawValue: "close_account")
        /// ``Wallet/OwnAccount/keep(code:)``.
        public static let keepAccount = Self(rawValue: "keep_account")
        /// ``Wallet/AccountEnrollment/join(_:)``.
        public static let joinIdentity = Self(rawValue: "join_identity")
        /// ``Wallet/Identities/list()``.
        public static let listIdentities = Self(rawValue: "list_identities")
        /// ``Wallet/Identities/remove(_:)``.
        public static let removeIdentity = Self(rawValue: "remove_identity")
        /// ``Wallet/Devices/enroll(name:username:)``.
        public static let enrollDevice = Self(rawValue: "enroll_device")
        /// ``Wallet/Devices/list()``.
        public static let listDevices = Self(rawValue: "list_devices")
        /// ``Wallet/Devices/rename(_:to:)``.
        public static let renameDevice = Self(rawValue: "rename_device")
        /// ``Wallet/Devices/remove(_:)``.
        public static let removeDevice = Self(rawValue: "remove_device")
        /// ``Wallet/Devices/confirm(code:for:)`` and ``Wallet/Devices/resendCode(for:)``.
        public static let confirmInstallation = Self(rawValue: "confirm_installation")
        /// ``Wallet/Devices/setPushAddress(token:environment:service:for:)``.
        public static let setPushAddress = Self(rawValue: "set_push_address")
        /// ``Wallet/authenticate(accessToken:expiresAt:)`` and ``Wallet/updateToken(_:expiresAt:)``.
        public static let authenticate = Self(rawValue: "authenticate")
        /// Renewing the access token.
        public static let refresh = Self(rawValue: "refresh")
        /// ``Wallet/perform(_:)``, ``Wallet/perform(_:onSCA:choosing:)`` and ``Wallet/resume(_:onSCA:choosing:)``.
        public static let perform = Self(rawValue: "perform")
        /// ``Wallet/userInfo()``.
        public static let userInfo = Self(rawValue: "user_info")
        /// ``Wallet/Authentication/sendSCAChallenge(eventID:request:)``.
        public static let sendSCAChallenge = Self(rawValue: "send_sca_challenge")
        /// ``Wallet/Authentication/submitSCAAttempt(eventID:request:)`` and its other form.
        public static let submitSCAAttempt = Self(rawValue: "submit_sca_attempt")
        /// ``Wallet/pendingSCA`` and ``Wallet/discard(_:)``.
        public static let pendingSCA = Self(rawValue: "pending_sca")
        /// ``Wallet/Flows/start(with:account:)``, its other form, and ``Wallet/Transactions/create(_:account:)``.
        public static let signTransaction = Self(rawValue: "sign_transaction")
        /// ``Wallet/Transactions/scanSignIn(_:account:)``, and the steps of its result.
        public static let signInElsewhere = Self(rawValue: "sign_in_elsewhere")
        /// ``Wallet/Transactions/open()``.
        public static let listTransactions = Self(rawValue: "list_transactions")
        /// ``Wallet/Transactions/pending()``.
        public static let listPending = Self(rawValue: "list_pending")
        /// ``Wallet/Transactions/approve(_:with:)``.
        public static let approvePayment = Self(rawValue: "approve_payment")
        /// ``Wallet/Transactions/reject(_:)``.
        public static let rejectPayment = Self(rawValue: "reject_payment")
        /// ``Wallet/Transactions/history(of:)``, and keeping its entries, whose failures are only in
        /// ``Wallet/diagnostics``.
        public static let transactionHistory = Self(rawValue: "transaction_history")
        /// ``Wallet/logout()``.
        public static let logout = Self(rawValue: "logout")
    }

    /// A stable name. The server's own `error_code` and OAuth `error` values appear unchanged.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral {
        /// The stable text.
        public let rawValue: String
        /// Creates a code from its name.
        /// - Parameter rawValue: the text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a code from its name.
        /// - Parameter value: the text.
        public init(stringLiteral value: String) { rawValue = value }
    }
}

extension WalletError {
    /// The reason, including the code.
    var words: String { reason.contains(code.rawValue) ? reason : "\(code.rawValue): \(reason)" }

    /// The same error, of a later step of a sign-in.
    var concerningAnswer: WalletError {
        var error = self
        error.concernsAnswer = true
        return error
    }

    /// Returns the same error with another code and outcome, and a longer reason.
    func turned(into code: Code, _ outcome: Outcome, reason: String) -> WalletError {
        WalletError(
            code, outcome, during: operation, statusCode: statusCode, reachedServer: reachedServer, traceID: traceID,
            answeredBy: answeredBy, isFromWalletAuth: isFromWalletAuth, reason: reason)
    }
}

extension WalletError: CustomStringConvertible {
    /// One line without secrets.
    public var description: String {
        var line = "\(operation.rawValue): \(code.rawValue)"
        if let statusCode { line += " (\(statusCode))" }
        line += ": \(reason)"
        if let place = answeredBy?.absoluteString, !reason.contains(place) { line += " (\(place))" }
        if let traceID { line += " [trace \(traceID)]" }
        return line
    }
}

extension WalletError.Code: CustomStringConvertible {
    /// The stable text.
    public var description: String { rawValue }
}

extension WalletError.Operation: CustomStringConvertible {
    /// The stable text.
    public var description: String { rawValue }
}
