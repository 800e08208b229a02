internal import Crypto

extension OperationEvidenceClaims {
    /// The claims as JSON. Some members are derived, for human readers: `operationHash`, `categories`, and the
    /// authentication code's `jti` and SHA-256.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("ver", version)
        object.set("iss", issuer)
        object.set("status", status.rawValue)
        object.set("walletOperationId", operationID)
        object.set("clientId", clientID)
        object.set("accountId", account)
        object.set("sessionId", session)
        object.set("eventId", eventID)
        object.set("operation", Base64URL.encode(payload))
        object.set("operationHash", PayloadHash.operation(payload))
        object.set("requestedAt", requestedAt)
        object.set("expiresAt", expiresAt)
        var decided = JSONObject()
        switch decision {
        case .required: decided.set("status", WalletOperationStatus.scaRequired.rawValue)
        case .exempt(let exemption):
            decided.set("status", WalletOperationStatus.exempt.rawValue)
            decided.set("exemption", exemption?.rawValue)
        }
        decided["findings"] = ExemptionFinding.json(findings)
        object["decision"] = .object(decided)
        object["steps"] = .array(steps.map { .object($0.json) })
        object["attempts"] = .array(attempts.map { .object($0.json) })
        if let authorization { object["authorization"] = .object(authorization.json) }
        return object
    }

    /// Parses the claims of a document with a verified signature.
    /// - Parameter bytes: the payload.
    /// - Throws: ``MalformedValue`` for another version, and for anything that ``json`` would write differently:
    ///   nothing in the document is ignored.
    init(parsing bytes: [UInt8]) throws(MalformedValue) {
        let object = try JSONValue.object(
            parsing: bytes, limits: JSONLimits(bytes: OperationEvidence.maximumBytes))
        guard let stated = try object.integer("ver"), [1, 2, 3, 4].contains(stated) else {
            throw MalformedValue(field: "ver", reason: "is not known here: a newer program is needed")
        }
        issuer = try object.required("iss", object.value("iss"))
        status = try object.required("status", object.named("status"))
        operationID = try object.required("walletOperationId", object.value("walletOperationId"))
        clientID = try object.required("clientId", object.value("clientId"))
        account = try object.required("accountId", object.value("accountId"))
        session = try object.required("sessionId", object.value("sessionId"))
        eventID = try object.required("eventId", object.value("eventId"))
        payload = try object.required("operation", object.base64URL("operation"))
        requestedAt = try object.time("requestedAt")
        expiresAt = try object.time("expiresAt")
        let decided = try object.required("decision", object.object("decision"))
        let exemption: SCAExemption? = try decided.named("exemption")
        switch try decided.required("status", decided.named("status")) as WalletOperationStatus {
        case .scaRequired: decision = .required
        case .exempt: decision = .exempt(exemption)
        default: throw MalformedValue(field: "decision", reason: "has an unknown status")
        }
        findings = try ExemptionFinding.list(in: decided)
        steps = try object.required("steps", object.objects("steps")).map(Step.init)
        attempts = try object.required("attempts", object.objects("attempts")).map(Attempt.init)
        authorization = try object.object("authorization").map(Authorization.init)
        guard try object.string("operationHash") == PayloadHash.operation(payload).rawValue else {
            throw MalformedValue(field: "operationHash", reason: "is not the hash of the operation's bytes")
        }
        guard json.bytes == bytes else {
            throw MalformedValue(
                field: "evidence", reason: "has members that do not belong to it, or contradict others")
        }
    }
}

extension OperationEvidenceClaims {
    /// Refuses anything but milliseconds since 1970, up to the end of the year 9999.
    static func check(time: Int64, _ name: String) throws(MalformedValue) {
        guard NumericDate(exactly: time / 1000) != nil, time >= 0 else {
            throw MalformedValue(field: name, reason: "is not a time in milliseconds since 1970")
        }
    }
}

extension OperationEvidenceClaims.Step {
    init(_ object: JSONObject) throws(MalformedValue) {
        kind = try object.required("step", object.named("step"))
        at = try object.time("at")
        verification = try object.object("verification").map(SCAVerification.init)
        destination = try object.string("destination")
        signIn = try object.object("signIn").map(OperationEvidenceClaims.SignIn.init)
        isWithdrawal = try object.bool("withdrawn") ?? false
        circumstances = try object.object("from").map(OperationEvidenceClaims.Circumstances.init)
        place = try object.object("audit").map(OperationEvidenceClaims.Place.init)
    }

    var json: JSONObject {
        var object = JSONObject()
        object.set("step", kind.rawValue)
        object.set("at", at)
        if let verification { object["verification"] = .object(verification.json) }
        object.set("destination", destination)
        if let signIn { object["signIn"] = .object(signIn.json) }
        if isWithdrawal { object["withdrawn"] = true }
        if let circumstances { object["from"] = .object(circumstances.json) }
        if let place { object["audit"] = .object(place.json) }
        return object
    }
}

extension OperationEvidenceClaims.Device {
    /// The signed assertion.
    /// - Throws: ``JOSEError`` if the signature is not by ``key``, or not over an assertion.
    func assertion() throws(JOSEError) -> DeviceAssertion {
        let jws = try CompactJWS(signature)
        let assertion = try DeviceAssertion(
            parsing: jws.verified(by: key.deviceVerifier(), type: .walletAuth).payload)
        guard jws.header.keyID == key.thumbprint.rawValue else { throw JOSEError.unknownKey }
        return assertion
    }
}

extension OperationEvidenceClaims.Attempt {
    init(_ object: JSONObject) throws(MalformedValue) {
        verification = try SCAVerification(object.required("verification", object.object("verification")))
        at = try object.time("at")
        isRight = try object.required("right", object.bool("right"))
        methods = try object.strings("amr") ?? []
        device = try object.object("device").map(OperationEvidenceClaims.Device.init)
        session = try object.value("sessionId")
        passkey = try object.object("passkey").map(PasskeySignature.init)
        circumstances = try object.object("from").map(OperationEvidenceClaims.Circumstances.init)
    }

    var json: JSONObject {
        var object = JSONObject()
        object["verification"] = .object(verification.json)
        object.set("at", at)
        object["right"] = .bool(isRight)
        object.set("amr", methods)
        object.set("categories", FactorCategory.categories(of: methods).map(\.rawValue))
        if let device { object["device"] = .object(device.json) }
        object.set("sessionId", session)
        if let passkey { object["passkey"] = .object(passkey.json) }
        if let circumstances { object["from"] = .object(circumstances.json) }
        return object
    }
}

extension OperationEvidenceClaims.SignIn {
    /// Reads the output of ``json``.
    /// - Parameter object: the object.
    public init(_ object: JSONObject) throws(MalformedValue) {
        methods = try object.strings("amr") ?? []
        at = try object.time("authTime")
        isCounted = try object.required("counted", object.bool("counted"))
    }

    /// As JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("amr", methods)
        object.set("categories", FactorCategory.categories(of: methods).map(\.rawValue))
        object.set("authTime", at)
        object["counted"] = .bool(isCounted)
        return object
    }
}

extension OperationEvidenceClaims.Authorization {
    init(_ object: JSONObject) throws(MalformedValue) {
        code = try object.required("code", object.value("code"))
        do { key = try JWK(object.required("key", object.object("key"))) } catch let error as MalformedValue {
            throw error
        } catch { throw MalformedValue(field: "authorization.key", reason: "is not an accepted public key") }
    }

    var json: JSONObject {
        var object = JSONObject()
        object.set("code", code)
        object.set("codeHash", Base64URL.encode(Array(SHA256.hash(data: Array(code.rawValue.utf8)))))
        object.set(
            "jti", (try? CompactJWS(code.rawValue)).flatMap { try? AuthenticationCodeClaims(unverified: $0) }?.id)
        object["key"] = .object(key.json)
        return object
    }
}

extension AuthenticationCodeClaims {
    /// The unverified claims of a code.
    fileprivate init(unverified jws: CompactJWS) throws(MalformedValue) {
        try self.init(JSONValue.object(parsing: jws.unverifiedPayload))
    }
}

extension JSONObject {
    /// Milliseconds since 1970, up to the end of the year 9999.
    func time(_ name: String) throws(MalformedValue) -> Int64 {
        let time = try required(name, integer(name))
        try OperationEvidenceClaims.check(time: time, name)
        return time
    }
}
