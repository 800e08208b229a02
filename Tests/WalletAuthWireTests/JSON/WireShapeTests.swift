import Testing
import WalletAuthWire

@Suite("Shapes of messages") struct WireShapeTests {
    @Test("The shape of a declared message has its members, and fits what is written", arguments: DeclaredMessage.all)
    func declared(message: DeclaredMessage) throws {
        let object = try Sample.json(message.text)
        #expect(message.shape.members.map(\.name) == object.names)
        #expect(message.shape.fault(in: .object(object)) == nil)
    }

    @Test("A message cannot be read without what its shape requires", arguments: DeclaredMessage.all)
    func required(message: DeclaredMessage) throws {
        let object = try Sample.json(message.text)
        for member in message.shape.members where member.isRequired {
            var without = object
            without[member.name] = nil
            #expect(throws: MalformedValue(field: member.name, reason: "is missing")) { try message.recode(without) }
        }
    }

    @Test("The name of a part contains that of its message")
    func partName() {
        func name(_ shape: WireShape) -> String? { if case .object(let object) = shape { object.name } else { nil } }
        #expect(name(SecretQuestionChoice.shape) == "SecretQuestionChoice")
        #expect(name(SecretQuestionChoice.Answer.shape) == "SecretQuestionChoiceAnswer")
        #expect(name(TransactionPage<TransactionReport>.shape) == "TransactionPage<TransactionReport>")
    }

    @Test("The stated shape of a message with a coder of its own fits what that writes", arguments: StatedShape.all)
    func stated(message: StatedShape) throws {
        var written: Set<String> = []
        for text in message.texts {
            let object = try message.recode(Sample.json(text))
            #expect(message.shape.fault(in: .object(object)) == nil, "\(text)")
            written.formUnion(object.names)
        }
        #expect(written == Set(message.shape.members.map(\.name)))
    }

    @Test(
        "The example of a form has the form",
        arguments: [
            TextForm.visible(1...64), .visible(1...4, spaces: true), .identifier(16...64), .printable(1...8), .uuid,
            .sha256,
        ])
    func examples(form: TextForm) throws {
        #expect(form.fault(in: form.example) == nil)
        if let pattern = form.pattern { #expect(try form.example.contains(Regex(pattern))) }
    }

    @Test(
        "The pattern of an identifier is as strict as its rule, and every engine of regular expressions can read it",
        arguments: [".", "..", "...", "....", "a", ".a", "..a", "a.", "a..", "-", "~", "a b", "ä", "a/b"])
    func identifierPattern(text: String) throws {
        let form = TextForm.identifier(1...64)
        let pattern = try #require(form.pattern)
        #expect(!pattern.contains("(?"))
        #expect(try text.contains(Regex(pattern)) == (form.fault(in: text) == nil))
    }
}

/// A message with a coder of its own: samples that have all its members between them.
struct StatedShape: Sendable, CustomTestStringConvertible {
    let shape: WireShape
    let texts: [String]
    /// Reads an object as the message, and writes it again.
    let recode: @Sendable (JSONObject) throws -> JSONObject
    let testDescription: String

    init<Message: WireShaped>(
        _ type: Message.Type, _ texts: [String], _ recode: @escaping @Sendable (JSONObject) throws -> JSONObject
    ) {
        shape = type.shape
        self.texts = texts
        self.recode = recode
        testDescription = "\(type)"
    }

    static let all = operations + devices + transactions + answers

    private static let hash = Base64URL.encode([UInt8](repeating: 7, count: 32))
    private static let account = "0b5ad25f-3dd1-4c4c-9b65-9f6a4f9d3c11"
    private static let event = "0190b3f2-0000-7000-8000-00000000002a"
    private static let payment =
        #""type":"TRANSFER","amount":{"value":"1250","currency":"EUR"},"payee":{"name":"Anna","account":"DE02"}"#

    private static var operations: [StatedShape] {
        [
            StatedShape(
                WalletOperationRequest.self,
                [
                    #"{"walletOperationId":"op-1","accountId":"\#(account)","sessionId":"\#(account)",\#(payment),"#
                        + #""details":{"note":"Rent"},"exemptionGrounds":{"ownAccount":true,"series":"op-0","riskAnalysis":"LOW"}}"#
                ]
            ) { try WalletOperationRequest($0).json },
            StatedShape(
                OperationConsumption.self,
                [#"{"eventId":"\#(event)","accountId":"\#(account)",\#(payment),"details":{"note":"Rent"}}"#]
            ) { try OperationConsumption($0).json },
            StatedShape(
                WalletOperationResponse.self,
                [
                    #"{"walletOperationId":"op-1","status":"SCA_REQUIRED","eventId":"\#(event)","#
                        + #""availableVerifications":[{"method":"PIN","channel":"DEVICE"}],"exemption":"LOW_VALUE","#
                        + #""findings":[{"exemption":"LOW_VALUE","granted":true,"reason":"small"}],"expiresAt":9}"#
                ]
            ) { try WalletOperationResponse($0).json },
            StatedShape(
                SCAChallengeRequest.self,
                [
                    #"{"walletOperationId":"op-1","verification":{"method":"PASSWORD","channel":"REDIRECT"},"#
                        + #""action":{"returnUrl":"com.example.app:/back"}}"#
                ]
            ) { try SCAChallengeRequest($0).json },
            StatedShape(
                SCAAttemptRequest.self,
                [#"{"walletOperationId":"op-1","verification":{"method":"OTP","channel":"SMS"},"value":"123456"}"#]
            ) { try SCAAttemptRequest($0).json },
            StatedShape(SCARefusalRequest.self, [#"{"walletOperationId":"op-1","withdrawn":true}"#]) {
                try SCARefusalRequest($0).json
            },
        ]
    }

    private static var devices: [StatedShape] {
        [
            StatedShape(DeviceVerification.self, [#"{"code":"123456"}"#, #"{"resend":true}"#]) {
                try DeviceVerification($0).json
            },
            StatedShape(
                LoginNonceRequest.self,
                [
                    #"{"accountId":"\#(account)","clientId":"app","purpose":"login","keyThumbprint":"\#(hash)"}"#,
                    #"{"username":"maria","clientId":"app"}"#,
                ]
            ) { try LoginNonceRequest($0).json },
            StatedShape(
                AccountCreationRequest.self,
                [
                    #"{"clientId":"app","codeChallenge":"\#(hash)","authSession":"s","username":"maria","#
                        + #""email":"maria@example.com","locale":"de","acceptedTerms":"2026-01"}"#
                ]
            ) { try AccountCreationRequest($0).json },
            StatedShape(
                AccountFactorList.self,
                [
                    #"{"factors":[{"method":"otp","channel":"SMS","destination":"+49 11"},{"method":"passkey","name":"Key","#
                        + #""createdAt":1,"lastUsedAt":2,"coolingUntil":3}],"recoveryCodes":4,"coolingUntil":5,"#
                        + #""contactCoolingUntil":6}"#
                ]
            ) { try AccountFactorList($0).json },
        ]
    }

    private static var transactions: [StatedShape] {
        [
            StatedShape(
                TransactionRequest.self,
                [
                    #"{"accountId":"\#(account)",\#(payment),"lines":[{"label":"Order","value":"42"}],"data":"AQID","#
                        + #""reference":"order-42","requiredSecondFactorType":"PIN","expiresIn":300}"#
                ]
            ) { try TransactionRequest($0).json },
            StatedShape(
                TransactionDraftResponse.self,
                [
                    #"{"transactionId":"t-1","status":"REJECTED","reason":"OTHER","payload":"AQID","#
                        + #""allowedSecondFactors":["PIN"],"challenge":{"challengeId":"c-1","nonce":"n-1","expiresIn":60},"#
                        + #""expiresAt":100,"draft":"d-1"}"#
                ]
            ) { try TransactionDraftResponse($0).json },
        ]
    }

    private static var answers: [StatedShape] {
        [
            StatedShape(
                Problem.self,
                [
                    #"{"type":"about:blank","title":"Locked","status":423,"code":"pin_locked","detail":"d","statusCode":423,"#
                        + #""traceId":"t","remainingAttempts":2,"lockReason":"RESTORE","refused":true}"#
                ]
            ) { Problem($0).json },
            StatedShape(
                OAuthError.self,
                [
                    #"{"error":"invalid_grant","error_description":"d","error_uri":"https://a.example","#
                        + #""error_code":"pin_locked","status_code":423}"#
                ]
            ) { try OAuthError($0).json },
            StatedShape(
                AuthorizeChallengeResponse.self,
                [#"{"authorization_code":"c","additional_attributes":{"last_login":1}}"#]
            ) { try AuthorizeChallengeResponse($0).json },
            StatedShape(
                TokenResponse.self,
                [
                    #"{"access_token":"a","token_type":"DPoP","expires_in":300,"refresh_token":"r","scope":"openid","#
                        + #""id_token":"i","merchant_id":"m","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","#
                        + #""authorization_details":[{"type":"payment_initiation","creditorName":"Bakery","#
                        + #""instructedAmount":{"currency":"EUR","amount":"1.00"},"#
                        + #""creditorAccount":{"iban":"DE89370400440532013000"}}]}"#
                ]
            ) { try JSONValue.object(parsing: TokenResponse($0).bytes) },
        ]
    }
}

extension WireShape {
    /// What keeps a value from having the shape; nil if it has it.
    fileprivate func fault(in value: JSONValue) -> String? {
        switch (self, value) {
        case (.text(let form), .string(let text)):
            if let form, !form.length.contains(text.utf8.count) { return "\(text) is too short or too long" }
            guard let pattern = form?.pattern else { return nil }
            return (try? text.contains(Regex(pattern))) == true ? nil : "\(text) does not match \(pattern)"
        case (.choice(let names), .string(let text)): return names.contains(text) ? nil : "\(text) is none of \(names)"
        case (.integer(let range), .integer(let number)):
            return range?.contains(number) == false ? "\(number) is out of range" : nil
        case (.truth, .bool), (.date, .integer), (.anything, _): return nil
        case (.bytes(let length), .string(let text)):
            guard let bytes = Base64URL.decode(text) else { return "\(text) is not base64url" }
            return length?.contains(bytes.count) == false ? "\(text) is too short or too long" : nil
        case (.array(let element, let maximum), .array(let values)):
            if let maximum, values.count > maximum { return "too many values" }
            return values.lazy.compactMap { element.fault(in: $0) }.first
        case (.names(let element, let maximum), .object(let object)):
            if let maximum, object.members.count > maximum { return "too many members" }
            return object.members.lazy.compactMap { element.fault(in: $0.value) }.first
        case (.either(let shapes), _): return shapes.contains { $0.fault(in: value) == nil } ? nil : "no shape fits"
        case (.object(let shape), .object(let object)):
            for member in shape.members {
                guard let value = object[member.name] else {
                    if member.isRequired { return "\(member.name) is missing" }
                    continue
                }
                if let fault = member.shape.fault(in: value) { return "\(member.name): \(fault)" }
            }
            let known = Set(shape.members.map(\.name))
            return shape.isOpen ? nil : object.names.first { !known.contains($0) }.map { "\($0) is unknown" }
        default: return "\(value) has another type than \(self)"
        }
    }
}
