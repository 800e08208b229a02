internal import AuthFoundation

/// Commands as an operator types them, for answers that name the next command.
enum CommandLineSyntax {
    static func account(_ verb: String, name: String, brand: String) -> String {
        // A leading dash would be read as an option.
        let who = name.hasPrefix("-") ? "--username=\(quoted(name))" : quoted(name)
        let whose = brand == BrandSettings.defaultBrand ? "" : " --brand \(quoted(brand))"
        return "walletauth account \(verb) \(who)\(whose)"
    }

    /// A provider as an argument of a command.
    static func provider(_ id: String, brand: String) -> String {
        quoted(id) + (brand == BrandSettings.defaultBrand ? "" : " --brand \(quoted(brand))")
    }

    /// Quotes one word for a shell: user names may contain characters that a shell interprets.
    static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-", "@", "+": true
            default: false
            }
        }
        guard word.isEmpty || !isPlain else { return word }
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
