/// The words of a statement that defines data, for engines that spell some differently.
package enum DefinitionWords {
    /// Replaces words outside of text literals, and removes white space and semicolons at the end.
    package static func replaced(in sql: String, _ replacement: (String) -> String) -> String {
        var result = ""
        var word = ""
        var quoted = false
        for character in sql {
            if !quoted, character.isLetter || character.isNumber || character == "_" {
                word.append(character)
                continue
            }
            result += replacement(word)
            word = ""
            if character == "'" { quoted.toggle() }
            result.append(character)
        }
        result += replacement(word)
        while let last = result.last, last.isWhitespace || last == ";" { result.removeLast() }
        return result
    }
}
