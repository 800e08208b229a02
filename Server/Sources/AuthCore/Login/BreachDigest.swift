internal import Crypto

/// SHA-1 of a password: the name under which lists of stolen passwords have it. Whoever sees it tries passwords against it
/// at billions a second, so it lives as long as one search, is stored nowhere and printed nowhere, and of it no more than
/// ``prefix`` leaves this machine.
package struct BreachDigest: Sendable, Hashable {
    /// 40 hexadecimal digits in upper case.
    package let hexadecimal: String

    /// - Parameter password: as typed.
    package init(_ password: String) {
        let digits = Array("0123456789ABCDEF".utf8)
        hexadecimal = String(
            decoding: Insecure.SHA1.hash(data: Array(password.utf8)).flatMap {
                [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
            }, as: UTF8.self)
    }

    /// The first five digits: what a range of the list is asked for by. Hundreds of passwords share them.
    package var prefix: Substring { hexadecimal.prefix(5) }

    /// The other 35 digits.
    package var suffix: Substring { hexadecimal.dropFirst(5) }
}

extension BreachDigest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says nothing.
    package var description: String { "<redacted>" }
    /// Says nothing.
    package var debugDescription: String { description }
    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}
