/// A request for the server's share of a PIN key (`POST /v1/pin/evaluate`), signed by the device: see
/// ``DeviceRequestSignature``.
public struct PINEvaluationRequest: Hashable, Sendable {
    /// The enrollment whose PIN is meant.
    public var deviceID: DeviceID
    /// The inputs to evaluate, and their purpose.
    public var ask: Ask
    /// The draft, if the act signs a transaction that the app began; the server has stored nothing of it.
    public var draft: TransactionDraft?

    /// The inputs to evaluate, and their purpose.
    public enum Ask: Hashable, Sendable {
        /// The current PIN, for an act. Costs a try.
        case use(PINUse, PresentPIN)
        /// A first PIN, or one that replaces a forgotten one. Costs nothing, because it can confirm nothing.
        case enroll(new: VOPRFElement)
        /// The current PIN, which costs a try, and the one that replaces it.
        case change(PresentPIN, new: VOPRFElement)
    }

    /// The blinded input of the current PIN.
    public struct PresentPIN: WireMessage {
        /// The epoch that the device considers current.
        public var epoch: PINEpoch
        /// The blinded input.
        public var blinded: VOPRFElement

        /// Creates an input.
        /// - Parameters:
        ///   - epoch: the epoch that the device considers current.
        ///   - blinded: the blinded input.
        public init(epoch: PINEpoch, blinded: VOPRFElement) {
            self.epoch = epoch
            self.blinded = blinded
        }
    }

    /// Creates a request.
    /// - Parameters:
    ///   - deviceID: the enrollment whose PIN is meant.
    ///   - ask: the inputs to evaluate, and their purpose.
    ///   - draft: the draft, if the act signs a transaction that the app began.
    public init(deviceID: DeviceID, ask: Ask, draft: TransactionDraft? = nil) {
        self.deviceID = deviceID
        self.ask = ask
        self.draft = draft
    }

    /// The request in a form that a server may store: nothing of an app's transaction is stored before it is signed.
    public var withoutDraft: PINEvaluationRequest { PINEvaluationRequest(deviceID: deviceID, ask: ask) }
}

/// The act that the current PIN will sign. A rejection takes no second factor, and so no PIN.
public struct PINUse: Hashable, Sendable {
    /// The act; never `enroll`, `pin-change` or `reject`.
    public let act: DeviceAssertion.Act

    /// Creates a use.
    /// - Parameter act: any act except setting and changing the PIN and rejecting.
    /// - Throws: ``MalformedValue`` for those three.
    public init(_ act: DeviceAssertion.Act) throws(MalformedValue) {
        switch act {
        case .login, .sca, .transaction, .biometric: self.act = act
        case .enroll, .pinChange:
            throw MalformedValue(field: "purpose", reason: "is about the PIN itself")
        case .reject: throw MalformedValue(field: "purpose", reason: "takes no PIN")
        }
    }
}

extension PINEvaluationRequest {
    /// Reads a request.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        deviceID = try object.required("enrollmentId", object.value("enrollmentId"))
        let purpose: AssertionPurpose = try object.required("purpose", object.named("purpose"))
        if purpose != .transaction { try Self.refuse(["draft"], in: object) }
        draft = try object.secret("draft")
        switch purpose {
        case .enroll:
            try Self.refuse(["transactionId", "payloadHash", "epoch", "blinded"], in: object)
            ask = .enroll(new: try object.required("newBlinded", object.value("newBlinded")))
        case .pinChange:
            try Self.refuse(["transactionId", "payloadHash"], in: object)
            ask = .change(
                try PresentPIN(object), new: try object.required("newBlinded", object.value("newBlinded")))
        case .login, .sca, .transaction, .reject, .biometric:
            try Self.refuse(["newBlinded"], in: object)
            let hash: PayloadHash = try object.required("payloadHash", object.value("payloadHash"))
            guard
                let act = DeviceAssertion.Act(
                    purpose, transactionID: try object.value("transactionId"), payloadHash: hash)
            else { throw MalformedValue(field: "transactionId", reason: "is missing or does not fit the purpose") }
            ask = .use(try PINUse(act), try PresentPIN(object))
        }
    }

    private static func refuse(_ names: [String], in object: JSONObject) throws(MalformedValue) {
        // As everywhere, `null` counts as absent.
        for name in names where object[name] != nil && object[name] != .null {
            throw MalformedValue(field: name, reason: "does not fit the purpose")
        }
    }

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("enrollmentId", deviceID)
        object.set("purpose", ask.purpose.rawValue)
        switch ask {
        case .use(let use, let present):
            object.set("transactionId", use.act.transactionID)
            object.set("payloadHash", use.act.payloadHash)
            for member in present.json.members { object[member.name] = member.value }
        case .enroll(let new): object.set("newBlinded", new)
        case .change(let present, let new):
            for member in present.json.members { object[member.name] = member.value }
            object.set("newBlinded", new)
        }
        object.set("draft", draft?.reveal())
        return object
    }
}

extension PINEvaluationRequest.Ask {
    /// Its purpose.
    public var purpose: AssertionPurpose {
        switch self {
        case .use(let use, _): use.act.purpose
        case .enroll: .enroll
        case .change: .pinChange
        }
    }
}

extension PINEvaluationRequest: WireShaped {
    /// Its members; which of them go together depends on the purpose.
    public static let shape = WireShape.request(
        PINEvaluationRequest.self,
        [
            .required("enrollmentId", .of(DeviceID.self)), .required("purpose", .of(AssertionPurpose.self)),
            .optional("transactionId", .of(TransactionID.self)), .optional("payloadHash", .of(PayloadHash.self)),
            .optional("epoch", .of(PINEpoch.self)), .optional("blinded", .of(VOPRFElement.self)),
            .optional("newBlinded", .of(VOPRFElement.self)), .optional("draft", .of(TransactionDraft.self)),
        ])
}
