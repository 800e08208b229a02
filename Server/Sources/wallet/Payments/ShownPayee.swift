import OneLineText
import WalletAuthWire

extension Payee {
    /// The payee, line by line. The account comes first, because the payee chose the name.
    var words: [String] { ["to account \(account.quoted)", "of \(name.quoted)"] }
}

extension String {
    /// Text from others as a JSON string, whose quotation marks show where it ends.
    var quoted: String { JSONValue.string(self).text.jsonEscapedForTerminal }
}
