import SignIn
import WalletAuthWire
import Web

/// The forms of the consent page; the template writes them.
enum ConsentPageForm {
    /// The values of the parameter `action`: one for each factor, and two that need none.
    enum Action: String {
        case agree
        case agreeByPIN = "agree_by_pin"
        case usePasskey = "use_passkey"
        case cancel
        case refuse
    }

    /// - Throws: `MalformedValue` for input that the page never sends.
    static func parse(_ form: FormParameters) throws(MalformedValue) -> PageSubmission<ConsentPage.Action> {
        try PageSubmission(form, action: action(of: form))
    }

    private static func action(of form: FormParameters) throws(MalformedValue) -> ConsentPage.Action {
        guard let action = Action(rawValue: try form.required("action")) else {
            throw MalformedValue(field: "action", reason: "is unknown")
        }
        switch action {
        case .agree: return .agree(try form.typedSecret("password"))
        case .agreeByPIN: return .agreeByPIN(try AccountPINFields.guess(form))
        case .usePasskey: return .usePasskey(PasskeyFields.assertion(form["passkey"]))
        case .cancel: return .cancel
        case .refuse: return .refuse
        }
    }
}
