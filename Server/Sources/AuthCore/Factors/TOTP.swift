internal import Crypto
internal import WalletAuthWire

/// Codes of an authenticator app: six digits of HMAC-SHA-1 over the number of the half minute (RFC 6238 over RFC 4226),
/// the one form that every app knows.
package enum TOTP {
    /// How long one code is shown.
    package static let step = Duration.seconds(30)
    /// How many digits a code has.
    package static let digits = 6
    /// How many random bytes a secret has (RFC 4226 §4 R6 recommends 160 bits).
    package static let secretLength = 20
    /// How many steps a device's clock may be off, to either side.
    package static let tolerance: Int64 = 1

    /// The number of the step that a moment lies in.
    /// - Parameter now: any moment since 1970.
    package static func stepNumber(at now: Timestamp) -> Int64 {
        now.milliseconds / step.wholeMilliseconds
    }

    /// The code of a step.
    /// - Parameters:
    ///   - number: the step.
    ///   - secret: the shared secret.
    ///   - digits: how many digits; the test vectors have eight.
    package static func code(at number: Int64, secret: [UInt8], digits: Int = TOTP.digits) -> String {
        let counter = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        let mac = Array(
            HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        // RFC 4226 §5.3: the last four bits say where in the MAC the number stands.
        let offset = Int(mac[mac.count - 1] & 0x0F)
        let number = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { power, _ in power * 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// The steps whose codes are taken at a moment: the present one and its neighbors.
    /// - Parameter now: the present moment.
    package static func steps(at now: Timestamp) -> ClosedRange<Int64> {
        let present = stepNumber(at: now)
        return (present - tolerance)...(present + tolerance)
    }

    /// The step that a typed code is of.
    /// - Parameters:
    ///   - typed: as typed; spaces count for nothing.
    ///   - secret: the shared secret.
    ///   - now: the present moment.
    /// - Returns: the latest step at the moment or beside it that has this code; `nil` where none has.
    package static func step(of typed: String, secret: [UInt8], now: Timestamp) -> Int64? {
        let digits = typed.filter { !$0.isWhitespace }
        // Every candidate is compared, so that the time does not tell which step was near.
        return steps(at: now).reduce(nil) { found, number in
            ConstantTime.equal(code(at: number, secret: secret), digits) ? number : found
        }
    }
}
