package import Kernel
package import Web

/// What the features of this target add to the server.
package enum SignInFeatures {
    package static let events: [any SecurityEventKind] = {
        let features: [[any SecurityEventKind]] = [
            AccountEvent.allCases, AccountSessionEvent.allCases, AccountPINEvent.allCases, ClientConsentEvent.allCases,
            ApprovalEvent.allCases, DeviceEvent.allCases,
            DeviceTokenEvent.allCases, FactorEvent.allCases, IdentityEvent.allCases, LoginEvent.allCases,
            PasskeyEvent.allCases, PINEvent.allCases, RecoveryEvent.allCases, RegistrationEvent.allCases,
            ScanSignInEvent.allCases, DeviceGrantEvent.allCases, BackchannelEvent.allCases,
        ]
        return features.flatMap(\.self)
    }()

    package static let messages: [any SecurityMessageKind] = {
        let features: [[any SecurityMessageKind]] = [
            AccountMessage.allCases, AccountSessionMessage.allCases, AccountPINMessage.Kind.allCases,
            ApprovalMessage.Kind.allCases, ContactMessage.Kind.allCases, OwnAccountMessage.Kind.allCases,
            DeviceMessage.Kind.allCases, DeviceTokenMessage.Kind.allCases, FactorMessage.Kind.allCases,
            IdentityMessage.Kind.allCases, LoginMessage.Kind.allCases, PasskeyMessage.Kind.allCases,
            PINMessage.Kind.allCases, RecoveryMessage.Kind.allCases, RegistrationMessage.Kind.allCases,
            ScanSignInMessage.Kind.allCases,
        ]
        return features.flatMap(\.self)
    }()

    package static let pages: [any PageValues.Type] = [
        SignInValues.self, AccountValues.self, LogoutValues.self, DeviceValues.self,
    ]

    package static let pieces: [PageTemplate] = [
        .newPasswordFields, .payment, .passwordPage, .pinPage, .providers, .providersFirst, .providerButtons,
        .newAccount,
        .clientConsent, .confirmation, .scopes, .destination, .clientAccess, .clientAccessPage,
        .ownAccountForm, .ownAccountFields, .ownAccountExport, .ownAccountClosed,
        .passkeyUse, .passkeyPage, .passkeyScript, .scan, .registrationAddress, .registrationAccount,
        .registrationPasskey,
    ]

    package static func routes(_ edge: Edge, _ flows: SignInFlows) -> [Route] {
        let authorize = AuthorizeEndpoint(edge, flows.authorization)
        let pins = PINAnswers(edge)
        let factors = AccountFactorAnswers(faults: edge.faults)
        let groups = [
            authorize.routes, PushedRequestEndpoint(pushing: flows.pushing, proofs: edge.proofs).routes,
            ScanSignInEndpoint(authorize: authorize).routes,
            ProviderReturnEndpoint(authorize: authorize).routes,
            AuthenticationDetailsEndpoint(details: flows.authorization.details, faults: edge.faults).routes,
            AuthorizeChallengeEndpoint(signIn: flows.native, proofs: edge.proofs).routes,
            AccountCreationEndpoint(signIn: flows.native, proofs: edge.proofs).routes,
            RegistrationEndpoints(signIn: flows.native, proofs: edge.proofs, faults: edge.faults).routes,
            LoginNonceEndpoint(nonces: flows.loginNonces, faults: edge.faults).routes,
            DeviceEndpoints(devices: flows.devices, issuer: edge.pages.issuer, answers: pins.devices).routes,
            PINEndpoints(pins: flows.pins, biometrics: flows.biometrics, answers: pins).routes,
            DeviceTokenEndpoints(tokens: flows.deviceTokens, devices: pins.devices).routes,
            AccountFactorEndpoints(security: flows.security, answers: factors).routes,
            PasskeyEndpoints(
                signIn: flows.native, passkeys: flows.security.passkeys, proofs: edge.proofs,
                answers: PasskeyAnswers(factors: factors)
            ).routes,
            OwnAccountEndpoints(account: flows.ownAccount, answers: OwnAccountAnswers(edge)).routes,
            AccountIdentityEndpoints(identities: flows.federation.identities, answers: factors).routes,
            DevicePageEndpoint(devicePages: flows.devicePages, authorize: authorize).routes,
            AccountPageEndpoint(accountPages: flows.accountPages, authorize: authorize).routes,
            LogoutEndpoint(logout: flows.logout, authorize: authorize).routes,
        ]
        return groups.flatMap(\.self)
    }
}
