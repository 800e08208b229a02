import AuthAccount
import AuthCredentials
import AuthFlows
import AuthSignIn
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// `GET|POST /account/security`: the account page, where holders manage their factors in the browser, and the sign-in
/// before it.
struct AccountPageEndpoint: Sendable {
    let server: AuthorizationServer
    /// Provides the cookies, pages and answers, which are the same as for sign-in.
    let authorize: AuthorizeEndpoint

    /// The page. People type this address, so an unknown brand, language or sign-in method is ignored.
    @Sendable func get(_ request: EndpointRequest) async throws -> Response {
        let query = try request.query()
        let asked = AccountPageRequest(
            brand: query["brand"].flatMap { try? BrandID($0) },
            locales: (query["ui_locales"] ?? "").split(separator: " ").prefix(8).compactMap {
                try? LocaleTag(String($0))
            }, loginStrategy: query["login_strategy"].flatMap(AuthorizationRequest.LoginStrategy.init))
        let answer = try await server.accountPages.open(
            asked, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        return authorize.respond(with: answer, request)
    }

    /// A button of the page.
    @Sendable func post(_ request: EndpointRequest) async throws -> Response {
        if let fault = authorize.faultOfAnotherSite(request) { return fault }
        let submission: PageSubmission<AccountPage.Action>
        do { submission = try AccountPageForm.parse(request.form()) } catch {
            return authorize.malformed(error, request)
        }
        let answer = try await server.accountPages.submit(
            submission, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        return authorize.respond(with: answer, request)
    }
}

/// The forms of the account page; the templates write them. ``SignInForm`` handles the sign-in before it.
enum AccountPageForm {
    /// The values of the parameter `action`, one for each button.
    enum Action: String {
        case show = "show_account"
        case setUpAuthenticator = "set_up_authenticator"
        case confirmAuthenticator = "confirm_authenticator"
        case makeRecoveryCodes = "make_recovery_codes"
        case managePasskeys = "manage_passkeys"
        case addPasskey = "add_passkey"
        case renamePasskey = "rename_passkey"
        case removePasskey = "remove_passkey"
        case managePIN = "manage_pin"
        case setPIN = "set_pin"
        case removePIN = "remove_pin"
        case manageClientConsents = "manage_apps"
        case withdrawConsent = "remove_access"
        case confirmDevice = "confirm_device"
        case sendDeviceCode = "send_device_code"
        case signOut = "sign_out"
    }

    /// - Throws: `MalformedValue` for input that the page never sends.
    static func parse(_ form: FormParameters) throws(MalformedValue) -> PageSubmission<AccountPage.Action> {
        PageSubmission(
            request: try form.required("request"), csrf: try form.required("csrf"),
            action: try action(form.required("action"), of: form))
    }

    private static func action(
        _ name: String, of form: FormParameters
    ) throws(MalformedValue) -> AccountPage.Action {
        switch Action(rawValue: name) {
        case .show: .show
        case .setUpAuthenticator: .setUpAuthenticator
        // A malformed code counts as a wrong one: the page asks again.
        case .confirmAuthenticator: .confirmAuthenticator(form["code"].flatMap { try? OneTimeCode($0) })
        case .makeRecoveryCodes: .makeRecoveryCodes
        case .managePasskeys: .managePasskeys
        case .addPasskey:
            .changePasskeys(
                .add(PasskeyFields.registration(form["passkey"]), name: try form.required("name")))
        case .renamePasskey:
            .changePasskeys(.rename(id: try form.required("id"), name: try form.required("name")))
        case .removePasskey: .changePasskeys(.remove(id: try form.required("id")))
        case .managePIN: .managePIN
        case .setPIN: .changePIN(.set(try AccountPINFields.new(form)))
        case .removePIN: .changePIN(.remove)
        case .manageClientConsents: .manageClientConsents
        case .withdrawConsent: .withdrawConsent(client: try form.required("client"))
        case .confirmDevice:
            .confirmDevice(
                id: try form.required("device"), code: form["device_code"].flatMap { try? OneTimeCode($0) })
        case .sendDeviceCode: .sendDeviceCode(id: try form.required("device"))
        case .signOut: .signOut
        case nil: .signIn(try SignInForm.parse(form).action)
        }
    }
}
