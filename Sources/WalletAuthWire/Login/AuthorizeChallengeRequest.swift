/// One step of a native sign-in (`POST /oauth2/authorize-challenge`, OAuth 2.0 for First-Party Applications).
public struct AuthorizeChallengeRequest: Hashable, Sendable {
    /// The position of this step in the sign-in.
    public enum Step: Hashable, Sendable {
        /// The first step, with one of the methods.
        case begin(LoginMethod)
        /// A further step of the sign-in identified by an `auth_session`.
        case proceed(AuthSession, Continuation)
    }

    /// The client; only first-party clients are accepted.
    public var clientID: ClientID
    /// The requested scopes.
    public var scope: Scope?
    /// The PKCE challenge, always S256. Every step repeats it, and it must stay the same.
    public var codeChallenge: CodeChallenge
    /// The step.
    public var step: Step
    /// The merchant to act for. Every step repeats it, and it must stay the same. ``Continuation/chooseMerchant(_:)``
    /// sets it.
    public var merchantID: MerchantID?
    /// Recorded with the sign-in in the audit log. Every step repeats them; those of the last step are recorded.
    public var properties: [String: String]
    /// The names of attributes to return in addition to the default ones. Every step repeats them.
    public var requestedAttributes: [String]
    /// The authentication context classes of which one must be reached (RFC 9470 §4); the first step's apply to the
    /// whole sign-in. Empty for the server's default.
    public var acrValues: [String]

    /// Creates a request.
    /// - Parameters:
    ///   - clientID: the client.
    ///   - codeChallenge: the PKCE challenge.
    ///   - step: the step.
    ///   - scope: the requested scopes.
    ///   - merchantID: the merchant to act for.
    ///   - properties: recorded in the audit log; at most 16, names up to 64 and values up to 256 bytes.
    ///   - requestedAttributes: names of additional attributes.
    ///   - acrValues: the authentication context classes of which one must be reached.
    public init(
        clientID: ClientID, codeChallenge: CodeChallenge, step: Step, scope: Scope? = nil,
        merchantID: MerchantID? = nil, properties: [String: String] = [:], requestedAttributes: [String] = [],
        acrValues: [String] = []
    ) {
        self.clientID = clientID
        self.codeChallenge = codeChallenge
        self.step = step
        self.scope = scope
        self.merchantID = merchantID
        self.properties = properties
        self.requestedAttributes = requestedAttributes
        self.acrValues = acrValues
    }
}

/// The ways to begin a native sign-in: one case per value of `login_method`, with its fields.
public enum LoginMethod: Hashable, Sendable {
    /// `password`.
    case password(PasswordLogin)
    /// `pin`: the PIN of a device.
    case pin(PINLogin)
    /// `account_pin`: the PIN of the account, where its brand takes one.
    case accountPIN(AccountPINLogin)
    /// `nonce`.
    case nonce(NonceLogin)
    /// `device_token`.
    case deviceToken(DeviceTokenLogin)
    /// `federated_identity`.
    case federatedIdentity(FederatedLogin)
    /// `recovery`: of a forgotten password, or of a wallet locked by failed attempts.
    case recovery(RecoveryLogin)
    /// `passkey`.
    case passkey(PasskeyLogin)

    enum Name: String, CaseIterable {
        case password, pin
        case accountPIN = "account_pin"
        case nonce
        case deviceToken = "device_token"
        case federatedIdentity = "federated_identity"
        case recovery, passkey
    }

    /// The value of `login_method`.
    public var name: String {
        let name: Name =
            switch self {
            case .password: .password
            case .pin: .pin
            case .accountPIN: .accountPIN
            case .nonce: .nonce
            case .deviceToken: .deviceToken
            case .federatedIdentity: .federatedIdentity
            case .recovery: .recovery
            case .passkey: .passkey
            }
        return name.rawValue
    }
}

/// The fields of `login_method=password`.
public struct PasswordLogin: Hashable, Sendable {
    /// The user name.
    public var username: Username
    /// The password as typed.
    public var password: Password
    /// The device that signs in, if it is enrolled.
    public var deviceID: DeviceID?
    /// The device's proof of its key, which makes it a known device.
    public var deviceProof: DeviceProof?

    /// Creates the fields.
    /// - Parameters:
    ///   - username: the user name.
    ///   - password: the password as typed.
    ///   - deviceID: the device, if it is enrolled.
    ///   - deviceProof: the device's proof of its key.
    public init(
        username: Username, password: Password, deviceID: DeviceID? = nil, deviceProof: DeviceProof? = nil
    ) {
        self.username = username
        self.password = password
        self.deviceID = deviceID
        self.deviceProof = deviceProof
    }
}

/// The fields of `login_method=pin`.
public struct PINLogin: Hashable, Sendable {
    /// The device that signs in.
    public var deviceID: DeviceID
    /// Its assertion with its key and the PIN: `pur` is `login`, over this sign-in's DPoP key and PKCE challenge.
    public var assertion: SignedAssertion

    /// Creates the fields.
    /// - Parameters:
    ///   - deviceID: the device that signs in.
    ///   - assertion: its assertion with its key and the PIN.
    public init(deviceID: DeviceID, assertion: SignedAssertion) {
        self.deviceID = deviceID
        self.assertion = assertion
    }
}

/// The fields of `login_method=passkey`.
public struct PasskeyLogin: Hashable, Sendable {
    /// The passkey's response to the options that this sign-in requested.
    public var assertion: PasskeyAssertionResponse
    /// A name that the passkey's account must have; `nil` for any account.
    public var username: Username?
    /// The device that signs in, if it is enrolled.
    public var deviceID: DeviceID?
    /// The device's proof of its key, which makes it a known device.
    public var deviceProof: DeviceProof?

    /// Creates the fields. Each parameter sets the property of the same name.
    public init(
        assertion: PasskeyAssertionResponse, username: Username? = nil, deviceID: DeviceID? = nil,
        deviceProof: DeviceProof? = nil
    ) {
        self.assertion = assertion
        self.username = username
        self.deviceID = deviceID
        self.deviceProof = deviceProof
    }
}

/// The content of a further step: one case for each thing that a person can provide.
public enum Continuation: Hashable, Sendable {
    /// `new_password`, after `password_change_required`.
    case newPassword(Password)
    /// `resend_email=true`, after `email_unverified`.
    case resendEmail
    /// `email_code`, after `email_unverified`.
    case emailCode(EmailCode)
    /// `app_instance_code`, after `app_instance_unverified`.
    case appInstanceCode(OneTimeCode)
    /// `resend_app_instance_code=true`, after `app_instance_unverified`.
    case resendAppInstanceCode
    /// `mfa_token` and `mfa_answer`, after `mfa_required`.
    case mfa(MFAToken, answer: Password)
    /// `mfa_method`, and `mfa_channel` if a code is to be sent, after `mfa_required`: switches to another factor.
    case chooseFactor(FactorKind)
    /// `resend_mfa=true`, after `mfa_required`.
    case resendFactor
    /// `passkey_assertion`, after `mfa_required`: the response of a passkey, in place of the factor's answer.
    case passkey(PasskeyAssertionResponse)
    /// `recovery_answer`, after `recovery_code_required`: the code that was sent.
    case recoveryAnswer(OneTimeCode)
    /// `resend_recovery=true`, after `recovery_code_required`.
    case resendRecovery
    /// `merchant_id` alone, after `merchant_required`; every later step repeats it.
    case chooseMerchant(MerchantID)
}
