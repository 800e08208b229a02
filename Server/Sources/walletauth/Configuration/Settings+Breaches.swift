/// The lists of breached passwords that the server checks.
extension Settings {
    static let breachesURL = Setting(
        "passwords.breaches.url", type: "URL", fallback: "none",
        """
        A service that answers with ranges of its list of stolen passwords, in the format of Pwned Passwords \
        (https://api.pwnedpasswords.com). It receives five of the forty digits of a password's SHA-1, after `range/`, \
        when a person chooses the password, and at most once a day after a successful sign-in. Without an answer \
        within two seconds, the password is not checked.
        """, parse: SettingTypes.webURL)

    static let breachesFile = Setting(
        "passwords.breaches.file", type: "path", fallback: "none",
        """
        The same as a local file, so that nothing leaves the machine: a line for each SHA-1 with its count, ordered \
        by hash, as in the download of Pwned Passwords. The server searches the file in place, and you can replace it \
        at any time. With passwords.breaches.url, both are used.
        """, parse: SettingTypes.text)

    static let breachesMinimumCount = Setting(
        "passwords.breaches.minimumCount", type: "number", fallback: "1",
        "How often a password must appear in breaches before it is refused and has to be changed.",
        parse: SettingTypes.integer(1...1_000_000_000))

    static let breaches: [any DeclaredSetting] = [breachesURL, breachesFile, breachesMinimumCount]
}
