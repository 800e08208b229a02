/// An HTTP endpoint: its methods and path.
public struct Endpoint: Hashable, Sendable {
    /// A method of HTTP.
    public enum Method: String, Hashable, Sendable {
        /// Safe: changes nothing.
        case get = "GET"
        /// Changes something, or carries data that must not be in a URL.
        case post = "POST"
        /// Stores something; safe to repeat.
        case put = "PUT"
        /// Changes part of something.
        case patch = "PATCH"
        /// Removes something; safe to repeat.
        case delete = "DELETE"
    }

    /// The supported methods; any other gets 405.
    public let methods: [Method]

    /// The path below the issuer. A segment in braces is a placeholder, as in `/v1/brands/{brandIdentity}`.
    public let path: String

    /// Returns the path with its placeholders replaced, from left to right.
    /// - Parameter values: identifiers, whose characters need no escaping in a path.
    public func path(_ values: any WireValue...) -> String {
        var rest = values[...]
        return path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("{") ? rest.popFirst().map(\.rawValue) ?? String($0) : String($0) }
            .joined(separator: "/")
    }
}

/// All endpoints of the server.
public enum Endpoints {
    /// RFC 8414 metadata.
    public static let oauthMetadata = Endpoint(methods: [.get], path: "/.well-known/oauth-authorization-server")
    /// OpenID Connect Discovery metadata.
    public static let openIDConfiguration = Endpoint(methods: [.get], path: "/.well-known/openid-configuration")
    /// The public keys that sign tokens (RFC 7517).
    public static let keys = Endpoint(methods: [.get], path: "/.well-known/jwks.json")

    /// Apple's list of apps that open a site's links.
    public static let appleAppSiteAssociation = Endpoint(
        methods: [.get], path: "/.well-known/apple-app-site-association")
    /// Google's list of apps that may use a site's passkeys (Digital Asset Links).
    public static let assetLinks = Endpoint(methods: [.get], path: "/.well-known/assetlinks.json")
    /// The other sites whose pages may use a site's passkeys (WebAuthn Level 3 §5.11).
    public static let relatedOrigins = Endpoint(methods: [.get], path: "/.well-known/webauthn")

    /// The authorization endpoint (RFC 6749 §3.1); OpenID Connect also requires POST.
    public static let authorize = Endpoint(methods: [.get, .post], path: "/oauth2/authorize")
    /// Authorization requests that clients push ahead of the browser (RFC 9126).
    public static let pushedRequests = Endpoint(methods: [.post], path: "/oauth2/par")
    /// Native sign-in (OAuth 2.0 for First-Party Applications).
    public static let authorizeChallenge = Endpoint(methods: [.post], path: "/oauth2/authorize-challenge")
    /// Accounts for people whom an identity provider knows.
    public static let accounts = Endpoint(methods: [.post], path: "/v1/accounts")
    /// A newcomer's registration: the code for an address.
    public static let registrations = Endpoint(methods: [.post], path: "/v1/registrations")
    /// The code of a registration, entered.
    public static let registrationConfirmation = Endpoint(methods: [.post], path: "/v1/registrations/confirm")
    /// What the device of a newcomer has to create as a passkey in place of a password.
    public static let registrationPasskey = Endpoint(methods: [.post], path: "/v1/registrations/passkey")
    /// The account of a registration, and the sign-in to it.
    public static let registrationFinish = Endpoint(methods: [.post], path: "/v1/registrations/finish")
    /// Apple's notifications about people's accounts there.
    public static let appleNotifications = Endpoint(methods: [.post], path: "/v1/federation/apple/notifications")
    /// One-time tokens with which a confidential client lets a person's app sign in.
    public static let loginNonces = Endpoint(methods: [.post], path: "/v1/login-nonces")
    /// The token endpoint (RFC 6749 §3.2).
    public static let token = Endpoint(methods: [.post], path: "/oauth2/token")
    /// The codes with which a device asks for tokens (RFC 8628 §3.1).
    public static let deviceAuthorization = Endpoint(methods: [.post], path: "/oauth2/device_authorization")
    /// A client's request to have a person sign in on their phone (OpenID CIBA Core 1.0 §7).
    public static let backchannelAuthentication = Endpoint(methods: [.post], path: "/oauth2/bc-authorize")
    /// The page on which a person types a device's code, and its forms.
    public static let devicePage = Endpoint(methods: [.get, .post], path: "/device")
    /// Token revocation (RFC 7009).
    public static let revoke = Endpoint(methods: [.post], path: "/oauth2/revoke")
    /// Token introspection (RFC 7662).
    public static let introspect = Endpoint(methods: [.post], path: "/oauth2/introspect")
    /// The person's claims (OpenID Connect Core §5.3).
    public static let userInfo = Endpoint(methods: [.get, .post], path: "/oauth2/userinfo")
    /// Sign-out by a client (OpenID Connect RP-Initiated Logout 1.0), and the form of its page.
    public static let endSession = Endpoint(methods: [.get, .post], path: "/oauth2/logout")

    /// A guest's tokens, for an integrator's backend.
    public static let guestToken = Endpoint(methods: [.post], path: "/oauth/requestGuestToken.json")
    /// A guest's loyalty account, for an integrator's backend.
    public static let loyaltyEnrollment = Endpoint(methods: [.post], path: "/enrollment/createAndRegister.json")
    /// A one-time password for a guest's phone, for an integrator's backend.
    public static let oneTimePassword = Endpoint(
        methods: [.post], path: "/onetimepassword/generateAndSendSMSOTP.json")
    /// The links of a guest's account, for an integrator's backend.
    public static let externalAccounts = Endpoint(methods: [.post], path: "/enrollment/editExternalAccounts.json")

    /// The URL that starts a brand's sign-in.
    public static let authenticationDetails = Endpoint(
        methods: [.post], path: "/v1/brands/{brandIdentity}/authentication-details")
    /// The hosted sign-in page's form. Without one, the page has expired.
    public static let signInPage = Endpoint(methods: [.get, .post], path: "/sign-in")
    /// The sign-in page that shows a code to scan.
    public static let scanPage = Endpoint(methods: [.get], path: "/sign-in/scan/{transactionId}")
    /// The state of that page, for its script.
    public static let scanPageState = Endpoint(methods: [.get], path: "/sign-in/scan/{transactionId}/state")
    /// The callback of an identity provider to a brand's hosted sign-in page.
    public static let providerSignIn = Endpoint(
        methods: [.get, .post], path: "/sign-in/provider/{brandIdentity}/{providerId}")

    /// Fresh challenges to sign.
    public static let challenges = Endpoint(methods: [.post], path: "/v1/challenges")
    /// The account's devices, and the enrollment of a new one.
    public static let devices = Endpoint(methods: [.get, .post], path: "/v1/devices")
    /// One device: its name, its removal.
    public static let device = Endpoint(methods: [.patch, .delete], path: "/v1/devices/{deviceId}")
    /// A device's push token.
    public static let devicePush = Endpoint(methods: [.put, .delete], path: "/v1/devices/{deviceId}/push")
    /// The PIN of a device: set, changed, forgotten.
    public static let devicePIN = Endpoint(methods: [.put, .delete], path: "/v1/devices/{deviceId}/pin")
    /// A device's biometric key.
    public static let deviceBiometricKey = Endpoint(
        methods: [.put, .delete], path: "/v1/devices/{deviceId}/biometric-key")
    /// The server's share of a PIN key.
    public static let pinEvaluation = Endpoint(methods: [.post], path: "/v1/pin/evaluate")
    /// A new device authentication token, which starts a long-lived session.
    public static let deviceAuthenticationTokens = Endpoint(
        methods: [.post], path: "/v1/device-authentication-tokens")
    /// The requesting device's authentication token: its state, the person's refusal, its end.
    public static let currentDeviceAuthenticationToken = Endpoint(
        methods: [.get, .put, .delete], path: "/v1/device-authentication-tokens/current")
    /// The code that confirms an installation of the app.
    public static let deviceVerification = Endpoint(methods: [.post], path: "/v1/devices/{deviceId}/verification")

    /// The account's second factors.
    public static let accountFactors = Endpoint(methods: [.get], path: "/v1/account/factors")
    /// An authenticator app: setup and removal.
    public static let authenticator = Endpoint(methods: [.post, .delete], path: "/v1/account/totp")
    /// The code that confirms the setup of an authenticator app.
    public static let authenticatorConfirmation = Endpoint(methods: [.post], path: "/v1/account/totp/confirm")
    /// What an app asks a passkey to sign at a sign-in.
    public static let passkeyOptions = Endpoint(methods: [.post], path: "/v1/passkeys/options")
    /// What an app asks the person's device to create as a new passkey.
    public static let accountPasskeyOptions = Endpoint(methods: [.post], path: "/v1/account/passkeys/options")
    /// A new passkey of the account.
    public static let accountPasskeys = Endpoint(methods: [.post], path: "/v1/account/passkeys")
    /// The removal of a passkey.
    public static let accountPasskey = Endpoint(methods: [.delete], path: "/v1/account/passkeys/{passkeyId}")
    /// A new set of recovery codes.
    public static let recoveryCodes = Endpoint(methods: [.post], path: "/v1/account/recovery-codes")
    /// The secret questions, and the answers to them.
    public static let secretQuestions = Endpoint(methods: [.get, .put], path: "/v1/account/secret-questions")
    /// The password.
    public static let accountPassword = Endpoint(methods: [.put], path: "/v1/account/password")
    /// The account's linked identities: the list, and a new link.
    public static let accountIdentities = Endpoint(methods: [.get, .put], path: "/v1/account/federated-identities")
    /// The removal of a linked identity.
    public static let accountIdentity = Endpoint(
        methods: [.delete], path: "/v1/account/federated-identities/{identityId}")

    /// A new e-mail address.
    public static let accountEmail = Endpoint(methods: [.post], path: "/v1/account/email")
    /// The code that confirms it.
    public static let accountEmailConfirmation = Endpoint(methods: [.post], path: "/v1/account/email/confirm")
    /// The phone number: a new one, and its removal.
    public static let accountPhone = Endpoint(methods: [.post, .delete], path: "/v1/account/phone")
    /// The code that confirms it.
    public static let accountPhoneConfirmation = Endpoint(methods: [.post], path: "/v1/account/phone/confirm")
    /// What happened to the account.
    public static let accountActivity = Endpoint(methods: [.get], path: "/v1/account/activity")
    /// Everything that is stored about the person.
    public static let accountExport = Endpoint(methods: [.post], path: "/v1/account/export")
    /// The closing of the account.
    public static let accountClosing = Endpoint(methods: [.post], path: "/v1/account/closing")
    /// The code that takes the closing back.
    public static let accountKeeping = Endpoint(methods: [.post], path: "/v1/account/closing/keep")

    /// The account page, and its form.
    public static let accountPage = Endpoint(methods: [.get, .post], path: "/account")
    /// The account page's download of the person's data.
    public static let accountExportPage = Endpoint(methods: [.post], path: "/account/export")
    /// The page that takes the closing of an account back.
    public static let accountKeepingPage = Endpoint(methods: [.get], path: "/account/keep")
    /// The page of an operator's one-time link: a password, and then a second factor.
    public static let operatorWelcomePage = Endpoint(methods: [.get], path: "/admin/welcome")
    /// The account page's former address, which leads to it.
    public static let accountSecurity = Endpoint(methods: [.get], path: "/account/security")

    /// A backend's wallet operations.
    public static let walletOperations = Endpoint(methods: [.post], path: "/v1/wallet-operations")
    /// One operation: its state, its end.
    public static let walletOperation = Endpoint(
        methods: [.get, .delete], path: "/v1/wallet-operations/{walletOperationId}")
    /// The single use of an operation.
    public static let walletOperationConsumption = Endpoint(
        methods: [.post], path: "/v1/wallet-operations/{walletOperationId}/consume")
    /// The signed evidence of an operation (RTS article 29).
    public static let walletOperationEvidence = Endpoint(
        methods: [.get], path: "/v1/wallet-operations/{walletOperationId}/evidence")
    /// A challenge to agree to an operation.
    public static let scaChallenges = Endpoint(methods: [.post], path: "/v1/sca/events/{eventId}/challenges")
    /// An answer to that challenge.
    public static let scaAttempts = Endpoint(methods: [.post], path: "/v1/sca/events/{eventId}/attempts")
    /// A person's refusal of an operation that they did not start.
    public static let scaRefusal = Endpoint(methods: [.post], path: "/v1/sca/events/{eventId}/refusal")
    /// What waits for the person's approval on this device.
    public static let approvals = Endpoint(methods: [.get], path: "/v1/approvals")
    /// An approval of an operation that another session of the account requested.
    public static let approvalAttempts = Endpoint(methods: [.post], path: "/v1/approvals/{eventId}/attempts")
    /// A refusal of such an operation.
    public static let approvalRefusal = Endpoint(methods: [.post], path: "/v1/approvals/{eventId}/refusal")
    /// The page on which a person agrees in the browser, and its forms.
    public static let consentPage = Endpoint(methods: [.get, .post], path: "/consent")

    /// Transactions: creation by a backend, signing by an app, and lists of both.
    public static let transactions = Endpoint(methods: [.get, .post], path: "/v1/transactions")
    /// A device claims the transaction of a QR code.
    public static let transactionClaim = Endpoint(methods: [.post], path: "/v1/transactions/claim")
    /// An app begins a transaction of its own.
    public static let transactionDrafts = Endpoint(methods: [.post], path: "/v1/transactions/drafts")
    /// One transaction: its state, its cancellation.
    public static let transaction = Endpoint(methods: [.get, .delete], path: "/v1/transactions/{transactionId}")
    /// The person confirms a transaction.
    public static let transactionConfirmation = Endpoint(
        methods: [.post], path: "/v1/transactions/{transactionId}/confirm")
    /// The person rejects a transaction.
    public static let transactionRejection = Endpoint(
        methods: [.post], path: "/v1/transactions/{transactionId}/reject")
    /// The person signs a transaction.
    public static let transactionSignature = Endpoint(methods: [.post], path: "/v1/transactions/{transactionId}/sign")
    /// The proof of a transaction, signed by the server.
    public static let transactionEvidence = Endpoint(
        methods: [.get], path: "/v1/transactions/{transactionId}/evidence")
    /// A transaction's QR code as SVG.
    public static let transactionQRCodeSVG = Endpoint(methods: [.get], path: "/v1/transactions/{transactionId}/qr.svg")
    /// A transaction's QR code as PNG.
    public static let transactionQRCodePNG = Endpoint(methods: [.get], path: "/v1/transactions/{transactionId}/qr.png")
    /// A device claims the sign-in of a page's code.
    public static let scannedSignInClaim = Endpoint(methods: [.post], path: "/v1/sign-ins/claim")
    /// The person chooses the number that the page shows.
    public static let scannedSignInChoice = Endpoint(methods: [.post], path: "/v1/sign-ins/{transactionId}/choice")
    /// The person approves the sign-in with a second factor.
    public static let scannedSignInSignature = Endpoint(methods: [.post], path: "/v1/sign-ins/{transactionId}/sign")
    /// "This is not me", before the signature or after it.
    public static let scannedSignInRefusal = Endpoint(methods: [.post], path: "/v1/sign-ins/{transactionId}/reject")
    /// The page for a transaction's link when no app opens it.
    public static let transactionPage = Endpoint(methods: [.get, .post], path: "/t/{transactionId}")

    /// A description of these endpoints (OpenAPI 3.1).
    public static let openAPI = Endpoint(methods: [.get], path: "/openapi.json")

    /// Answers while the process runs.
    public static let live = Endpoint(methods: [.get], path: "/health/live")
    /// Answers 200 while requests can be served.
    public static let ready = Endpoint(methods: [.get], path: "/health/ready")

    /// All endpoints.
    public static let all: [Endpoint] = [
        oauthMetadata, openIDConfiguration, keys, appleAppSiteAssociation, assetLinks, relatedOrigins, authorize,
        pushedRequests, authorizeChallenge, accounts,
        registrations, registrationConfirmation, registrationPasskey, registrationFinish, appleNotifications,
        loginNonces,
        token, deviceAuthorization, backchannelAuthentication, devicePage, revoke,
        introspect,
        userInfo, endSession, guestToken, loyaltyEnrollment, externalAccounts, oneTimePassword, authenticationDetails,
        signInPage,
        scanPage, scanPageState, providerSignIn,
        challenges, devices, device, devicePush,
        deviceVerification,
        devicePIN, deviceBiometricKey, deviceAuthenticationTokens, currentDeviceAuthenticationToken, pinEvaluation,
        accountFactors, authenticator, authenticatorConfirmation, passkeyOptions, accountPasskeyOptions,
        accountPasskeys,
        accountPasskey, recoveryCodes, secretQuestions,
        accountPassword, accountIdentities, accountIdentity,
        accountEmail, accountEmailConfirmation, accountPhone, accountPhoneConfirmation, accountActivity, accountExport,
        accountClosing, accountKeeping, accountPage, accountExportPage, accountKeepingPage, accountSecurity,
        operatorWelcomePage,
        walletOperations, walletOperation,
        walletOperationConsumption, walletOperationEvidence, scaChallenges, scaAttempts, scaRefusal, approvals,
        approvalAttempts, approvalRefusal, consentPage,
        transactions, transactionClaim, transactionDrafts, transaction, transactionConfirmation, transactionRejection,
        transactionSignature, transactionEvidence, transactionQRCodeSVG, transactionQRCodePNG, transactionPage,
        scannedSignInClaim, scannedSignInChoice, scannedSignInSignature, scannedSignInRefusal,
        openAPI, live, ready,
    ]
}
