internal import Synchronization

/// Numbers for traces and spans. They are unique but not secret.
///
/// SplitMix64 with a random start. The system's generator would cost a system call per number, and a request needs six.
private struct TraceNumbers: RandomNumberGenerator {
    private static let place = Atomic<UInt64>(SystemRandomNumberGenerator().firstNumber())

    package mutating func next() -> UInt64 {
        var number = Self.place.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).newValue
        number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
        number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
        return number ^ (number >> 31)
    }
}

extension SystemRandomNumberGenerator {
    fileprivate func firstNumber() -> UInt64 {
        var generator = self
        return generator.next()
    }
}

/// A request's place in a distributed trace (W3C Trace Context).
package struct TraceContext: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64
    private let span: UInt64
    private let flags: UInt8

    /// The placeholder until a request's trace is known. It costs nothing to create.
    package static let none = TraceContext(high: 0, low: 0, span: 0, flags: 0)

    /// A new trace.
    package init() {
        var generator = TraceNumbers()
        // An all-zero trace or span id is invalid, so the lowest bit is always set.
        self.init(high: generator.next(), low: generator.next() | 1, span: generator.next() | 1, flags: 0)
    }

    private init(high: UInt64, low: UInt64, span: UInt64, flags: UInt8) {
        self.high = high
        self.low = low
        self.span = span
        self.flags = flags
    }

    /// Joins the trace in a `traceparent` header with a new span. A malformed header starts a new trace.
    ///
    /// Versions above 00 are read by their first four fields, as the recommendation requires; `ff` is invalid.
    package init(traceparent: String?) {
        guard let traceparent, let parsed = Self.parse(traceparent) else {
            self.init()
            return
        }
        var generator = TraceNumbers()
        self.init(high: parsed.high, low: parsed.low, span: generator.next() | 1, flags: parsed.flags)
    }

    /// 32 lowercase hexadecimal digits, for logs, problem documents and support requests.
    package var traceID: String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            Self.write(high, digits: 16, to: buffer, at: 0)
            Self.write(low, digits: 16, to: buffer, at: 16)
            return 32
        }
    }

    package var traceparent: String {
        String(unsafeUninitializedCapacity: 55) { buffer in
            buffer[0] = UInt8(ascii: "0")
            buffer[1] = UInt8(ascii: "0")
            buffer[2] = UInt8(ascii: "-")
            Self.write(high, digits: 16, to: buffer, at: 3)
            Self.write(low, digits: 16, to: buffer, at: 19)
            buffer[35] = UInt8(ascii: "-")
            Self.write(span, digits: 16, to: buffer, at: 36)
            buffer[52] = UInt8(ascii: "-")
            Self.write(UInt64(flags), digits: 2, to: buffer, at: 53)
            return 55
        }
    }

    private static func parse(_ header: String) -> (high: UInt64, low: UInt64, flags: UInt8)? {
        let text = Array(header.utf8.prefix(56))
        let dash = UInt8(ascii: "-")
        guard text.count >= 55, text[2] == dash, text[35] == dash, text[52] == dash,
            let version = number(text[0..<2]), version != 0xff,
            text.count == 55 || (version > 0 && text[55] == dash),
            let high = number(text[3..<19]), let low = number(text[19..<35]), high | low != 0,
            let span = number(text[36..<52]), span != 0,
            let flags = number(text[53..<55])
        else { return nil }
        // Version 00 defines only the sampled flag; unknown flags are not passed on.
        return (high, low, UInt8(flags & 1))
    }

    /// Lowercase digits only: the recommendation treats uppercase as malformed.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }

    private static func write(
        _ value: UInt64, digits: Int, to buffer: UnsafeMutableBufferPointer<UInt8>, at offset: Int
    ) {
        for position in 0..<digits {
            let nibble = UInt8(truncatingIfNeeded: value >> UInt64(4 * (digits - 1 - position))) & 0x0f
            buffer[offset + position] = nibble + (nibble < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
        }
    }
}
