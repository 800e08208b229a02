package import Core
internal import Crypto
internal import WalletAuthWire

/// The codes of an authenticator app: six digits of HMAC-SHA-1 over the half minute's number (RFC 6238 over RFC 4226),
/// the only variant that every app supports.
package enum TOTP {
    package static let step = Duration.seconds(30)
    package static let digits = 6
    /// Random bytes; RFC 4226 §4 R6 recommends 160 bits.
    package static let secretLength = 20
    /// The steps that a device's clock may be off, to either side.
    package static let tolerance: Int64 = 1

    package static func stepNumber(at now: Timestamp) -> Int64 {
        now.milliseconds / step.wholeMilliseconds
    }

    /// - Parameter digits: the test vectors have eight.
    package static func code(at number: Int64, secret: [UInt8], digits: Int = TOTP.digits) -> String {
        let counter = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        let mac = Array(
            HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        // RFC 4226 §5.3: the last four bits are the offset of the number in the MAC.
        let offset = Int(mac[mac.count - 1] & 0x0F)
        let number = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { power, _ in power * 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// The steps whose codes are accepted: the present one and its neighbors.
    package static func steps(at now: Timestamp) -> ClosedRange<Int64> {
        let present = stepNumber(at: now)
        return (present - tolerance)...(present + tolerance)
    }

    /// The step of a typed code.
    /// - Returns: the latest acceptable step with this code; `nil` if there is none.
    package static func step(of typed: String, secret: [UInt8], now: Timestamp) -> Int64? {
        let digits = TypedCode.normalized(typed)
        // Every candidate is compared, so that the timing does not reveal the step.
        return steps(at: now).reduce(nil) { found, number in
            ConstantTime.equal(code(at: number, secret: secret), digits) ? number : found
        }
    }
}
