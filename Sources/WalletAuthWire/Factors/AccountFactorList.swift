/// The factors of an account besides its password (`GET /v1/account/factors`).
public struct AccountFactorList: Hashable, Sendable {
    /// One factor.
    public struct Factor: Hashable, Sendable {
        /// `totp`, `otp`, `secret_question`, `recovery_code`, ``passkeyMethod``. More may be added, so apps should skip
        /// unknown ones.
        public var method: String
        /// The channel of a code: `EMAIL`, `SMS`.
        public var channel: String?
        /// The masked destination of a code.
        public var destination: String?
        /// The passkey; `nil` for every other method.
        public var passkey: Passkey?

        /// The method of a passkey; one entry per passkey.
        public static let passkeyMethod = "passkey"

        /// Creates a value. Each parameter sets the property of the same name.
        public init(method: String, channel: String? = nil, destination: String? = nil) {
            self.method = method
            self.channel = channel
            self.destination = destination
        }

        /// Creates the entry of a passkey.
        /// - Parameter passkey: its description.
        public init(_ passkey: Passkey) {
            self.init(method: Self.passkeyMethod)
            self.passkey = passkey
        }
    }

    /// A passkey of the account.
    public struct Passkey: Hashable, Sendable {
        /// `passkeyId`: names it when it is removed.
        public var id: PasskeyID
        /// `name`: the owner's name for it; empty if it is unreadable.
        public var name: String
        /// `createdAt`.
        public var createdAt: NumericDate
        /// `lastUsedAt`: when it last signed in or agreed to something; `nil` if it never did.
        public var lastUsedAt: NumericDate?
        /// `coolingUntil`: until when it counts as only one factor and cannot approve payments; `nil` if that is over.
        public var coolingUntil: NumericDate?

        /// Creates a value. Each parameter sets the property of the same name.
        public init(
            id: PasskeyID, name: String, createdAt: NumericDate, lastUsedAt: NumericDate? = nil,
            coolingUntil: NumericDate? = nil
        ) {
            self.id = id
            self.name = name
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.coolingUntil = coolingUntil
        }

        /// Reads the members besides the method; `nil` if they are malformed. A fault in one factor must not hide all
        /// others.
        init?(entry: JSONObject) {
            guard let id = try? entry.value("passkeyId", as: PasskeyID.self), let name = entry["name"]?.string,
                let created = entry["createdAt"]?.integer
            else { return nil }
            self.init(
                id: id, name: name, createdAt: NumericDate(clamping: created),
                lastUsedAt: entry["lastUsedAt"]?.integer.map { NumericDate(clamping: $0) },
                coolingUntil: entry["coolingUntil"]?.integer.map { NumericDate(clamping: $0) })
        }

        /// Reads the answer to ``PasskeyAddition``.
        /// - Parameter object: the body.
        public init(_ object: JSONObject) throws(MalformedValue) {
            self = try object.required("passkeyId", Passkey(entry: object))
        }

        /// The answer's JSON.
        public var json: JSONObject {
            var entry = JSONObject()
            write(to: &entry)
            return entry
        }

        func write(to entry: inout JSONObject) {
            entry.set("passkeyId", id)
            entry.set("name", name)
            entry.set("createdAt", createdAt.secondsSince1970)
            entry.set("lastUsedAt", lastUsedAt?.secondsSince1970)
            entry.set("coolingUntil", coolingUntil?.secondsSince1970)
        }
    }

    /// The factors, the preferred one first, followed by the passkeys, oldest first.
    public var factors: [Factor]
    /// The number of recovery codes left.
    public var recoveryCodes: Int64
    /// Until when the account's factors cannot be changed because its password was recovered with the mailbox alone;
    /// `nil` if they can.
    public var coolingUntil: NumericDate?
    /// Until when the account cannot be closed because its holder changed the e-mail address or phone number; `nil` if it can.
    public var contactCoolingUntil: NumericDate?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        factors: [Factor], recoveryCodes: Int64, coolingUntil: NumericDate? = nil,
        contactCoolingUntil: NumericDate? = nil
    ) {
        self.factors = factors
        self.recoveryCodes = recoveryCodes
        self.coolingUntil = coolingUntil
        self.contactCoolingUntil = contactCoolingUntil
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        var factors: [Factor] = []
        for entry in try object.required("factors", object.objects("factors")) {
            var factor = Factor(
                method: try entry.required("method", entry.string("method")),
                channel: try entry.string("channel"), destination: try entry.string("destination"))
            if factor.method == Factor.passkeyMethod { factor.passkey = Passkey(entry: entry) }
            factors.append(factor)
        }
        self.factors = factors
        recoveryCodes = try object.required("recoveryCodes", object.integer("recoveryCodes"))
        coolingUntil = try object.integer("coolingUntil").map { NumericDate(clamping: $0) }
        contactCoolingUntil = try object.integer("contactCoolingUntil").map { NumericDate(clamping: $0) }
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
        object.set("contactCoolingUntil", contactCoolingUntil?.secondsSince1970)
        return object
    }
}

/// A new set of recovery codes (`POST /v1/account/recovery-codes`). It is returned only once and replaces the former
/// set.
public struct RecoveryCodeSet: WireMessage {
    /// The codes.
    public var codes: [RecoveryCode]

    /// Creates a set.
    /// - Parameter codes: the codes.
    public init(codes: [RecoveryCode]) {
        self.codes = codes
    }
}

extension AccountFactorList: WireShaped {
    /// Its members; a factor has those of a passkey if it is one.
    public static let shape = WireShape.answer(
        AccountFactorList.self,
        [
            .required(
                "factors",
                .array(
                    .answer(
                        Factor.self,
                        [
                            .required("method", .text(nil)), .optional("channel", .text(nil)),
                            .optional("destination", .text(nil)),
                        ] + Passkey.members.map { .optional($0.name, $0.shape) }))),
            .required("recoveryCodes", .integer(0...1000)), .optional("coolingUntil", .date),
            .optional("contactCoolingUntil", .date),
        ])
}

extension AccountFactorList.Passkey: WireShaped {
    fileprivate static let members: [WireObject.Member] = [
        .required("passkeyId", .of(PasskeyID.self)), .required("name", .text(nil)), .required("createdAt", .date),
        .optional("lastUsedAt", .date), .optional("coolingUntil", .date),
    ]

    /// Its members.
    public static let shape = WireShape.answer(AccountFactorList.Passkey.self, members)
}
