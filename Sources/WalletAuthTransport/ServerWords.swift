extension String {
    /// A server's text on one line, without characters that control a terminal or reverse text, and limited in length.
    package var asServerWords: String {
        var text = ""
        for scalar in unicodeScalars.prefix(600) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: text.append(" ")
            case .format, .privateUse, .surrogate, .unassigned: continue
            default: text.unicodeScalars.append(scalar)
            }
        }
        let words = text.split(separator: " ").joined(separator: " ")
        return words.count > 400 ? words.prefix(400) + "…" : words
    }
}
