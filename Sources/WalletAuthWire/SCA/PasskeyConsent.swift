internal import Crypto

/// The binding of a passkey's challenge to a consent, so that anyone can later compare a signature with the operation
/// (RTS article 5, dynamic linking).
///
/// The challenge consists of random bytes that the server can recognize, followed by 32 bytes: the SHA-256 of
/// ``label``, a zero byte, the event's id, a zero byte, the 32 bytes of ``PayloadHash/operation(_:)``, the 32 bytes of
/// ``browser``, and the random bytes.
public struct PasskeyConsent: Hashable, Sendable {
    /// The prefix of the hashed bytes.
    public static let label = "wallet-passkey-sca-v1"
    /// The length of ``browser`` and of the hash, in bytes.
    public static let hashLength = 32
    /// The minimum number of random bytes.
    public static let leastRandom = 16

    /// The event.
    public var eventID: SCAEventID
    /// The hash of the bytes shown to the person.
    public var payloadHash: PayloadHash
    /// A digest of the browser's identification, or of an app's key, made for this event alone: it does not reveal whether
    /// another event used the same.
    public var browser: [UInt8]

    /// Creates a value. Each parameter sets the property of the same name.
    public init(eventID: SCAEventID, payloadHash: PayloadHash, browser: [UInt8]) {
        self.eventID = eventID
        self.payloadHash = payloadHash
        self.browser = browser
    }

    /// Creates the challenge.
    /// - Parameter random: a value unique to this challenge, at least ``leastRandom`` bytes.
    public func challenge(_ random: [UInt8]) -> [UInt8] { random + hash(random) }

    /// Returns the random part of a challenge for this consent; `nil` if it is for another operation, event or browser.
    /// - Parameter challenge: the signed challenge.
    public func random(of challenge: [UInt8]) -> [UInt8]? {
        guard challenge.count >= Self.leastRandom + Self.hashLength, browser.count == Self.hashLength else {
            return nil
        }
        let random = Array(challenge.dropLast(Self.hashLength))
        guard ConstantTime.equal(Array(challenge.suffix(Self.hashLength)), hash(random)) else { return nil }
        return random
    }

    private func hash(_ random: [UInt8]) -> [UInt8] {
        // An event's id contains no zero byte, and each part but the last has a fixed length.
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
