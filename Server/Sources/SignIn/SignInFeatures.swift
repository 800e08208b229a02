package import Kernel
package import Web

/// What the features of this target add to the server.
package enum SignInFeatures: Feature {
    package static let events: [any SecurityEventKind] = {
        let features: [[any SecurityEventKind]] = [
            AccountEvent.allCases, AccountPINEvent.allCases, ClientConsentEvent.allCases, DeviceEvent.allCases,
            DeviceTokenEvent.allCases, FactorEvent.allCases, IdentityEvent.allCases, LoginEvent.allCases,
            PasskeyEvent.allCases, PINEvent.allCases, RecoveryEvent.allCases,
        ]
        return features.flatMap(\.self)
    }()

    package static let messages: [any SecurityMessageKind] = {
        let features: [[any SecurityMessageKind]] = [
            AccountMessage.allCases, AccountPINMessage.Kind.allCases, ContactMessage.Kind.allCases,
            DeviceMessage.Kind.allCases, DeviceTokenMessage.Kind.allCases, FactorMessage.Kind.allCases,
            IdentityMessage.Kind.allCases, LoginMessage.Kind.allCases, PasskeyMessage.Kind.allCases,
            PINMessage.Kind.allCases, RecoveryMessage.Kind.allCases,
        ]
        return features.flatMap(\.self)
    }()

    package static let pages: [any PageValues.Type] = [SignInValues.self, AccountValues.self]

    package static let pieces: [PageTemplate] = [
        .pinPage, .providers, .newAccount, .clientConsent, .confirmation, .destination, .clientAccess,
        .clientAccessPage, .passkeyUse, .passkeyPage, .passkeyScript,
    ]

    /// - Parameter transactions: what a PIN is evaluated for, besides the acts of this target.
    package static func routes(_ edge: Edge, transactions: any PINSubject) -> [Route] {
        let (context, proofs) = (edge.context, edge.proofs)
        let authorize = AuthorizeEndpoint(edge)
        let native = NativeSignIn(context: context)
        let pins = PINAnswers(edge)
        let factors = AccountFactorAnswers(faults: edge.faults)
        let groups = [
            authorize.routes,
            ProviderReturnEndpoint(authorize: authorize).routes,
            AuthenticationDetailsEndpoint(authorization: authorize.authorization, faults: edge.faults).routes,
            AuthorizeChallengeEndpoint(signIn: native, proofs: proofs).routes,
            AccountCreationEndpoint(signIn: native, proofs: proofs).routes,
            LoginNonceEndpoint(nonces: LoginNonceIssuer(context: context), faults: edge.faults).routes,
            DeviceEndpoints(
                devices: EnrolledDevices(context: context), issuer: context.settings.issuer, answers: pins.devices
            ).routes,
            PINEndpoints(
                pins: DevicePINs(context: context),
                evaluation: PINEvaluation(context: context, transactions: transactions),
                biometrics: DeviceBiometrics(context: context), answers: pins
            ).routes,
            DeviceTokenEndpoints(tokens: DeviceAuthenticationTokens(context: context), devices: pins.devices).routes,
            AccountFactorEndpoints(security: AccountSecurity(context: context), answers: factors).routes,
            AccountIdentityEndpoints(identities: AccountIdentities(context: context), answers: factors).routes,
            AccountPageEndpoint(accountPages: AccountPages(context: context), authorize: authorize).routes,
        ]
        return groups.flatMap(\.self)
    }
}
