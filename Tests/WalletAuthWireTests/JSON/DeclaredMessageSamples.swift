import Testing
import WalletAuthWire

/// A declared message with all its members, as on the wire.
struct DeclaredMessage: Sendable, CustomTestStringConvertible {
    let text: String
    let isRequest: Bool
    let shape: WireShape
    /// Reads an object as the message, and writes it again.
    let recode: @Sendable (JSONObject) throws(MalformedValue) -> JSONObject
    let testDescription: String

    init<Message: WireMessage>(_ type: Message.Type, _ text: String) {
        self.text = text
        isRequest = type is any WireRequest.Type
        shape = type.shape
        recode = { (object) throws(MalformedValue) in try Message(object).json }
        testDescription = "\(type)"
    }

    static let all = devices + factors + signIns + consents + transactions + approvals

    private static let hash = Base64URL.encode([UInt8](repeating: 7, count: 32))
    private static let account = "0b5ad25f-3dd1-4c4c-9b65-9f6a4f9d3c11"
    private static let challenge = #"{"challengeId":"c-1","nonce":"n-1","expiresIn":60}"#

    /// RFC 7515 appendix A.3.
    private static let key = """
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """

    private static let device = """
        {"deviceId":"d-1","name":"Phone","platform":"ios/18","state":"active","current":true,\
        "awaitsVerification":false,"pin":true,"biometricKey":false,"push":true,"createdAt":1,"coolingUntil":2,\
        "lastUsedAt":3}
        """

    private static let attested = """
        {"platform":"android","environment":"production","app":"com.example.wallet","keyLevel":"strongbox",\
        "attestedAt":3}
        """
    private static let appAttest = #"{"format":"apple-appattest-assertion","object":"AQID"}"#
    private static let keyAttestation = #"{"format":"android-key","certificates":["AQID","BAUG"]}"#

    private static var devices: [DeclaredMessage] {
        [
            DeclaredMessage(
                BiometricKeyRequest.self, #"{"publicKey":\#(key),"pinAssertion":"a.b.c","attestation":\#(appAttest)}"#),
            DeclaredMessage(ChallengeRequest.self, #"{"purpose":"device-token","deviceId":"d-1"}"#),
            DeclaredMessage(ChallengeResponse.self, challenge),
            DeclaredMessage(DeviceRenaming.self, #"{"name":"Phone"}"#),
            DeclaredMessage(
                PushAddress.self,
                #"{"token":"\#(String(repeating: "c0de", count: 16))","environment":"sandbox","service":"fcm"}"#),
            DeclaredMessage(
                DeviceEnrollmentRequest.self,
                #"{"name":"Phone","platform":"ios/18","deviceKey":\#(key),"challengeId":"c-1","proof":"a.b.c","#
                    + #""attestation":\#(keyAttestation)}"#),
            DeclaredMessage(EnrolledDevice.self, device),
            DeclaredMessage(EnrolledDeviceList.self, #"{"devices":[\#(device),\#(device)]}"#),
            DeclaredMessage(PINSettingRequest.self, #"{"publicKey":\#(key),"assertion":"a.b.c"}"#),
            DeclaredMessage(PINSettingResponse.self, #"{"epoch":3}"#),
            DeclaredMessage(
                DeviceTokenRequest.self,
                #"{"deviceId":"d-1","challengeId":"c-1","username":"anna","password":"pass word"}"#),
            DeclaredMessage(DeviceTokenResponse.self, #"{"deviceToken":"\#(hash)","expiresIn":3}"#),
            DeclaredMessage(DeviceTokenConsent.self, #"{"consent":"active","expiresIn":3}"#),
            DeclaredMessage(
                OperationEvidenceClaims.Device.self,
                #"{"id":"d-1","key":\#(key),"signature":"a.b.c","attestation":\#(attested),"biometricKey":"app"}"#),
            DeclaredMessage(AppAttestation.self, attested),
            DeclaredMessage(
                OperationEvidenceClaims.Circumstances.self,
                #"{"address":"192.0.2.1","userAgent":"Shop/1","traceId":"t"}"#),
            DeclaredMessage(OperationEvidenceClaims.Place.self, #"{"partition":3,"seq":17,"link":"BwcH"}"#),
        ]
    }

    private static var factors: [DeclaredMessage] {
        [
            DeclaredMessage(
                AuthenticatorSetup.self,
                #"{"secret":"ABCDEFGHIJKLMNOP","otpauthUri":"otpauth://totp/x","expiresIn":9}"#),
            DeclaredMessage(AuthenticatorConfirmation.self, #"{"code":"123456"}"#),
            DeclaredMessage(RecoveryCodeSet.self, #"{"codes":["abcd-efgh","ijkl-mnop"]}"#),
            DeclaredMessage(
                SecretQuestionCatalog.self,
                #"{"questions":[{"id":"pet","text":"Your first pet?","chosen":true}],"least":1,"most":3}"#),
            DeclaredMessage(SecretQuestionChoice.self, #"{"answers":[{"question":"pet","answer":"Rex the dog"}]}"#),
            DeclaredMessage(PasswordChangeRequest.self, #"{"currentPassword":"old one","newPassword":"new one"}"#),
        ]
    }

    private static var signIns: [DeclaredMessage] {
        [
            DeclaredMessage(CodeSending.self, #"{"sent":true,"resend_after":30}"#),
            DeclaredMessage(Merchant.self, #"{"id":"m-1","name":"Bakery"}"#),
            DeclaredMessage(RecoveryPrompt.self, #"{"digits":6,"resend_after":30,"expires_in":600,"sent":true}"#),
            DeclaredMessage(
                JoinedIdentityList.self,
                #"{"identities":[{"identityId":"\#(hash)","provider":"apple","joinedAt":3}]}"#),
            DeclaredMessage(IdentityJoining.self, #"{"authSession":"abc"}"#),
            DeclaredMessage(LoginNonceResponse.self, #"{"nonce":"\#(hash)","expiresIn":3}"#),
            DeclaredMessage(
                AuthenticationDetailsResponse.self, #"{"authenticationUrl":"https://a.example/x","expiresIn":3}"#),
            DeclaredMessage(
                AuthenticationDetailsRequest.self,
                """
                {"clientId":"app","codeChallenge":"\(hash)","codeChallengeMethod":"S256",\
                "resetCredentialsUrl":"https://a.example/x","state":"st","redirectUri":"com.example.app:/cb","locale":"de",\
                "loginHint":"anna","loginStrategy":"PIN","scope":"openid","nonce":"n-1"}
                """),
            DeclaredMessage(
                InsufficientAuthorization.SecondFactor.self,
                """
                {"token":"t","method":"otp","question":"Your first pet?","channel":"SMS","destination":"+49 ••• 11",\
                "resend_after":30,"code_sent":false,"sent":true,\
                "alternatives":[{"method":"otp","channel":"EMAIL","destination":"a…@b.c"}]}
                """),
        ]
    }

    private static let event = "0190b3f2-0000-7000-8000-00000000002a"
    private static let way = #"{"method":"OTP","channel":"SMS","destination":"+49 ••• 11"}"#

    private static var consents: [DeclaredMessage] {
        [
            DeclaredMessage(SCADetails.self, #"{"eventId":"\#(event)","walletOperationId":"op-1"}"#),
            DeclaredMessage(AvailableVerification.self, way),
            DeclaredMessage(OperationAuthorization.self, #"{"status":"AUTHORIZED","authenticationCode":"a.b.c"}"#),
            DeclaredMessage(
                SCAChallengeResponse.self,
                """
                {"eventId":"\(event)","walletOperationId":"op-1","verification":{"method":"OTP","channel":"SMS"},\
                "destination":"+49 ••• 11","expiresAt":100,"resendAfter":30,"sent":true,"redirectUrl":"https://a.example/x",\
                "operation":"AQID",\
                "passkey":{"challenge":"AQID","timeout":1,"rpId":"a.example","userVerification":"required"},\
                "challengeId":"c-1","nonce":"n-1"}
                """),
            DeclaredMessage(
                SCAAttemptResponse.self,
                """
                {"status":"FAILED","statusReason":"ADDITIONAL_FACTOR_REQUIRED","remainingAttempts":4,\
                "availableVerifications":[\(way)]}
                """),
            DeclaredMessage(
                PasskeySignature.self,
                """
                {"credentialId":"AAAAAAAAAAAAAAAAAAAAAA","publicKey":"AQ","rpId":"a.example","origin":"https://a.example",\
                "browser":"\(hash)","clientDataJSON":"AQ","authenticatorData":"AQ","signature":"AQ"}
                """),
        ]
    }

    private static let transaction = """
        {"transactionId":"t-1","status":"REJECTED","reason":"OTHER","payload":"AQID",\
        "allowedSecondFactors":["PIN","BIOMETRIC"],"challenge":\(challenge),"expiresAt":100}
        """

    private static let approval = """
        {"kind":"transaction","id":"t-1","expiresAt":100,"qrData":"q","transaction":\(transaction),"walletOperationId":"op-1",\
        "operation":"AQID","requestedBy":\(requester),"allowedSecondFactors":["PIN"],"challenge":\(challenge)}
        """
    private static let requester = #"{"service":"Shop","device":"Tablet","browser":"Firefox","system":"Windows"}"#

    private static var approvals: [DeclaredMessage] {
        [
            DeclaredMessage(ApprovalEntry.self, approval),
            DeclaredMessage(ApprovalRequester.self, requester),
            DeclaredMessage(ApprovalPage.self, #"{"approvals":[\#(approval)],"cursor":"t-9"}"#),
            DeclaredMessage(ApprovalAttempt.self, #"{"walletOperationId":"op-1","jws":"a.b.c"}"#),
            DeclaredMessage(ApprovalHint.self, #"{"kind":"operation","id":"t-1"}"#),
        ]
    }

    private static let report = """
        {"transactionId":"t-1","origin":"server","clientId":"shop","status":"CANCELLED","reason":"OTHER",\
        "cancellation":"RESTORE","accountId":"\(account)","deviceId":"d-1","secondFactor":"PIN","reference":"r",\
        "payload":"AQID","jws":"a.b.c","data":"AQIE","clientState":"AQIF","clientAdditionalData":"AQIG",\
        "createdAt":10,"expiresAt":100,"endedAt":50}
        """

    private static var transactions: [DeclaredMessage] {
        [
            DeclaredMessage(DeviceTransaction.self, transaction),
            DeclaredMessage(TransactionConfirmation.self, #"{"deviceId":"d-1","payloadHash":"\#(hash)"}"#),
            DeclaredMessage(
                TransactionRejection.self, #"{"deviceId":"d-1","payloadHash":"\#(hash)","reason":"OTHER"}"#),
            DeclaredMessage(TransactionSignature.self, #"{"jws":"a.b.c"}"#),
            DeclaredMessage(
                TransactionDraftRequest.self,
                """
                {"deviceId":"d-1","clientState":"AQIF","clientAdditionalData":"AQIG","requiredSecondFactorType":"ANY"}
                """),
            DeclaredMessage(SignedDraft.self, #"{"draft":"dr","jws":"a.b.c"}"#),
            DeclaredMessage(TransactionReport.self, report),
            DeclaredMessage(
                TransactionPage<TransactionReport>.self, #"{"transactions":[\#(report)],"cursor":"t-9"}"#),
            DeclaredMessage(
                TransactionPage<DeviceTransaction>.self, #"{"transactions":[\#(transaction)],"cursor":"t-9"}"#),
            DeclaredMessage(
                TransactionEvidenceClaims.Step.self,
                """
                {"status":"SIGNED","at":1750000000000,"from":{"address":"192.0.2.1"},\
                "audit":{"partition":3,"seq":17,"link":"BwcH"}}
                """),
        ]
    }
}
