internal import WalletAuthWire

/// The number of a payee's account, as people read it.
package enum AccountNumber {
    /// An IBAN in groups of four (ISO 13616-1). Any other number is as the backend wrote it.
    package static func text(_ number: String) -> String {
        guard let iban = try? IBAN(number), iban.rawValue == number.uppercased() else { return number }
        var rest = number[...]
        var groups: [Substring] = []
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        return groups.joined(separator: " ")
    }
}
