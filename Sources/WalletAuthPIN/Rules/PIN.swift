import WalletAuth
import WalletAuthWire

/// A PIN as typed: 4 to 12 digits. Only the server can tell whether they are the right ones.
///
/// Its descriptions and mirror show `<redacted>`. Its memory is overwritten when the last copy is released; the text it
/// was created from belongs to the keyboard and the app, and cannot be cleared.
public struct PIN: Sendable {
    /// The allowed lengths.
    public static let lengths = 4...12

    let digits: SecretBytes

    /// Validates the form of a PIN.
    ///
    /// - Parameter text: ASCII digits.
    /// - Throws: ``PINFault/malformed``, ``PINFault/tooShort(minimum:)``, ``PINFault/tooLong(maximum:)``.
    public init(_ text: some StringProtocol) throws(PINFault) {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .malformed }
        let count = text.utf8.count
        guard count >= Self.lengths.lowerBound else { throw .tooShort(minimum: Self.lengths.lowerBound) }
        guard count <= Self.lengths.upperBound else { throw .tooLong(maximum: Self.lengths.upperBound) }
        digits = SecretBytes(text.utf8)
    }
}

extension PIN {
    /// Reads the PIN that a person presents. One of impossible form gets the answer for a wrong one, and uses no attempt.
    init(presented text: String, during operation: WalletError.Operation) throws(WalletError) {
        do { try self.init(text) } catch {
            throw WalletError(
                .invalidCredentials, .refused, during: operation,
                statusCode: ErrorCode.invalidCredentials.statusCode(), reason: "a PIN has 4 to 12 digits")
        }
    }

    /// Reads the PIN that signs. One of impossible form uses no attempt, and the act asks again.
    init(signing text: String, during operation: WalletError.Operation) throws(WalletError) {
        do { try self.init(text) } catch {
            throw WalletError(
                .badRequest, .refused, during: operation, reason: "a PIN has 4 to 12 digits; no attempt was used")
        }
    }
}

extension PIN: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }

    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }

    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The reason a PIN is not accepted.
public enum PINFault: Error, Hashable, Sendable {
    /// It contains characters other than the digits 0 to 9.
    case malformed
    /// It is shorter than the minimum.
    case tooShort(minimum: Int)
    /// It is longer than the maximum.
    case tooLong(maximum: Int)
    /// It is one of the PINs that an attacker tries first.
    case tooCommon
}
