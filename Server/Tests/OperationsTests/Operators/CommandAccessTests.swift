import Apple
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Which roles run which commands over HTTP", .covers("roles of operators"))
struct CommandAccessTests {
    private static let commands = Administration.nouns.flatMap { $0.commands } + AppleFlows.commands

    /// A command that is added, or gets another role, is decided here as well.
    private static let table = """
        account consents: GET owner support auditor; POST owner support
        account create: POST owner
        account deactivate: POST owner support
        account erase: POST owner
        account expire-password: POST owner support
        account explain: GET owner support auditor
        account export: GET owner
        account import-batch: never
        account keep: POST owner support
        account list: GET owner support auditor
        account merge: GET owner; POST owner
        account reactivate: POST owner support
        account remove-pin: POST owner support
        account set-email: POST owner
        account set-password: never
        account set-phone: POST owner
        account show: GET owner support auditor
        account update: POST owner
        account verify-email: POST owner
        audit checkpoint: GET owner auditor
        audit evidence: GET owner auditor
        audit key: GET owner auditor
        audit tail: GET owner auditor
        audit verify: GET owner auditor
        brand create: POST owner
        brand list: GET owner support auditor developer
        brand show: GET owner support auditor developer
        brand text: GET owner auditor developer; POST owner developer
        brand update: POST owner
        client create: POST owner developer
        client delete: POST owner developer
        client list: GET owner auditor developer
        client rotate-secret: POST owner developer
        client show: GET owner auditor developer
        client update: POST owner developer
        clock accept: never
        clock show: never
        database backup: never
        database change-issuer: never
        database check: never
        database migrate: never
        database restore-report: never
        database sweep: never
        device confirm: POST owner
        device deactivate: POST owner support
        device list: GET owner support auditor
        device reactivate: POST owner support
        device remove: POST owner support
        device resume: POST owner support
        device suspend: POST owner support
        keys list: GET owner auditor
        keys revoke: POST owner
        keys rotate: POST owner
        keys rotate-master: never
        merchant add-employee: POST owner
        merchant create: POST owner
        merchant install-client: POST owner
        merchant list: GET owner auditor developer
        merchant remove-client: POST owner
        merchant remove-employee: POST owner
        operator grant: POST owner
        operator list: GET owner auditor
        operator pending: GET owner auditor
        operator revoke: POST owner
        outbox list: GET owner support auditor developer
        outbox retry: POST owner support developer
        passkey examine: never
        passkey list: GET owner support auditor
        passkey remove: POST owner support
        provider add apple: POST owner
        provider add google: POST owner
        provider add introspection: POST owner
        provider add oidc: POST owner
        provider add repository: POST owner
        provider check: GET owner developer
        provider examine: never
        provider list: GET owner auditor developer
        provider remove: POST owner
        provider show: GET owner auditor developer
        provider transfer: POST owner
        session end: POST owner support
        session list: GET owner support auditor
        webhook add: POST owner developer
        webhook list: GET owner auditor developer
        webhook remove: POST owner developer
        webhook replay: POST owner developer
        webhook rotate-secret: POST owner developer
        webhook show: GET owner auditor developer
        webhook test: POST owner developer
        """

    private func roles(_ access: CommandAccess, reading: Bool) -> String {
        access.admitted(reading: reading).map(\.rawValue).joined(separator: " ")
    }

    @Test("Each command has exactly the roles of the table, and those of the machine and the database have none")
    func table() {
        let lines = Self.commands.sorted { $0.title < $1.title }.map { command in
            let access = command.access
            let parts = [
                access.readers.map { _ in "GET " + roles(access, reading: true) },
                access.changers.map { _ in "POST " + roles(access, reading: false) },
            ].compactMap { $0 }
            return "\(command.title): \(parts.isEmpty ? "never" : parts.joined(separator: "; "))"
        }
        #expect(lines.joined(separator: "\n") == Self.table)
    }

    @Test("Owners run all that is offered, auditors change nothing; owners alone erase, merge, export and grant")
    func rules() {
        for command in Self.commands {
            let access = command.access
            #expect(!access.admits(.auditor, reading: false), "\(command.title)")
            #expect(access.admits(.owner, reading: true) == (access.readers != nil), "\(command.title)")
            #expect(access.admits(.owner, reading: false) == (access.changers != nil), "\(command.title)")
        }
        for title in [
            "account erase", "account merge", "account export", "account set-email", "operator grant",
            "operator revoke",
        ] {
            let access = Self.commands.first { $0.title == title }?.access
            #expect(access?.admitted(reading: false).filter { $0 != .owner } == [], "\(title)")
            #expect(access?.admitted(reading: true).filter { $0 != .owner } == [], "\(title)")
        }
    }

    @Test("No command that is hidden, belongs to the machine, or needs input that no member brings is offered")
    func terminal() {
        for command in Self.commands where command.access.isOffered {
            let (title, isListed) = (command.title, command.isListed)
            let lacksInput = command is any CommandWithInput.Type && command.inputOption == nil
            #expect(isListed && !lacksInput, "\(title)")
            #expect(!title.hasPrefix("database ") && !title.hasPrefix("clock "), "\(title)")
        }
    }
}
