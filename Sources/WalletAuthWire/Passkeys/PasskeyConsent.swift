internal import Crypto

/// What the challenge of a passkey's consent is bound to, so that anybody can hold a signature against the operation later (RTS
/// article 5, dynamic linking).
///
/// The challenge is what the server made at random and could open again, followed by 32 bytes: SHA-256 of
/// ``label``, a zero byte, the event's id, a zero byte, the 32 bytes of ``PayloadHash/operation(_:)``, the 32 bytes of
/// ``browser``, and what precedes them.
public struct PasskeyConsent: Hashable, Sendable {
    /// What the hash begins with.
    public static let label = "wallet-passkey-sca-v1"
    /// How many bytes ``browser`` has, and the hash.
    public static let hashLength = 32
    /// The least that has to be random, in bytes.
    public static let leastRandom = 16

    /// The event.
    public var eventID: SCAEventID
    /// The hash of the bytes that were shown.
    public var payloadHash: PayloadHash
    /// A digest of what the browser was known by, made for this event alone: it tells of no other event whether it was the same
    /// browser.
    public var browser: [UInt8]

    /// Each parameter is the property of its name.
    public init(eventID: SCAEventID, payloadHash: PayloadHash, browser: [UInt8]) {
        self.eventID = eventID
        self.payloadHash = payloadHash
        self.browser = browser
    }

    /// The challenge.
    /// - Parameter random: what no two challenges have in common, at least ``leastRandom`` bytes.
    public func challenge(_ random: [UInt8]) -> [UInt8] { random + hash(random) }

    /// What a challenge of this consent begins with; `nil` where it was made for another operation, event or browser.
    /// - Parameter challenge: as it was signed.
    public func random(of challenge: [UInt8]) -> [UInt8]? {
        guard challenge.count >= Self.leastRandom + Self.hashLength, browser.count == Self.hashLength else {
            return nil
        }
        let random = Array(challenge.dropLast(Self.hashLength))
        guard ConstantTime.equal(Array(challenge.suffix(Self.hashLength)), hash(random)) else { return nil }
        return random
    }

    private func hash(_ random: [UInt8]) -> [UInt8] {
        // No zero byte stands in an event's id, and each part but the last has its one length.
        var hash = SHA256()
        for text in [Self.label, eventID.rawValue] {
            hash.update(data: Array(text.utf8))
            hash.update(data: [0] as [UInt8])
        }
        hash.update(data: Base64URL.decode(payloadHash.rawValue) ?? [])
        hash.update(data: browser)
        hash.update(data: random)
        return Array(hash.finalize())
    }
}
