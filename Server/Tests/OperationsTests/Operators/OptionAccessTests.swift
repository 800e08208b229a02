import Apple
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite(
    "Which options a developer of one brand may use", .covers("roles of operators"),
    .threat("An operator's rights over HTTP"))
struct OptionAccessTests {
    /// The commands with which developers change what people trust.
    private static let commands: [any AdminCommand.Type] = [
        ClientCreate.self, ClientDelete.self, ClientRotateSecret.self, ClientUpdate.self,
    ]

    /// Who may use them at a client or in a brand of their own. An option that is added is decided here as well.
    private static let table = """
        client create, developers: --name --public --confidential --scope --require-merchant --transactions-without-account \
        --verify-app-installation --brand --resource --device-tokens --device-grant --redeemer --require-par \
        --require-signed-requests --fapi --authorization-details-type --metadata-host --require-pkce --without-pkce \
        --ciba --ciba-notification-endpoint --redirect-uri --site-url --reset-credentials-url --consent-return-url \
        --apple-app-id --android-app --passkey-origin --app-store-url --play-store-url --push-topic \
        --post-logout-redirect-uri --backchannel-logout-uri --attest --attestation-claim --no-attestation-claim \
        --loyalty-merchant --auth-method --jwks --jwks-uri --require-dpop --allow-bearer --id-token-algorithm \
        --access-token-lifetime --refresh-idle-lifetime --refresh-absolute-lifetime
        client create, owners of all brands: --first-party --guest-tokens --guest-passwords --admin-role --admin-all-brands
        client create, roles of all brands: --introspection --token-exchange
        client delete, developers:
        client rotate-secret, not at trusted clients: --overlap --end-former
        client update, developers: --name --remove-scope --id-token-algorithm --access-token-lifetime --refresh-idle-lifetime \
        --refresh-absolute-lifetime
        client update, not at trusted clients: --add-scope --add-resource --remove-resource --redeemer --device-tokens \
        --no-device-tokens --device-grant --no-device-grant --verify-app-installation --no-verify-app-installation \
        --no-introspection --no-token-exchange --transactions-without-account --no-transactions-without-account \
        --require-par --no-require-par --require-signed-requests --no-require-signed-requests --fapi --no-fapi \
        --add-authorization-details-type --remove-authorization-details-type --add-metadata-host --remove-metadata-host \
        --require-pkce --without-pkce --ciba --ciba-notification-endpoint --add-redirect-uri --remove-redirect-uri \
        --add-reset-credentials-url \
        --remove-reset-credentials-url --add-consent-return-url --remove-consent-return-url --add-apple-app-id \
        --remove-apple-app-id --add-android-app --remove-android-app --add-passkey-origin --remove-passkey-origin --site-url \
        --app-store-url --play-store-url --push-topic --add-post-logout-redirect-uri --remove-post-logout-redirect-uri \
        --backchannel-logout-uri --attest --attestation-claim --no-attestation-claim --add-loyalty-merchant \
        --remove-loyalty-merchant --jwks --jwks-uri --require-dpop --allow-bearer
        client update, owners of all brands: --first-party --no-first-party --guest-tokens --no-guest-tokens --guest-passwords \
        --no-guest-passwords
        client update, roles of all brands: --introspection --token-exchange
        """

    private func reach(_ target: CommandTarget) -> String {
        switch target {
        case .administration: "owners of all brands"
        case .client(_, let concern) where concern.contains(.ownership): "owners of all brands"
        case .everything: "roles of all brands"
        case .client(_, let concern) where concern.contains(.everyBrand): "roles of all brands"
        case .client(_, let concern) where concern.contains(.credentials): "not at trusted clients"
        case .brand, .client: "developers"
        case .account, .accounts, .device, .passkey: "others"
        }
    }

    /// The option with a value; with its contrary, if it has one.
    private func uses(of member: CommandForm.Member) -> [String] {
        if member.kind == .input { return [member.inputWord] }
        guard member.kind == .option else {
            return [member.option, member.negation].compactMap { $0 }.map { "--" + $0 }
        }
        return ["--\(member.option)=" + (member.choices.first ?? (member.isNumber ? "1" : "x"))]
    }

    /// An option of a command with what it needs besides, for each option.
    private func lines(of command: any AdminCommand.Type) throws -> [String] {
        let members = try CommandForm.of(command).members
        let options = members.filter { $0.kind != .positional }
        let required = options.filter(\.isRequired).flatMap(uses)
        let ids = members.contains { $0.kind == .positional && $0.isRequired } ? ["--", "x"] : []
        var found: [(reach: String, option: String)] = []
        for use in options.isEmpty ? [""] : options.flatMap(uses) {
            let given = (required.contains(use) ? required : required + [use]).filter { !$0.isEmpty }
            let words = command.title.split(separator: " ").map(String.init) + given + ids
            let target = try command.parse(AdminRequest(words, input: "x")).target
            found.append((reach(target), String(use.prefix { $0 != "=" })))
        }
        return Dictionary(grouping: found, by: \.reach).sorted { $0.key < $1.key }.map { reach, found in
            let names = found.map(\.option).filter { !$0.isEmpty }
            return (["\(command.title), \(reach):"] + names).joined(separator: " ")
        }
    }

    @Test("Each option has exactly the reach of the table")
    func options() throws {
        let lines = try Self.commands.flatMap { try self.lines(of: $0) }
        #expect(lines.joined(separator: "\n") == Self.table)
    }

    @Test("Only owners of all brands add and remove providers, of any kind and with any options")
    func providers() throws {
        let commands = Administration.nouns.flatMap { $0.commands } + AppleFlows.commands
        for (title, options) in [
            ("provider add apple", ["--team-id=x", "--key-id=x", "--private-key=x", "--client-id=x"]),
            ("provider add google", ["--client-id=x", "--client-secret-stdin"]),
            ("provider add introspection", ["--endpoint=x", "--client-id=x", "--until=x", "--", "x"]),
            ("provider add oidc", ["--issuer=x", "--client-id=x", "--", "x"]),
            ("provider add repository", ["--endpoint=x", "--", "x"]), ("provider remove", ["--", "x"]),
        ] {
            let command = try #require(commands.first { $0.title == title })
            let words = title.split(separator: " ").map(String.init) + options
            let target = try command.parse(AdminRequest(words, input: "x")).target
            #expect(reach(target) == "owners of all brands", "\(title)")
            #expect(command.access == .owners, "\(title)")
        }
    }

    @Test("Scopes that act for other people are owners' of all brands alone, with others or without")
    func scopes() throws {
        for scopes in ["admin", "login_nonces", "openid admin", "openid login_nonces"] {
            for words in [
                ["client", "create", "x", "--name=x", "--scope=\(scopes)"],
                ["client", "update", "x", "--add-scope=\(scopes)"],
            ] {
                let command = Self.commands.first { $0.title == words.prefix(2).joined(separator: " ") }
                let target = try #require(command).parse(AdminRequest(words)).target
                #expect(reach(target) == "owners of all brands", "\(words)")
            }
        }
    }
}
