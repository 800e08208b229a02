import WalletAuthWire
import Web

/// The forms of the account page; the templates write them. ``SignInForm`` handles the sign-in before it.
enum AccountPageForm {
    /// The values of the parameter `action`, one for each button.
    enum Action: String {
        case show = "show_account"
        case managePassword = "change_password"
        case changePassword = "save_password"
        case acceptInvitation = "accept_invitation"
        case setUpAuthenticator = "set_up_authenticator"
        case confirmAuthenticator = "confirm_authenticator"
        case askToRemoveAuthenticator = "ask_to_remove_authenticator"
        case removeAuthenticator = "remove_authenticator"
        case makeRecoveryCodes = "make_recovery_codes"
        case managePasskeys = "manage_passkeys"
        case addPasskey = "add_passkey"
        case renamePasskey = "rename_passkey"
        case askToRemovePasskey = "ask_to_remove_passkey"
        case removePasskey = "remove_passkey"
        case managePIN = "manage_pin"
        case setPIN = "set_pin"
        case removePIN = "remove_pin"
        case manageClientConsents = "manage_apps"
        case withdrawConsent = "remove_access"
        case confirmDevice = "confirm_device"
        case sendDeviceCode = "send_device_code"
        case askToRemoveDevice = "ask_to_remove_device"
        case removeDevice = "remove_device"
        case endSession = "end_session"
        case endOtherSessions = "end_other_sessions"
        case signOut = "sign_out"
    }

    /// - Throws: `MalformedValue` for input that the page never sends.
    static func parse(_ form: FormParameters) throws(MalformedValue) -> PageSubmission<AccountPage.Action> {
        try PageSubmission(form, action: action(form.required("action"), of: form))
    }

    private static func action(
        _ name: String, of form: FormParameters
    ) throws(MalformedValue) -> AccountPage.Action {
        switch Action(rawValue: name) {
        case .show: .show
        case .managePassword: .managePassword
        case .changePassword: .changePassword(try NewPasswordFields.new(form))
        case .acceptInvitation: .acceptInvitation(try NewPasswordFields.new(form))
        case .setUpAuthenticator: .setUpAuthenticator
        case .confirmAuthenticator: .confirmAuthenticator(try form.typedSecret("code"))
        case .askToRemoveAuthenticator: .askToRemoveAuthenticator
        case .removeAuthenticator: .removeAuthenticator
        case .makeRecoveryCodes: .makeRecoveryCodes
        case .managePasskeys: .managePasskeys
        case .addPasskey:
            .changePasskeys(
                .add(PasskeyFields.registration(form["passkey"]), name: try form.typed("name")))
        case .renamePasskey:
            .changePasskeys(.rename(id: try form.required("id"), name: try form.typed("name")))
        case .askToRemovePasskey: .askToRemovePasskey(id: try form.required("id"))
        case .removePasskey: .changePasskeys(.remove(id: try form.required("id")))
        case .managePIN: .managePIN
        case .setPIN: .changePIN(.set(try AccountPINFields.new(form)))
        case .removePIN: .changePIN(.remove)
        case .manageClientConsents: .manageClientConsents
        case .withdrawConsent: .withdrawConsent(client: try form.required("client"))
        case .confirmDevice:
            .confirmDevice(id: try form.required("device"), code: try form.typedSecret("device_code"))
        case .sendDeviceCode: .sendDeviceCode(id: try form.required("device"))
        case .askToRemoveDevice: .askToRemoveDevice(id: try form.required("device"))
        case .removeDevice: .removeDevice(id: try form.required("device"))
        case .endSession: .endSession(id: try form.required("session"))
        case .endOtherSessions: .endOtherSessions
        case .signOut: .signOut
        case nil:
            if let own = try OwnAccountPageForm.action(name, of: form) {
                .own(own)
            } else {
                .signIn(try SignInForm.parse(form).action)
            }
        }
    }
}
