/// Commands as an operator types them, for answers that say what to run next.
enum CommandLineSyntax {
    /// A command about an account.
    static func account(_ verb: String, name: String, brand: String) -> String {
        // What begins with a dash would be read as an option.
        let who = name.hasPrefix("-") ? "--username=\(quoted(name))" : quoted(name)
        let whose = brand == BrandSettings.defaultBrand ? "" : " --brand \(quoted(brand))"
        return "walletauth account \(verb) \(who)\(whose)"
    }

    /// A provider, as the commands about one take it.
    static func provider(_ id: String, brand: String) -> String {
        quoted(id) + (brand == BrandSettings.defaultBrand ? "" : " --brand \(quoted(brand))")
    }

    /// One word for a shell, whatever is in it: user names may hold what a shell acts upon.
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
