package import Core

/// The sixteen bytes of a row's id: random, or time-ordered so that new rows are adjacent (RFC 9562 §5.4, §5.7).
///
/// Unlike a sequence, ids reveal no counts, need no coordination between machines, and partition well.
package struct UniqueID: Hashable, Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Returns `nil` unless there are exactly sixteen bytes.
    @inlinable
    package init?(bytes: some Collection<UInt8>) {
        self.init(bytes: Array(bytes))
    }

    /// The same for arrays, without generic dispatch: every row has ids. Returns `nil` unless there are exactly sixteen
    /// bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { halves in
            Self(
                high: UInt64(bigEndian: halves.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: halves.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    /// Parses only the spelling that ``uuid`` writes. An id that is compared as text elsewhere must have one spelling.
    /// - Parameter uuid: the 36 characters of a UUID in lower case; `nil` is returned for anything else.
    package init?(uuid: String) {
        let text = Array(uuid.utf8)
        guard text.count == 36 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var index = 0
        while index < 36 {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard text[index] == UInt8(ascii: "-") else { return nil }
                index += 1
            } else {
                // Groups have even lengths, so a pair of digits never includes a hyphen.
                guard let upper = Self.digit(text[index]), let lower = Self.digit(text[index + 1]) else { return nil }
                bytes.append(upper << 4 | lower)
                index += 2
            }
        }
        self.init(bytes: bytes)
    }

    /// A random id, version 4 (RFC 9562 §5.4).
    /// - Parameter bytes: sixteen unpredictable bytes, of which six bits are overwritten; `nil` is returned for another
    ///   number.
    package static func random(_ bytes: some Collection<UInt8>) -> UniqueID? {
        guard let id = UniqueID(bytes: bytes) else { return nil }
        return UniqueID(high: id.high & ~0xF000 | 0x4000, low: id.low & ~(0b11 << 62) | 0b10 << 62)
    }

    /// A time-ordered id, version 7 (RFC 9562 §5.7).
    /// - Parameters:
    ///   - time: the time of creation, whose lower 48 bits come first.
    ///   - bytes: sixteen unpredictable bytes, of which the first six and six more bits are overwritten; `nil` is
    ///     returned for another number.
    package static func timeOrdered(_ time: Timestamp, _ bytes: some Collection<UInt8>) -> UniqueID? {
        guard let id = UniqueID(bytes: bytes) else { return nil }
        let instant = UInt64(bitPattern: time.milliseconds) << 16
        return UniqueID(high: instant | id.high & 0x0FFF | 0x7000, low: id.low & ~(0b11 << 62) | 0b10 << 62)
    }

    /// A lower bound of the time-ordered ids from an instant on. The ids of the instant begin with these bytes.
    package static func prefix(of time: Timestamp) -> [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: time.milliseconds >> (40 - 8 * $0)) }
    }

    /// Most significant first.
    package var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            for index in 0..<8 {
                buffer[index] = UInt8(truncatingIfNeeded: high >> (56 - 8 * UInt64(index)))
                buffer[index + 8] = UInt8(truncatingIfNeeded: low >> (56 - 8 * UInt64(index)))
            }
            count = 16
        }
    }

    /// 36 characters in lower case (RFC 9562 §4).
    package var uuid: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Orders ids by their bytes, as the engines do.
    package static func < (left: UniqueID, right: UniqueID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension UniqueID: CustomStringConvertible {
    package var description: String { uuid }
}
