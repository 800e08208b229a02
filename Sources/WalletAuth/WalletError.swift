public import Foundation
public import WalletAuthWire

/// The one error that the SDK's calls throw (besides `CancellationError`, when the calling task was cancelled).
///
/// ``outcome`` says what an app has to do and is complete: switch on it. ``code`` is the stable name of what happened,
/// for analytics and for texts; new codes may be added. `reason` is for whoever looks for the cause. Nothing here ever
/// holds a secret.
public struct WalletError: Error, Sendable, Hashable {
    /// The stable name of what happened.
    public let code: Code
    /// What an app has to do about it.
    public let outcome: Outcome
    /// What was being done.
    public let operation: Operation
    /// The number that wallet apps of the older kind switch on (`status_code` of the server's answer), if it has one.
    public let statusCode: Int?
    /// Whether the server answered: false means that it may never have heard of the call.
    public let reachedServer: Bool
    /// The server's name for its log lines of this call, to be given to support.
    public let traceID: String?
    /// How many tries are left before the PIN locks, where a wrong one cost a try.
    public let remainingAttempts: Int?
    /// Why the PIN is locked (`pin_locked`); nil where the server did not say, which means too many wrong PINs.
    public let pinLockReason: PINLockReason?
    /// How a transaction ended that is over (`transaction_over`).
    public internal(set) var transactionStatus: TransactionStatus?
    /// Until when a device that was just enrolled signs nothing (`device_cooling`), by the server's clock.
    public internal(set) var coolingUntil: Date?
    /// What the device lacks that has none of the second factors that a transaction allows (`second_factor_unavailable`); nil
    /// where the server did not say.
    public internal(set) var secondFactorShortage: SecondFactorShortage?
    /// Which URL answered, without its query; nil where nothing answered, or the answer was an app's own call.
    public internal(set) var answeredBy: URL?
    /// Whether the server that answered says of itself that it is one of this project's. The tools that a reason or an advice may
    /// name are of no use to the operator of any other.
    public internal(set) var isFromWalletAuth = false
    /// For whoever looks for the cause; not for the person, not stable. Where the server gave a reason, it is the server's own,
    /// without characters that steer a terminal.
    public let reason: String

    /// Makes an error; apps do so only in their tests.
    /// - Parameters:
    ///   - code: the stable name of what happened.
    ///   - outcome: what an app has to do.
    ///   - operation: what was being done.
    ///   - statusCode: the number of the server's answer, where it has one.
    ///   - reachedServer: whether the server answered.
    ///   - traceID: the server's name for the call in its log.
    ///   - remainingAttempts: how many tries a wrong PIN left.
    ///   - pinLockReason: why the PIN is locked.
    ///   - secondFactorShortage: what the device lacks to sign a transaction.
    ///   - answeredBy: which URL answered.
    ///   - isFromWalletAuth: whether the server is one of this project's.
    ///   - reason: for whoever looks for the cause; never a secret.
    public init(
        _ code: Code, _ outcome: Outcome, during operation: Operation, statusCode: Int? = nil,
        reachedServer: Bool = false, traceID: String? = nil, remainingAttempts: Int? = nil,
        pinLockReason: PINLockReason? = nil, secondFactorShortage: SecondFactorShortage? = nil, answeredBy: URL? = nil,
        isFromWalletAuth: Bool = false, reason: String
    ) {
        self.code = code
        self.outcome = outcome
        self.operation = operation
        self.statusCode = statusCode
        self.reachedServer = reachedServer
        self.traceID = traceID
        self.remainingAttempts = remainingAttempts
        self.pinLockReason = pinLockReason
        self.secondFactorShortage = secondFactorShortage
        self.answeredBy = answeredBy
        self.isFromWalletAuth = isFromWalletAuth
        self.reason = reason
    }
}

extension WalletError {
    /// What an app has to do.
    public enum Outcome: Sendable, Hashable {
        /// Nobody is signed in. Offer to sign in.
        case signedOut(SignOutReason)
        /// The server cannot answer now; whoever is signed in still is. Try again, after `retryAfter` where it is told.
        case temporarilyUnavailable(retryAfter: Duration?)
        /// There is no network; whoever is signed in still is.
        case offline
        /// This device lost a key, as a restore from a backup does; `recovery` says how it gets a new one.
        case keyLost(recovery: KeyRecovery)
        /// The secure store cannot be used now; whoever is signed in still is.
        case storeUnavailable(StoreTrouble)
        /// The person closed the page or said no. Say nothing, or offer it again.
        case cancelledByPerson
        /// The sign-in behind the session is too weak or too old for this call (RFC 9470). ``Wallet/stepUp(to:)`` has the person
        /// sign in as it asks, or ``Wallet/login(username:password:strength:properties:requestedAttributes:)`` with
        /// ``Wallet/LoginStrength/required(_:)``; then repeat the call.
        case stepUp(AuthenticationRequirements)
        /// What was asked for was refused: wrong credentials, a locked wallet, a code already used. ``WalletError/code`` says which.
        case refused
        /// The app or the server is set up wrongly: somebody has to change something.
        case misconfigured
    }

    /// Why nobody is signed in.
    public enum SignOutReason: String, Sendable, Hashable, Codable {
        /// Nobody has signed in on this device yet.
        case neverSignedIn
        /// ``Wallet/logout()`` was called, here or in another process of the app.
        case loggedOut
        /// The server ended the session: it expired, was revoked, or the password was changed.
        case sessionEnded
        /// The token has expired and there is nothing to renew it with.
        case tokenExpired
        /// Somebody signed in meanwhile: what was begun for the session before it is not done in the new one's name.
        case replacedByAnotherSignIn
        /// The key that the session is bound to is gone.
        case keyLost
        /// The session came by Sign in with Apple, and the person stopped using their Apple Account with this app.
        case appleCredentialRevoked
    }

    /// How a device that lost a key gets going again.
    public enum KeyRecovery: String, Sendable, Hashable, Codable {
        /// A new sign-in makes a new key and binds to it.
        case signInAgain
        /// The device has to be enrolled again.
        case enrollAgain
        /// The PIN has to be set again, after a sign-in with two factors.
        case setPINAgain
        /// Sign-in by face or finger has to be turned on again: what the device knows its holder by has changed.
        case enableBiometricsAgain
    }

    /// What keeps the secure store from being used.
    public enum StoreTrouble: String, Sendable, Hashable, Codable {
        /// The device is locked.
        case locked
        /// There is no room.
        case full
        /// This program may not use it.
        case denied
        /// What is kept there cannot be read back.
        case damaged
        /// Another process holds it for too long.
        case busy
        /// Anything else.
        case failed
    }

    /// What was being done when it went wrong.
    public struct Operation: RawRepresentable, Sendable, Hashable, Codable {
        /// The stable text.
        public let rawValue: String
        /// Names an operation.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// ``Wallet/init(configuration:)`` or ``Wallet/configure(_:)``.
        public static let configure = Self(rawValue: "configure")
        /// ``Wallet/stepUp(to:)``.
        public static let stepUp = Self(rawValue: "step_up")
        /// ``Wallet/setUp()``.
        public static let setUp = Self(rawValue: "set_up")
        /// Sign-in through the browser, its callback included.
        public static let signIn = Self(rawValue: "sign_in")
        /// ``Wallet/Authentication/getAuthenticationDetails(brandIdentity:request:)``.
        public static let authenticationDetails = Self(rawValue: "authentication_details")
        /// ``Wallet/login(username:password:)`` and what continues it.
        public static let loginByUsernamePassword = Self(rawValue: "login_by_username_password")
        /// ``Wallet/checkRegistration(provider:)``.
        public static let checkRegistration = Self(rawValue: "check_registration")
        /// ``Wallet/login(nonce:purpose:properties:requestedAttributes:)`` and what continues it.
        public static let loginByNonce = Self(rawValue: "login_by_nonce")
        /// ``Wallet/recover(username:)`` and what continues it.
        public static let recover = Self(rawValue: "recover")
        /// Sign-in by the device's PIN, `login(pin:account:properties:requestedAttributes:)` of WalletAuthPIN, and what continues it.
        public static let loginByPIN = Self(rawValue: "login_by_pin")
        /// `pin.set(_:rules:)` of WalletAuthPIN.
        public static let setPIN = Self(rawValue: "set_pin")
        /// `pin.change(from:to:rules:)` of WalletAuthPIN.
        public static let changePIN = Self(rawValue: "change_pin")
        /// `pin.forget(account:)` of WalletAuthPIN.
        public static let forgetPIN = Self(rawValue: "forget_pin")
        /// `pin.state(of:)` of WalletAuthPIN.
        public static let pinState = Self(rawValue: "pin_state")
        /// ``Wallet/login(biometrics:account:properties:requestedAttributes:)`` and what continues it.
        public static let loginByBiometrics = Self(rawValue: "login_by_biometrics")
        /// `biometrics.enable(pin:)` of WalletAuthPIN.
        public static let enableBiometrics = Self(rawValue: "enable_biometrics")
        /// ``Wallet/Biometrics/disable()``.
        public static let disableBiometrics = Self(rawValue: "disable_biometrics")
        /// ``Wallet/Biometrics/state(of:)``.
        public static let biometricsState = Self(rawValue: "biometrics_state")
        /// ``Wallet/generateDeviceAuthenticationToken(username:password:)``.
        public static let generateDeviceToken = Self(rawValue: "generate_device_authentication_token")
        /// ``Wallet/loginWithDeviceAuthenticationToken(biometrics:account:)``, the one with a PIN, and what continues them.
        public static let loginWithDeviceToken = Self(rawValue: "login_with_device_authentication_token")
        /// ``Wallet/expireDeviceAuthenticationToken()``.
        public static let expireDeviceToken = Self(rawValue: "expire_device_authentication_token")
        /// ``Wallet/declineDeviceAuthenticationToken()``.
        public static let declineDeviceToken = Self(rawValue: "decline_device_authentication_token")
        /// ``Wallet/deviceAuthenticationToken``.
        public static let deviceTokenState = Self(rawValue: "device_authentication_token_state")
        /// ``Wallet/accounts``.
        public static let listAccounts = Self(rawValue: "list_accounts")
        /// ``Wallet/login(federatedIdentity:strength:properties:requestedAttributes:)`` and what continues it, the account that is
        /// made for a guest included.
        public static let loginByFederatedIdentity = Self(rawValue: "login_by_federated_identity")
        /// ``Wallet/login(apple:provider:strength:properties:requestedAttributes:)`` and what continues it.
        public static let loginByApple = Self(rawValue: "login_by_apple")
        /// Asking Apple whether the credential of a session still holds. Nothing is thrown: it is for ``Wallet/diagnostics``.
        public static let appleCredential = Self(rawValue: "apple_credential")
        /// ``Wallet/changePassword(current:new:)``.
        public static let changePassword = Self(rawValue: "change_password")
        /// ``Wallet/Factors/list()`` and ``Wallet/Factors/secretQuestions()``.
        public static let listFactors = Self(rawValue: "list_factors")
        /// Adding second factors and taking them away: ``Wallet/Factors``.
        public static let changeFactors = Self(rawValue: "change_factors")
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
        /// ``Wallet/Devices/setPushAddress(token:environment:for:)``.
        public static let setPushAddress = Self(rawValue: "set_push_address")
        /// ``Wallet/authenticate(accessToken:expiresAt:)`` and ``Wallet/updateToken(_:expiresAt:)``.
        public static let authenticate = Self(rawValue: "authenticate")
        /// Renewing the access token.
        public static let refresh = Self(rawValue: "refresh")
        /// ``Wallet/perform(_:)``, ``Wallet/perform(_:onSCA:choosing:)`` and ``Wallet/resume(_:onSCA:choosing:)``.
        public static let perform = Self(rawValue: "perform")
        /// ``Wallet/Authentication/sendSCAChallenge(eventID:request:)``.
        public static let sendSCAChallenge = Self(rawValue: "send_sca_challenge")
        /// ``Wallet/Authentication/submitSCAAttempt(eventID:request:)`` and its other form.
        public static let submitSCAAttempt = Self(rawValue: "submit_sca_attempt")
        /// ``Wallet/pendingSCA`` and ``Wallet/discard(_:)``.
        public static let pendingSCA = Self(rawValue: "pending_sca")
        /// ``Wallet/Flows/start(with:account:)``, its other form, and ``Wallet/Transactions/create(_:account:)``.
        public static let signTransaction = Self(rawValue: "sign_transaction")
        /// ``Wallet/Transactions/open()``.
        public static let listTransactions = Self(rawValue: "list_transactions")
        /// ``Wallet/logout()``.
        public static let logout = Self(rawValue: "logout")
    }

    /// A stable name. The server's own `error_code` and OAuth `error` values appear here as they are.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral {
        /// The stable text.
        public let rawValue: String
        /// Names a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Names a code.
        public init(stringLiteral value: String) { rawValue = value }
    }
}

extension WalletError {
    /// What the server said, its code included.
    var words: String { reason.contains(code.rawValue) ? reason : "\(code.rawValue): \(reason)" }

    /// The same with another code and outcome, and more to say.
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
