import Crypto

/// An element of the group of VOPRF(P-384, SHA-384) in its only serialization: SEC 1 compressed, 49 bytes (RFC 9497
/// §4.4). A blinded input, or a server's public key.
///
/// Every value is a point on the curve, and not the point at infinity: P-384 has no other points, and no small
/// subgroup.
public struct VOPRFElement: WireValue {
    /// The form of its text.
    public static var form: TextForm {
        .own(
            66...66, pattern: "^A[gw][A-Za-z0-9_-]{64}$",
            example: "A6qHyiK-iwU3jrHHHvMgrXRuHTtii6ebmFn3QeCCVCo4VQLyXb9VKWw6VF44cnYKtw")
    }

    /// The length in bytes.
    public static let byteCount = 49

    /// 66 characters of base64url.
    public let rawValue: String

    /// Validates an element.
    /// - Parameter text: canonical base64url of 49 bytes.
    public init(_ text: String) throws(MalformedValue) {
        guard let bytes = Base64URL.decode(text) else {
            throw MalformedValue(field: "element", reason: "is not base64url")
        }
        try self.init(bytes: bytes)
    }

    /// Validates an element.
    /// - Parameter bytes: 0x02 or 0x03, and the point's x coordinate in 48 bytes, big-endian and below the field's
    ///   prime.
    public init(bytes: [UInt8]) throws(MalformedValue) {
        guard bytes.count == Self.byteCount, bytes[0] == 2 || bytes[0] == 3,
            let point = try? P384.KeyAgreement.PublicKey(compressedRepresentation: bytes),
            // An unreduced coordinate would be a second spelling of the same point.
            Array(point.compressedRepresentation) == bytes
        else { throw MalformedValue(field: "element", reason: "is not a compressed point on P-384") }
        rawValue = Base64URL.encode(bytes)
    }

    /// The 49 bytes.
    public var bytes: [UInt8] { Base64URL.decode(rawValue) ?? [] }
}

/// A server's evaluation of a blinded input, with the proof that its key was used: the evaluated element, and the
/// proof's two scalars c and s (RFC 9497 §2.2.1). 145 bytes.
public struct VOPRFEvaluation: WireValue {
    /// The form of its text.
    public static var form: TextForm {
        .own(
            194...194, pattern: "^A[gw][A-Za-z0-9_-]{192}$",
            example:
                "A6qHyiK-iwU3jrHHHvMgrXRuHTtii6ebmFn3QeCCVCo4VQLyXb9VKWw6VF44cnYKtwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQ"
        )
    }

    /// The length in bytes.
    public static let byteCount = VOPRFElement.byteCount + 2 * scalarByteCount

    /// 194 characters of base64url.
    public let rawValue: String

    private static let scalarByteCount = 48

    /// The order of P-384 (FIPS 186-5), big-endian.
    private static let order: [UInt8] =
        [UInt8](repeating: 0xFF, count: 24) + [
            0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2,
            0x48, 0xB0, 0xA7, 0x7A, 0xEC, 0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
        ]

    /// Validates an evaluation's form. Its proof can be checked only with the server's key.
    /// - Parameter text: canonical base64url of 145 bytes.
    public init(_ text: String) throws(MalformedValue) {
        guard let bytes = Base64URL.decode(text) else {
            throw MalformedValue(field: "evaluation", reason: "is not base64url")
        }
        try self.init(bytes: bytes)
    }

    /// Validates an evaluation's form.
    /// - Parameter bytes: a point on P-384, and two scalars from 1 to below the order, 48 bytes each. No honest server
    ///   creates a proof with a scalar of 0.
    public init(bytes: [UInt8]) throws(MalformedValue) {
        guard bytes.count == Self.byteCount else {
            throw MalformedValue(field: "evaluation", reason: "is not \(Self.byteCount) bytes")
        }
        _ = try VOPRFElement(bytes: Array(bytes[..<VOPRFElement.byteCount]))
        let scalars = bytes[VOPRFElement.byteCount...]
        guard Self.isScalar(scalars.prefix(Self.scalarByteCount)), Self.isScalar(scalars.suffix(Self.scalarByteCount))
        else { throw MalformedValue(field: "evaluation", reason: "has a proof that is not two scalars of P-384") }
        rawValue = Base64URL.encode(bytes)
    }

    private static func isScalar(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.contains { $0 != 0 } && bytes.lexicographicallyPrecedes(order)
    }

    /// The 145 bytes.
    public var bytes: [UInt8] { Base64URL.decode(rawValue) ?? [] }

    /// The evaluated element, 49 bytes.
    public var element: [UInt8] { Array(bytes.prefix(VOPRFElement.byteCount)) }

    /// The proof's first scalar, 48 bytes.
    public var challenge: [UInt8] { Array(bytes.dropFirst(VOPRFElement.byteCount).prefix(Self.scalarByteCount)) }

    /// The proof's second scalar, 48 bytes.
    public var response: [UInt8] { Array(bytes.suffix(Self.scalarByteCount)) }
}
