/// A JWS in general JSON form (RFC 7515 §7.2.1): one payload, several signatures, **not yet verified**.
public struct GeneralJWS: Hashable, Sendable {
    /// Each signature with its header and the common payload, to be verified separately.
    public let signatures: [CompactJWS]

    /// The maximum number of signatures: each one costs a verification.
    public static let maximumSignatures = 4

    /// Parses a general JWS.
    /// - Parameters:
    ///   - bytes: JSON in UTF-8.
    ///   - maximumBytes: a longer text is refused unread.
    public init(_ bytes: [UInt8], maximumBytes: Int = 32_768) throws(JOSEError) {
        let object: JSONObject
        do {
            object = try JSONValue.object(parsing: bytes, limits: JSONLimits(bytes: maximumBytes, depth: 4))
            try object.refuseMembers(otherThan: ["payload", "signatures"])
        } catch { throw .malformedJSON(error) }
        guard let text = object["payload"]?.string, let payload = Base64URL.decode(text),
            let entries = object["signatures"]?.array, (1...Self.maximumSignatures).contains(entries.count)
        else { throw .malformed }
        signatures = try entries.map { entry throws(JOSEError) in try Self.signature(entry, text, payload) }
    }

    private static let members: Set = ["protected", "header", "signature"]

    /// A signature, with the payload as text and decoded: once for all signatures.
    private static func signature(
        _ entry: JSONValue, _ text: String, _ payload: [UInt8]
    ) throws(JOSEError) -> CompactJWS {
        guard let entry = entry.object, let header = entry["protected"]?.string,
            let signature = entry["signature"]?.string, entry.names.allSatisfy(members.contains)
        else { throw .malformed }
        // The unprotected header is not signed. It may contain a key hint, which is ignored, and nothing else.
        if let unprotected = entry["header"] {
            guard let names = unprotected.object?.names else { throw .malformed }
            for name in names where name != "kid" {
                throw .headerNotAllowed(MalformedValue.plainName(name) ?? "an unprotected one")
            }
        }
        return try CompactJWS(header: header, payload: (text, payload), signature: signature)
    }

    /// Verifies that exactly these keys signed the payload.
    /// - Parameters:
    ///   - verifiers: the keys, in the order of the signatures. All signatures are checked even after one failed, so
    ///     that the time does not reveal which.
    ///   - type: the required `typ` of each; nil accepts any, or none.
    /// - Returns: the payload that all of them signed.
    public func verified(inOrderBy verifiers: [any JWSVerifier], type: JWSType? = nil) throws(JOSEError) -> [UInt8] {
        guard let first = signatures.first, verifiers.count == signatures.count else { throw .unknownKey }
        var failure: JOSEError?
        for (signature, verifier) in zip(signatures, verifiers) {
            do throws(JOSEError) { _ = try signature.verified(by: verifier, type: type) } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return first.unverifiedPayload
    }

    /// Combines finished signatures into a general JWS.
    /// - Parameters:
    ///   - compact: the compact forms, all with the same payload.
    /// - Returns: JSON in UTF-8.
    /// - Throws: ``JOSEError/malformed`` if there is none, or their payloads differ.
    public static func combining(_ compact: [String]) throws(JOSEError) -> [UInt8] {
        var payload: Substring?
        var entries: [JSONValue] = []
        for text in compact {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, payload == nil || payload == parts[1] else { throw .malformed }
            payload = parts[1]
            entries.append(["protected": .string(String(parts[0])), "signature": .string(String(parts[2]))])
        }
        guard let payload, entries.count <= maximumSignatures else { throw .malformed }
        var object = JSONObject()
        object["payload"] = .string(String(payload))
        object["signatures"] = .array(entries)
        return object.bytes
    }
}
