/// The second factors of an account (`GET /v1/account/factors`).
public struct AccountFactorList: Hashable, Sendable {
    /// One factor.
    public struct Factor: Hashable, Sendable {
        /// `totp`, `otp`, `secret_question`, `recovery_code`; more may come.
        public var method: String
        /// By which way a code is sent: `EMAIL`, `SMS`.
        public var channel: String?
        /// Where to, with most of it hidden.
        public var destination: String?

        /// Each parameter is the property of its name.
        public init(method: String, channel: String? = nil, destination: String? = nil) {
            self.method = method
            self.channel = channel
            self.destination = destination
        }
    }

    /// The factors, the preferred one first.
    public var factors: [Factor]
    /// How many recovery codes are left.
    public var recoveryCodes: Int64
    /// Until when nothing that the account is signed in with can be changed, since its password was recovered by the mailbox
    /// alone; `nil` where it can.
    public var coolingUntil: NumericDate?

    /// Each parameter is the property of its name.
    public init(factors: [Factor], recoveryCodes: Int64, coolingUntil: NumericDate? = nil) {
        self.factors = factors
        self.recoveryCodes = recoveryCodes
        self.coolingUntil = coolingUntil
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        var factors: [Factor] = []
        for entry in try object.required("factors", object.objects("factors")) {
            factors.append(
                Factor(
                    method: try entry.required("method", entry.string("method")),
                    channel: try entry.string("channel"), destination: try entry.string("destination")))
        }
        self.factors = factors
        recoveryCodes = try object.required("recoveryCodes", object.integer("recoveryCodes"))
        coolingUntil = try object.integer("coolingUntil").map { NumericDate(clamping: $0) }
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object["factors"] = .array(
            factors.map { factor in
                var entry = JSONObject()
                entry.set("method", factor.method)
                entry.set("channel", factor.channel)
                entry.set("destination", factor.destination)
                return .object(entry)
            })
        object.set("recoveryCodes", recoveryCodes)
        object.set("coolingUntil", coolingUntil?.secondsSince1970)
        return object
    }
}

/// A new set of recovery codes (`POST /v1/account/recovery-codes`). It is told once; the set before is void.
public struct RecoveryCodeSet: Hashable, Sendable {
    /// The codes.
    public var codes: [RecoveryCode]

    /// - Parameter codes: the codes.
    public init(codes: [RecoveryCode]) {
        self.codes = codes
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        var codes: [RecoveryCode] = []
        for text in try object.required("codes", object.strings("codes")) { codes.append(try RecoveryCode(text)) }
        self.codes = codes
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("codes", codes.map { $0.reveal() })
        return object
    }
}
