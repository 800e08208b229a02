import ArgumentParser
import Programs
import Testing

@testable import wallet

@Suite("What is typed after `wallet`", .covers("a mistyped command or option is left unexplained"))
struct WalletArgumentTests {
    @Test("An identity whose name begins with a dash is taken away like any other")
    func identity() {
        let name = "-" + String(repeating: "e", count: 42)
        #expect(WalletProgram.meant(["identity", "remove", name]) == ["identity", "remove", "--", name])
        let asked = WalletProgram.meant(["identity", "remove", name, "--json"])
        #expect(asked == ["identity", "remove", "--json", "--", name])
        let plain = ["identity", "remove", "AAAA", "--json"]
        #expect(WalletProgram.meant(plain) == plain)
        // As long as an identity, and an option all the same.
        let folder = "--folder=/" + String(repeating: "f", count: 33)
        let elsewhere = ["identity", "remove", folder, "AAAA"]
        #expect(WalletProgram.meant(elsewhere) == elsewhere)
        let both = WalletProgram.meant(["identity", "remove", folder, name])
        #expect(both == ["identity", "remove", folder, "--", name])
    }

    @Test("A redirect URI that this program cannot listen at is wrong usage, and the line names those that it can")
    func redirectURI() throws {
        for wrong in [
            "https://app.example.com/callback", "com.example.wallet:/callback", "http://localhost/callback",
            "http://127.0.0.1/callback?a=b",
        ] {
            let error = #expect(throws: (any Error).self, "\(wrong)") {
                try WalletProgram.parseAsRoot(["sign-in", "--redirect-uri", wrong])
            }
            let message = error.map { WalletProgram.message(for: $0) } ?? ""
            #expect(message.contains("http://127.0.0.1/PATH or http://[::1]/PATH"), "\(message)")
        }
        for right in ["http://127.0.0.1/callback", "http://127.0.0.1:8765/callback", "http://[::1]/callback"] {
            #expect(try WalletProgram.parseAsRoot(["sign-in", "--redirect-uri", right]) is SignIn)
        }
    }

    @Test("A malformed push token is answered by what a token looks like, in the words of the help")
    func pushToken() throws {
        let form = "64 to 200 hexadecimal digits, two for each byte"
        for wrong in ["abc", String(repeating: "5", count: 65), String(repeating: "5g", count: 32), ""] {
            let error = #expect(throws: (any Error).self, "\(wrong)") {
                try WalletProgram.parseAsRoot(["device", "push", wrong])
            }
            let message = error.map { WalletProgram.message(for: $0) } ?? ""
            #expect(message.contains("the token must be \(form)"), "\(message)")
            #expect(!message.contains("sign in"), "\(message)")
        }
        #expect(Device.Push.helpMessage(columns: 400).contains(form))
        let right = String(repeating: "5a", count: 32)
        #expect(try WalletProgram.parseAsRoot(["device", "push", right]) is Device.Push)
    }

    @Test(
        "An authenticator app has one name in every --factor, and the server's is accepted",
        arguments: ["authenticator", "totp"])
    func authenticator(typed: String) throws {
        let transfer = ["transfer", "--to", "Dune Bakery", "--amount", "5", "--factor", typed]
        #expect(try #require(WalletProgram.parseAsRoot(transfer) as? Transfer).factor == "authenticator")
        let signIn = ["sign-in", "--username", "ada", "--factor", typed]
        #expect(try #require(WalletProgram.parseAsRoot(signIn) as? SignIn).factor == .authenticator)
        #expect(try WalletProgram.parseAsRoot(["recover", "--username", "ada", "--factor", typed]) is Recover)
        for command in [Transfer.helpMessage(), SignIn.helpMessage(), Recover.helpMessage()] {
            #expect(command.contains("authenticator") && !command.contains("totp"), "\(command)")
        }
        #expect(FactorName.typed("totp", nil) == "authenticator")
        #expect(FactorName.typed("otp", "SMS") == "sms")
    }

    @Test("A phone number is either changed or removed")
    func phone() {
        for arguments in [[], ["+35921234567", "--remove"], ["--remove", "--code-stdin"]] {
            #expect(throws: (any Error).self, "\(arguments)") {
                try WalletProgram.parseAsRoot(["account", "phone"] + arguments)
            }
        }
        for arguments in [["+35921234567"], ["--remove"]] {
            #expect(throws: Never.self, "\(arguments)") {
                try WalletProgram.parseAsRoot(["account", "phone"] + arguments)
            }
        }
    }

    @Test(
        "The options of every command may stand before it, with their values",
        arguments: [
            (["--home", "X", "status"], ["status", "--home", "X"]),
            (
                ["--home=status", "--json", "pin", "--profile", "work", "set"],
                ["pin", "set", "--home=status", "--json", "--profile", "work"]
            ),
            (["--home", "X", "call", "https://api.example.com"], ["call", "--home", "X", "https://api.example.com"]),
            (["--home", "X", "statsu"], ["statsu", "--home", "X"]),
            (["--username", "ada", "sign-in"], ["--username", "ada", "sign-in"]),
        ])
    func optionsFirst(_ typed: [String], _ parsed: [String]) {
        #expect(WalletProgram.meant(typed) == parsed)
    }

    @Test(
        "An argument that is not taken, or an option in the wrong place, is answered by what was meant",
        arguments: [
            (
                ["sign-in", "ada"],
                "`wallet sign-in` takes no argument like 'ada'; the server's page in the browser asks who you are, and "
                    + "--username NAME signs in here; see `wallet sign-in --help`"
            ),
            (
                ["status", "work"],
                "`wallet status` takes no argument like 'work'; --profile NAME chooses another wallet; "
                    + "see `wallet status --help`"
            ),
            (
                ["pin", "set", "1234"],
                "`wallet pin set` takes no argument like '1234'; it asks for codes and secrets, because everyone on this "
                    + "machine can see arguments; see `wallet pin set --help`"
            ),
            (["recover", "ada"], "--username <name> is missing; see `wallet recover --help`"),
            (
                ["--username", "ada", "sign-in"],
                "the option '--username' goes after `wallet sign-in`; see `wallet sign-in --help`"
            ),
        ])
    func notTaken(_ arguments: [String], _ expected: String) {
        let error = #expect(throws: (any Error).self) { try WalletProgram.parseAsRoot(arguments) }
        #expect(error.map { WalletProgram.mistake(for: $0, in: arguments).line } == expected)
    }

    @Test(
        "A misspelled command or option gets the intended one as a suggestion, and not the next best",
        arguments: [
            (["signin", "--username", "ada"], "unknown command 'signin'; did you mean 'sign-in'? See `wallet --help`"),
            (["signout"], "unknown command 'signout'; did you mean 'sign-out'? See `wallet --help`"),
            (["transaction"], "unknown command 'transaction'; did you mean 'transactions'? See `wallet --help`"),
            (["payees", "ad"], "unknown command 'ad'; did you mean 'add'? See `wallet payees --help`"),
            (["nonsense"], "unknown command 'nonsense'; see `wallet --help`"),
            (
                ["sign-in", "--user", "ada"],
                "unknown option '--user'; did you mean '--username'? See `wallet sign-in --help`"
            ),
            (
                ["sign-in", "--client", "app"],
                "unknown option '--client'; did you mean '--client-id'? See `wallet sign-in --help`"
            ),
            (["status", "--user"], "unknown option '--user'; see `wallet status --help`"),
            (
                ["transfer", "--to", "Dune Bakery", "--ammount", "5"],
                "unknown option '--ammount'; did you mean '--amount'? See `wallet transfer --help`"
            ),
            (
                ["transfer", "--amount", "--3", "--refrence", "x"],
                "unknown option '--refrence'; did you mean '--reference'? See `wallet transfer --help`"
            ),
            (
                ["recover", "--usrname=ada", "--json"],
                "unknown option '--usrname'; did you mean '--username'? See `wallet recover --help`"
            ),
            (["transfer", "--to", "x"], "--amount <amount> is missing; see `wallet transfer --help`"),
            (["status", "--isuer=x"], "unknown option '--isuer'; did you mean '--issuer'? See `wallet status --help`"),
        ])
    func suggestions(_ arguments: [String], _ expected: String) {
        let error = #expect(throws: (any Error).self) { try WalletProgram.parseAsRoot(arguments) }
        #expect(error.map { WalletProgram.mistake(for: $0, in: arguments).line } == expected)
    }

    @Test("Help for a command that does not exist is refused like the command itself")
    func unknownHelp() {
        let arguments = ["help", "sign-on"]
        let error = #expect(throws: (any Error).self) { try WalletProgram.refuseHelpForUnknown(arguments) }
        let line = error.map { WalletProgram.mistake(for: $0, in: arguments).line }
        #expect(line == "unknown command 'sign-on'; did you mean 'sign-in'? See `wallet --help`")
        #expect(throws: Never.self) { try WalletProgram.refuseHelpForUnknown(["help", "sign-in"]) }
    }

    @Test("attack: another user of the machine reads the code of an authenticator app among the arguments of what runs")
    func codeAmongArguments() throws {
        let confirm = ["mfa", "authenticator", "--confirm"]
        #expect(throws: (any Error).self) { try WalletProgram.parseAsRoot(confirm + ["123456"]) }
        #expect(try WalletProgram.parseAsRoot(confirm + ["--code-stdin"]) is MFA.Authenticator)
        #expect(throws: (any Error).self) { try WalletProgram.parseAsRoot(["mfa", "authenticator", "--code-stdin"]) }
    }

    @Test(
        "A refused amount or currency is quoted as it was typed",
        arguments: [
            (["--amount", "1,5"], "--amount 1,5 is not a number such as 12.50"),
            (["--amount", "1.5"], "--amount 1.5 needs 2 digits after the decimal point"),
            (["--amount", "0.00"], "--amount 0.00 is zero"),
            (["--amount", "5", "--currency", "eur"], "--currency eur is not three upper-case letters"),
        ])
    func amounts(_ typed: [String], _ expected: String) {
        let arguments = ["transfer", "--to", "Dune Bakery"] + typed
        let error = #expect(throws: (any Error).self) { try WalletProgram.parseAsRoot(arguments) }
        let line = error.map { WalletProgram.mistake(for: $0, in: arguments).line }
        #expect(line?.hasPrefix(expected) == true, "\(line ?? "")")
    }
}
