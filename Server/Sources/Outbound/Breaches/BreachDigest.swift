internal import Crypto

/// The SHA-1 of a password, by which lists of stolen passwords index it.
///
/// An attacker who sees it can test billions of passwords a second against it. It therefore lives as long as one search
/// and is never stored or printed; only its ``prefix`` leaves this machine.
package struct BreachDigest: Sendable, Hashable {
    /// 40 hexadecimal digits in upper case.
    package let hexadecimal: String

    package init(_ password: String) {
        let digits = Array("0123456789ABCDEF".utf8)
        hexadecimal = String(
            decoding: Insecure.SHA1.hash(data: Array(password.utf8)).flatMap {
                [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
            }, as: UTF8.self)
    }

    /// The first five digits, by which a range of the list is requested. Hundreds of passwords share them.
    package var prefix: Substring { hexadecimal.prefix(5) }

    package var suffix: Substring { hexadecimal.dropFirst(5) }
}

extension BreachDigest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}
