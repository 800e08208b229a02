/// What an account signs in with beside its password (`GET /v1/account/factors`).
public struct AccountFactorList: Hashable, Sendable {
    /// One factor.
    public struct Factor: Hashable, Sendable {
        /// `totp`, `otp`, `secret_question`, `recovery_code`, ``passkeyMethod``; more may come, so that an app passes over what it
        /// does not know.
        public var method: String
        /// By which way a code is sent: `EMAIL`, `SMS`.
        public var channel: String?
        /// Where to, with most of it hidden.
        public var destination: String?
        /// What a passkey is; `nil` for every other method.
        public var passkey: Passkey?

        /// The method of a passkey, which is told once for each of them.
        public static let passkeyMethod = "passkey"

        /// Each parameter is the property of its name.
        public init(method: String, channel: String? = nil, destination: String? = nil) {
            self.method = method
            self.channel = channel
            self.destination = destination
        }

        /// - Parameter passkey: what is told of it.
        public init(_ passkey: Passkey) {
            self.init(method: Self.passkeyMethod)
            self.passkey = passkey
        }
    }

    /// A passkey of the account. It is added, called something else and removed on the account's own page in the browser.
    public struct Passkey: Hashable, Sendable {
        /// `name`: what its holder calls it; empty where that cannot be read.
        public var name: String
        /// `createdAt`.
        public var createdAt: NumericDate
        /// `lastUsedAt`: when it last signed in or agreed to something; `nil` where it never did.
        public var lastUsedAt: NumericDate?
        /// `coolingUntil`: until when it signs in as one factor of two and agrees to no payment; `nil` where that is over.
        public var coolingUntil: NumericDate?

        /// Each parameter is the property of its name.
        public init(
            name: String, createdAt: NumericDate, lastUsedAt: NumericDate? = nil, coolingUntil: NumericDate? = nil
        ) {
            self.name = name
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.coolingUntil = coolingUntil
        }

        /// Reads what stands beside the method; `nil` where it is not there as it should be: what is told of one factor must not
        /// keep an app from all of them.
        init?(_ entry: JSONObject) {
            guard let name = entry["name"]?.string, let created = entry["createdAt"]?.integer else { return nil }
            self.init(
                name: name, createdAt: NumericDate(clamping: created),
                lastUsedAt: entry["lastUsedAt"]?.integer.map { NumericDate(clamping: $0) },
                coolingUntil: entry["coolingUntil"]?.integer.map { NumericDate(clamping: $0) })
        }

        func write(to entry: inout JSONObject) {
            entry.set("name", name)
            entry.set("createdAt", createdAt.secondsSince1970)
            entry.set("lastUsedAt", lastUsedAt?.secondsSince1970)
            entry.set("coolingUntil", coolingUntil?.secondsSince1970)
        }
    }

    /// The factors, the preferred one first, and behind them the passkeys, the oldest first.
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
            var factor = Factor(
                method: try entry.required("method", entry.string("method")),
                channel: try entry.string("channel"), destination: try entry.string("destination"))
            if factor.method == Factor.passkeyMethod { factor.passkey = Passkey(entry) }
            factors.append(factor)
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
                factor.passkey?.write(to: &entry)
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
