/// Where passwords are looked for that were stolen somewhere and published.
extension Settings {
    static let breachesURL = Setting(
        "passwords.breaches.url", type: "URL", fallback: "none",
        """
        A service that is asked for ranges of its list, in the format of Pwned Passwords, whose own is \
        https://api.pwnedpasswords.com. Of a password's SHA-1 five of forty digits go there, after `range/`, when a password is \
        chosen, and at most once a day after it was right at a sign-in. Within two seconds, or it is done without.
        """, parse: SettingTypes.webURL)

    static let breachesFile = Setting(
        "passwords.breaches.file", type: "path", fallback: "none",
        """
        The same as a file of one's own, for which nothing leaves the machine: a line for each SHA-1 with its count, ordered \
        by hash, as Pwned Passwords can be downloaded. It is searched where it lies, and may be replaced at any time. With \
        passwords.breaches.url both are asked.
        """, parse: SettingTypes.text)

    static let breachesMinimumCount = Setting(
        "passwords.breaches.minimumCount", type: "number", fallback: "1",
        "How often a password has to have been seen in breaches to be refused, and to have to be changed.",
        parse: SettingTypes.integer(1...1_000_000_000))

    static let breaches: [any DeclaredSetting] = [breachesURL, breachesFile, breachesMinimumCount]
}
