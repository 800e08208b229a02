/// The passwords that attackers try first: a list of stolen ones, and patterns too numerous for a list (common words
/// with a usual ending, keyboard rows, sequences, repetitions). Only the whole password counts; a long phrase that
/// contains a common word is fine.
enum CommonPasswords {
    /// `password` is in lower case.
    static func contain(_ password: String) -> Bool {
        if CommonPasswordList.contains(password) { return true }
        let plain = unleet(password)
        return isRepetition(password) || isSequence(password) || isKeyboardWalk(password)
            || isWordWithEnding(password) || isWordWithEnding(plain)
    }

    /// One word, the same word twice, or two words, followed by the digits and marks that people add.
    private static func isWordWithEnding(_ password: String) -> Bool {
        let stem = String(password.reversed().drop { !$0.isLetter }.reversed())
        let ending = password.dropFirst(stem.count)
        guard ending.count <= 6 else { return false }
        if words.contains(stem) { return true }
        // "123password", "1qaz…" and the like: digits in front.
        let core = String(stem.drop { !$0.isLetter })
        if stem.count - core.count <= 4, words.contains(core) { return true }
        return words.contains { word in stem.hasPrefix(word) && words.contains(String(stem.dropFirst(word.count))) }
    }

    /// "aaaaaaaa", "abababab", "12341234": a repeated block of at most four characters.
    private static func isRepetition(_ password: String) -> Bool {
        let characters = Array(password)
        return (1...4).contains { length in
            characters.indices.allSatisfy { characters[$0] == characters[$0 % length] }
        }
    }

    /// "12345678", "87654321", "abcdefgh", also with the zero after the nine.
    private static func isSequence(_ password: String) -> Bool {
        let bytes = Array(password.utf8).map(Int.init)
        guard bytes.count > 1 else { return false }
        let steps = zip(bytes, bytes.dropFirst()).map { ($1 - $0 == -9 && $1 == 48) ? 1 : $1 - $0 }
        return steps.allSatisfy { $0 == 1 } || steps.allSatisfy { $0 == -1 }
    }

    /// A chain of keyboard rows and columns: "qwertyuiop", "1q2w3e4r", "asdfghjkl", "zaq12wsx".
    private static func isKeyboardWalk(_ password: String) -> Bool {
        var rest = Substring(password)
        while !rest.isEmpty {
            let step = (4...12).reversed().lazy
                .filter { $0 <= rest.count }
                .first { length in walks.contains { $0.contains(rest.prefix(length)) } }
            guard let step else { return rest.count <= 2 && rest.count < password.count }
            rest = rest.dropFirst(step)
        }
        return true
    }

    private static let walks: [String] = {
        let rows = [
            "1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop",
            "1q2w3e4r5t6y7u8i",
            "1qaz2wsx3edc4rfv5tgb", "zaq12wsxcde34rfv", "q1w2e3r4t5y6", "qazwsxedcrfvtgb", "147258369", "159357",
        ]
        return rows + rows.map { String($0.reversed()) }
    }()

    private static func unleet(_ password: String) -> String {
        let letters: [Character: Character] = [
            "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
        ]
        // The ending stays as it is: "passw0rd1" is a word with an ending, not a disguised word.
        let stem = String(password.reversed().drop { !$0.isLetter }.reversed())
        return String(stem.map { letters[$0] ?? $0 }) + password.dropFirst(stem.count)
    }

    private static let words: Set<String> = Set(
        """
        password passwort passw pass pwd admin administrator root user login welcome willkommen hello hallo letmein
        access secret geheim master superman batman spiderman ironman pokemon naruto starwars dragon monkey tiger lion
        eagle falcon wolf bear panda shadow hunter ranger killer ninja samurai warrior soccer football fussball baseball
        basketball hockey tennis golf chelsea arsenal liverpool barcelona realmadrid juventus bayern yankees cowboys
        steelers lakers iloveyou iloveu loveyou love lover lovely forever sweetheart honey baby babygirl princess prince
        queen king angel angels jesus jesuschrist heaven god blessed faith hope grace sunshine rainbow flower flowers
        butterfly summer sommer winter spring autumn january february march april may june july august september october
        november december monday tuesday wednesday thursday friday saturday sunday michael michelle jennifer jessica
        ashley amanda daniel david robert thomas andrew joshua matthew nicole samantha elizabeth victoria charlie george
        harley maggie ginger pepper buster cookie chocolate cheese banana orange apple cherry computer internet google
        facebook linkedin microsoft windows samsung iphone android apple yahoo gmail hotmail twitter instagram youtube
        qwerty qwertz azerty abc abcd abcde asdf test testing tester testtest demo sample example guest temp temporary
        changeme change default public private security freedom liberty america england germany deutschland france
        canada london berlin paris newyork mustang corvette ferrari porsche mercedes yamaha honda toyota money dollar
        euro bitcoin wallet payment bank banking account trustno matrix phoenix diamond silver golden platinum crystal
        thunder lightning storm hammer rocket racing player gamer gaming minecraft fortnite roblox zelda pikachu mario
        metallica nirvana eminem whatever nothing something anything blahblah fuckyou fuckoff asshole bullshit
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
