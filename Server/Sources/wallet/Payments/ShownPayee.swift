import OneLineText
import WalletAuthWire

extension Payee {
    /// Who is paid, row by row: the account, and then the name, which whoever asks for the money chose.
    var words: [String] { ["to account \(account.quoted)", "of \(name.quoted)"] }
}

extension String {
    /// Text of others as a JSON string: quotation marks say where it ends.
    var quoted: String { JSONValue.string(self).text.jsonEscapedForTerminal }
}
