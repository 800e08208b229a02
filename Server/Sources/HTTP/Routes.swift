import Consent
import Hummingbird
import SignIn
import Transactions
import WalletAuthWire

/// The route table: method, path, body, error format, allowed origins, caller and handler of every route.
struct Routes: Sendable {
    let issuer: Issuer
    let metadata: MetadataEndpoints
    let authorize: AuthorizeEndpoint
    let authenticationDetails: AuthenticationDetailsEndpoint
    let authorizeChallenge: AuthorizeChallengeEndpoint
    let accountCreation: AccountCreationEndpoint
    let appleNotifications: AppleNotificationEndpoint
    let loginNonces: LoginNonceEndpoint
    let token: TokenEndpoint
    let revocation: RevocationEndpoint
    let introspection: IntrospectionEndpoint
    let userInfo: UserInfoEndpoint
    let devices: DeviceEndpoints
    let factors: AccountFactorEndpoints
    let identities: AccountIdentityEndpoints
    let providerReturn: ProviderReturnEndpoint
    let accountPage: AccountPageEndpoint
    let pins: PINEndpoints
    let deviceTokens: DeviceTokenEndpoints
    let walletOperations: WalletOperationEndpoints
    let scaEvents: SCAEventEndpoints
    let consentPage: ConsentPageEndpoint
    let loyalty: LoyaltyEndpoints
    let transactions: BackendTransactionEndpoints
    let transactionPage: TransactionPageEndpoint
    let deviceTransactions: DeviceTransactionEndpoints
    let health: HealthEndpoints
    let pages: PageEndpoints

    /// Every route. The groups are separate because the compiler type-checks each literal as a whole.
    var table: [Route] {
        [
            discoveryRoutes, signInRoutes, tokenRoutes, deviceRoutes, accountRoutes, consentRoutes, transactionRoutes,
            loyaltyRoutes, otherRoutes,
        ].flatMap(\.self)
    }

    private var discoveryRoutes: [Route] {
        metadataPaths.map { Route(.get, $0, .problem, from: .any, metadata.document) } + [
            Route(.get, Endpoints.keys.path, .plain, from: .any, metadata.keys),
            Route(.get, Endpoints.appleAppSiteAssociation.path, .plain, metadata.associatedApps),
        ]
    }

    private var signInRoutes: [Route] {
        [
            Route(.get, Endpoints.authorize.path, .page, authorize.get),
            Route(.post, Endpoints.authorize.path, body: .form, .page, authorize.post),
            Route(.post, Endpoints.signInPage.path, body: .form, .page, authorize.signIn),
            Route(.get, Endpoints.providerSignIn.path, .page, providerReturn.get),
            Route(.post, Endpoints.providerSignIn.path, body: .form, .page, providerReturn.post),
            Route(
                .post, Endpoints.authenticationDetails.path, body: .json, .problem, authenticationDetails.post),
            Route(.post, Endpoints.authorizeChallenge.path, body: .form, .oauth, authorizeChallenge.post),
            Route(.post, Endpoints.accounts.path, body: .json, .oauth, accountCreation.post),
            Route(.post, Endpoints.appleNotifications.path, body: .json, .problem, appleNotifications.post),
            Route(
                .post, Endpoints.loginNonces.path, body: .json, .problem, by: .backend(LoginNonceIssuer.scope),
                loginNonces.post),
        ]
    }

    private var tokenRoutes: [Route] {
        [
            Route(.post, Endpoints.token.path, body: .form, .oauth, from: .any, token.post),
            Route(.post, Endpoints.revoke.path, body: .form, .oauth, from: .any, revocation.post),
            Route(.post, Endpoints.introspect.path, body: .form, .oauth, introspection.post),
            Route(.get, Endpoints.userInfo.path, .resource, from: .any, userInfo.answer),
            Route(.post, Endpoints.userInfo.path, body: .formOrNothing, .resource, from: .any, userInfo.answer),
        ]
    }

    private var deviceRoutes: [Route] {
        [
            Route(.post, Endpoints.challenges.path, body: .json, .problem, by: .challenge, devices.challenge),
            Route(.get, Endpoints.devices.path, .problem, by: .app, devices.list),
            Route(.post, Endpoints.devices.path, body: .json, .problem, by: .app, devices.enroll),
            Route(.patch, Endpoints.device.path, body: .json, .problem, by: .app, devices.rename),
            Route(.delete, Endpoints.device.path, .problem, by: .app, devices.remove),
            Route(.put, Endpoints.devicePush.path, body: .json, .problem, by: .app, devices.setPushAddress),
            Route(.delete, Endpoints.devicePush.path, .problem, by: .app, devices.removePushAddress),
            Route(.put, Endpoints.devicePIN.path, body: .json, .problem, by: .app, pins.set),
            Route(.delete, Endpoints.devicePIN.path, .problem, by: .app, pins.forget),
            Route(.put, Endpoints.deviceBiometricKey.path, body: .json, .problem, by: .app, pins.setBiometricKey),
            Route(.delete, Endpoints.deviceBiometricKey.path, .problem, by: .app, pins.removeBiometricKey),
            Route(
                .post, Endpoints.deviceAuthenticationTokens.path, body: .json, .problem, by: .app, deviceTokens.issue),
            Route(.get, Endpoints.currentDeviceAuthenticationToken.path, .problem, by: .app, deviceTokens.show),
            Route(
                .put, Endpoints.currentDeviceAuthenticationToken.path, body: .json, .problem, by: .app,
                deviceTokens.decline),
            Route(.delete, Endpoints.currentDeviceAuthenticationToken.path, .problem, by: .app, deviceTokens.expire),
            Route(
                .post, Endpoints.pinEvaluation.path, body: .json, .problem,
                by: .device(PINEvaluationRequest.self, at: Endpoints.pinEvaluation), pins.evaluate),
            Route(.post, Endpoints.deviceVerification.path, body: .json, .problem, by: .app, devices.verify),
        ]
    }

    private var accountRoutes: [Route] {
        [
            Route(.get, Endpoints.accountFactors.path, .problem, by: .app, factors.list),
            Route(.post, Endpoints.authenticator.path, .problem, by: .app, factors.beginAuthenticator),
            Route(.delete, Endpoints.authenticator.path, .problem, by: .app, factors.removeAuthenticator),
            Route(
                .post, Endpoints.authenticatorConfirmation.path, body: .json, .problem, by: .app,
                factors.confirmAuthenticator),
            Route(.post, Endpoints.recoveryCodes.path, .problem, by: .app, factors.makeRecoveryCodes),
            Route(.get, Endpoints.secretQuestions.path, .problem, by: .app, factors.secretQuestions),
            Route(.put, Endpoints.secretQuestions.path, body: .json, .problem, by: .app, factors.setSecretQuestions),
            Route(.put, Endpoints.accountPassword.path, body: .json, .problem, by: .app, factors.changePassword),
            Route(.get, Endpoints.accountIdentities.path, .problem, by: .app, identities.list),
            Route(.put, Endpoints.accountIdentities.path, body: .json, .problem, by: .app, identities.join),
            Route(.delete, Endpoints.accountIdentity.path, .problem, by: .app, identities.leave),

            Route(.get, Endpoints.accountSecurity.path, .page, accountPage.get),
            Route(.post, Endpoints.accountSecurity.path, body: .form, .page, accountPage.post),
        ]
    }

    private var consentRoutes: [Route] {
        [
            Route(
                .post, Endpoints.walletOperations.path, body: .json, .problem,
                by: .backend(RequestedOperations.scope), walletOperations.create),
            Route(
                .get, Endpoints.walletOperation.path, .problem, by: .backend(RequestedOperations.scope),
                walletOperations.show),
            Route(
                .delete, Endpoints.walletOperation.path, .problem, by: .backend(RequestedOperations.scope),
                walletOperations.cancel),
            Route(
                .post, Endpoints.walletOperationConsumption.path, body: .json, .problem,
                by: .backend(RequestedOperations.scope), walletOperations.consume),
            Route(
                .get, Endpoints.walletOperationEvidence.path, .problem, by: .backend(RequestedOperations.scope),
                walletOperations.evidence),
            Route(
                .post, Endpoints.scaChallenges.path, body: .json, .problem,
                by: .consentingApp(SCAChallengeRequest.self),
                scaEvents.challenge),
            Route(
                .post, Endpoints.scaAttempts.path, body: .json, .problem, by: .consentingApp(SCAAttemptRequest.self),
                scaEvents.attempt),
            Route(.get, Endpoints.consentPage.path, .page, consentPage.get),
            Route(.post, Endpoints.consentPage.path, body: .form, .page, consentPage.post),
        ]
    }

    private var transactionRoutes: [Route] {
        [
            Route(
                .get, Endpoints.transactions.path, .problem, by: .transactionReader,
                transactions.list),
            Route(
                .post, Endpoints.transactions.path, body: .json, .problem, by: .transactionAuthor,
                transactions.create),
            Route(
                .get, Endpoints.transaction.path, .problem, by: .backend(BackendTransactions.scope), transactions.show
            ),
            Route(
                .delete, Endpoints.transaction.path, .problem, by: .backend(BackendTransactions.scope),
                transactions.cancel),
            Route(
                .get, Endpoints.transactionEvidence.path, .problem, gives: TransactionEvidence.mediaType,
                by: .backend(BackendTransactions.scope),
                transactions.evidence),
            Route(
                .get, Endpoints.transactionQRCodeSVG.path, .problem, gives: "image/svg+xml",
                by: .backend(BackendTransactions.scope), transactions.svg),
            Route(
                .get, Endpoints.transactionQRCodePNG.path, .problem, gives: "image/png",
                by: .backend(BackendTransactions.scope), transactions.png),
            Route(.get, Endpoints.transactionPage.path, .page, transactionPage.get),
            Route(
                .post, Endpoints.transactionClaim.path, body: .json, .problem,
                by: .device(TransactionClaim.self, at: Endpoints.transactionClaim), deviceTransactions.claim),
            Route(
                .post, Endpoints.transactionDrafts.path, body: .json, .problem,
                by: .device(TransactionDraftRequest.self, at: Endpoints.transactionDrafts), deviceTransactions.begin),
            Route(
                .post, Endpoints.transactionConfirmation.path, body: .json, .problem,
                by: .device(TransactionConfirmation.self, at: Endpoints.transactionConfirmation),
                deviceTransactions.confirm),
            Route(
                .post, Endpoints.transactionRejection.path, body: .json, .problem,
                by: .device(TransactionRejection.self, at: Endpoints.transactionRejection), deviceTransactions.reject),
            Route(.post, Endpoints.transactionSignature.path, body: .json, .problem, deviceTransactions.sign),
        ]
    }

    private var loyaltyRoutes: [Route] {
        [
            Route(.post, Endpoints.guestToken.path, body: .json, .loyalty, loyalty.requestGuestToken),
            Route(.post, Endpoints.loyaltyEnrollment.path, body: .json, .loyalty, loyalty.createAndRegister),
            Route(.post, Endpoints.externalAccounts.path, body: .json, .loyalty, loyalty.editExternalAccounts),
            Route(.post, Endpoints.oneTimePassword.path, body: .formOrIgnored, .loyalty, loyalty.sendOneTimePassword),
        ]
    }

    private var otherRoutes: [Route] {
        [
            Route(.get, Endpoints.live.path, .plain, health.live),
            Route(.get, Endpoints.ready.path, .plain, health.ready),

            Route(.get, "/assets/{name}", .plain, pages.asset),
            Route(.get, PageEndpoints.outboxPath, .page, pages.outbox),
        ]
    }

    /// The paths of the metadata. RFC 8414 §3.1 puts the path of an issuer after the well-known part.
    private var metadataPaths: Set<String> {
        [
            Endpoints.openIDConfiguration.path, Endpoints.oauthMetadata.path,
            Endpoints.oauthMetadata.path + issuer.pathPrefix,
        ]
    }
}
