/// One step of a native sign-in (`POST /oauth2/authorize-challenge`, OAuth 2.0 for First-Party Applications).
public struct AuthorizeChallengeRequest: Hashable, Sendable {
    /// Where in the sign-in this step stands.
    public enum Step: Hashable, Sendable {
        /// The first step, by one of the methods.
        case begin(LoginMethod)
        /// A further step of the sign-in that an `auth_session` names.
        case proceed(AuthSession, Continuation)
    }

    /// First-party clients only.
    public var clientID: ClientID
    /// What is asked for.
    public var scope: Scope?
    /// The PKCE challenge, always S256. Every step repeats it, and it must stay the same.
    public var codeChallenge: CodeChallenge
    /// What this step is.
    public var step: Step
    /// The merchant to act for. Every step repeats it, and it must stay the same. ``Continuation/chooseMerchant(_:)`` puts its
    /// own here.
    public var merchantID: MerchantID?
    /// Kept with the sign-in's journal entry. Every step repeats them: those of the last step are kept.
    public var properties: [String: String]
    /// Names of additional attributes to answer with, beside those that are always there. Every step repeats them.
    public var requestedAttributes: [String]
    /// The authentication context classes one of which has to be reached (RFC 9470 section 4); the first step's count
    /// for the whole sign-in. Empty for whatever the server asks for.
    public var acrValues: [String]

    /// Makes a request.
    /// - Parameters:
    ///   - clientID: the client.
    ///   - codeChallenge: the PKCE challenge.
    ///   - step: what this step is.
    ///   - scope: what is asked for.
    ///   - merchantID: the merchant to act for.
    ///   - properties: kept with the journal entry; at most 16, names up to 64 and values up to 256 bytes.
    ///   - requestedAttributes: names of additional attributes.
    ///   - acrValues: the authentication context classes one of which has to be reached.
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

/// The ways to begin a native sign-in: one case for each value of `login_method`, with the fields of that value.
public enum LoginMethod: Hashable, Sendable {
    /// `password`.
    case password(PasswordLogin)
    /// `pin`.
    case pin(PINLogin)
    /// `nonce`.
    case nonce(NonceLogin)
    /// `device_token`.
    case deviceToken(DeviceTokenLogin)
    /// `federated_identity`.
    case federatedIdentity(FederatedLogin)
    /// `recovery`: the password is forgotten, or the wallet was closed by failures.
    case recovery(RecoveryLogin)

    /// The value of `login_method`.
    public var name: String {
        switch self {
        case .password: "password"
        case .pin: "pin"
        case .nonce: "nonce"
        case .deviceToken: "device_token"
        case .federatedIdentity: "federated_identity"
        case .recovery: "recovery"
        }
    }
}

/// The fields of `login_method=password`.
public struct PasswordLogin: Hashable, Sendable {
    /// Who signs in.
    public var username: Username
    /// The password as typed.
    public var password: Password
    /// The device that signs in, where it is enrolled.
    public var deviceID: DeviceID?
    /// The device's proof of its key, which makes it a known device.
    public var deviceProof: DeviceProof?

    /// Names who signs in.
    /// - Parameters:
    ///   - username: who signs in.
    ///   - password: the password as typed.
    ///   - deviceID: the device, where it is enrolled.
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
    /// What it asserts by its key and the PIN: `pur` is `login`, over this sign-in's DPoP key and PKCE challenge.
    public var assertion: SignedAssertion

    /// Makes the fields.
    /// - Parameters:
    ///   - deviceID: the device that signs in.
    ///   - assertion: what it asserts by its key and the PIN.
    public init(deviceID: DeviceID, assertion: SignedAssertion) {
        self.deviceID = deviceID
        self.assertion = assertion
    }
}

/// What a further step brings: one case for each thing that a person can mend or answer.
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
    /// `mfa_method`, and `mfa_channel` where a code is to be sent, after `mfa_required`: another of the account's factors.
    case chooseFactor(FactorKind)
    /// `resend_mfa=true`, after `mfa_required`.
    case resendFactor
    /// `recovery_answer`, after `recovery_code_required`: the code that was sent.
    case recoveryAnswer(OneTimeCode)
    /// `resend_recovery=true`, after `recovery_code_required`.
    case resendRecovery
    /// `merchant_id` alone, after `merchant_required`; every step from then on repeats it.
    case chooseMerchant(MerchantID)
}
