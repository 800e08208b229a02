import WalletAuthWire
import Web

/// The forms of the hosted sign-in page; the templates write them.
enum SignInForm {
    /// The values of the parameter `action`, one for each button. ``AlternativeForm`` has those of methods in place of the password.
    enum Action: String {
        case signIn = "sign_in"
        case usePassword = "use_password"
        case confirm
        case otherAccount = "other_account"
        case forgotPassword = "forgot_password"
        case recover
        case checkRecoveryCode = "check_recovery_code"
        case resendRecoveryCode = "resend_recovery_code"
        case setPassword = "set_password"
        case checkCode = "check_code"
        case resendCode = "resend_code"
        case answerFactor = "answer_factor"
        case resendFactor = "resend_factor"
        case useTOTP = "use_totp"
        case useEmail = "use_email"
        case useSMS = "use_sms"
        case useSecretQuestion = "use_secret_question"
        case useRecoveryCode = "use_recovery_code"
        case usePasskey = "use_passkey"
        case useScan = "use_phone"
        case useProvider = "use_provider"
        case createAccount = "create_account"
        case register
        case sendRegistrationCode = "send_registration_code"
        case checkRegistrationCode = "check_registration_code"
        case resendRegistrationCode = "resend_registration_code"
        case leaveRegistration = "leave_registration"
        case finishRegistration = "finish_registration"
        case registerByPasskey = "register_by_passkey"
        case registerByPassword = "register_by_password"
        case finishRegistrationByPasskey = "finish_registration_by_passkey"
        case chooseMerchant = "choose_merchant"
        case allow
        case cancel

        /// The button that selects a factor.
        init(choosing kind: FactorKind) {
            self =
                switch kind {
                case .totp: .useTOTP
                case .email: .useEmail
                case .sms: .useSMS
                case .secretQuestion: .useSecretQuestion
                case .recoveryCode: .useRecoveryCode
                }
        }
    }

    /// - Throws: `MalformedValue` for input that the page never sends.
    static func parse(_ form: FormParameters) throws(MalformedValue) -> PageSubmission<SignInPage.Action> {
        try PageSubmission(form, action: action(of: form))
    }

    private static func action(of form: FormParameters) throws(MalformedValue) -> SignInPage.Action {
        let name = try form.required("action")
        if let action = try alternativeAction(name, form) { return action }
        guard let action = Action(rawValue: name) else {
            throw MalformedValue(field: "action", reason: "is unknown")
        }
        switch action {
        case .signIn:
            return .signIn(username: try form.typed("username"), password: try form.typedSecret("password"))
        case .usePassword: return .usePassword(username: form["username"])
        case .confirm: return .confirm
        case .otherAccount: return .useAnotherAccount
        case .forgotPassword: return .forgotPassword(username: form["username"])
        case .recover: return .recover(username: try form.typed("username"))
        case .checkRecoveryCode: return .checkRecoveryCode(try form.typedSecret("recovery_answer"))
        case .resendRecoveryCode: return .resendRecoveryCode
        case .setPassword: return try newPassword(form)
        case .checkCode: return .checkEmailCode(try form.typedSecret("email_code"))
        case .resendCode: return .resendEmailCode
        case .answerFactor:
            // Text around an answer is the keyboard's or the clipboard's.
            let answer = TypedText.trimmed(try form.typed("answer"))
            return .answerFactor(try? Password(answer))
        case .resendFactor: return .resendFactor
        case .useTOTP: return .chooseFactor(.totp)
        case .useEmail: return .chooseFactor(.email)
        case .useSMS: return .chooseFactor(.sms)
        case .useSecretQuestion: return .chooseFactor(.secretQuestion)
        case .useRecoveryCode: return .chooseFactor(.recoveryCode)
        case .usePasskey: return .usePasskey(PasskeyFields.assertion(try form.required("passkey")))
        case .useScan: return .useScan
        case .useProvider: return .useProvider(try ProviderID(form.required("provider")))
        case .register: return .register
        case .sendRegistrationCode: return .sendRegistrationCode(try form.typed("address"))
        case .checkRegistrationCode: return .checkRegistrationCode(try form.typedSecret("registration_code"))
        case .resendRegistrationCode: return .resendRegistrationCode
        case .leaveRegistration: return .leaveRegistration
        case .finishRegistration:
            return .finishRegistration(
                username: try form.typed("username"), password: try NewPasswordFields.new(form))
        case .registerByPasskey: return .registerByPasskey(username: try form.typed("username"))
        case .registerByPassword: return .registerByPassword
        case .finishRegistrationByPasskey:
            return .finishRegistrationByPasskey(PasskeyFields.registration(form["passkey"]))
        case .createAccount: return .createAccount(username: try form.typed("username"))
        case .chooseMerchant: return .chooseMerchant(try MerchantID(form.required("merchant")))
        case .allow: return .allow
        case .cancel: return .cancel
        }
    }

    /// A button of a method in place of the password; `nil` for any other.
    private static func alternativeAction(
        _ name: String, _ form: FormParameters
    ) throws(MalformedValue) -> SignInPage.Action? {
        for alternative in PasswordAlternative.allCases {
            let buttons = alternative.form
            if name == buttons.use { return .use(alternative, username: form["username"]) }
            if name == buttons.forgot?.value { return .forgot(alternative, username: form["username"]) }
            guard name == buttons.signIn else { continue }
            return .signInInstead(username: try form.typed("username"), try buttons.secret(form))
        }
        return nil
    }

    /// A new password. The two entries are compared before any other check.
    private static func newPassword(_ form: FormParameters) throws(MalformedValue) -> SignInPage.Action {
        let typed = try form.typed("new_password")
        guard !typed.isEmpty || form["repeated_password"] != nil else { return .omitPassword }
        guard form["repeated_password"] == typed else { return .mistypePassword }
        return .setPassword(try? Password(typed))
    }
}
