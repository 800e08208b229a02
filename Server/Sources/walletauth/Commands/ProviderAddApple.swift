import AppleSignIn
import ArgumentParser
import AuthAdministration

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ProviderAddApple: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple", abstract: "Add Sign in with Apple.",
        discussion: """
            docs/sign-in-with-apple.md walks through Apple's console. The key is sealed in the database: keep the .p8 file \
            offline, since Apple lets you download it only once.
            """)

    @Option(help: "The id that apps use for it.")
    var id: String

    @Option(help: "The brand whose people may sign in with it; `default` if omitted.")
    var brand: String?

    @Option(help: "The team id, ten characters, from the membership page of your developer account.")
    var teamID: String

    @Option(help: "The key id, ten characters, from the page of the key.")
    var keyID: String

    @Option(help: ArgumentHelp("The .p8 file of the key.", valueName: "file"))
    var privateKey: String

    @Option(
        name: .customLong("client-id"),
        help: "The bundle id of an app grouped under the key's primary App ID; may be repeated.")
    var clientIDs: [String] = []

    @Option(help: "The Services ID for hosted pages; without it, they do not offer Apple.")
    var servicesID: String?

    @Option(help: "The URL of a stand-in for Apple, in a sandbox.")
    var baseURL: String?

    @Option(
        name: .customLong("merchant"), help: "The number of the merchant whose backend uses --integration-id.")
    var merchantID: Int64?

    @Option(help: "The id that the merchant's backend uses for it.")
    var integrationID: String?

    @Option(help: "The cardTemplateCode that an enrollment must name; any if omitted.")
    var cardTemplate: Int64?

    @Option(help: "The activationStoreCode that an enrollment must name; any if omitted.")
    var activationStore: String?

    @OptionGroup var output: OutputOptions

    /// A key has a few hundred bytes.
    private static let longestFile = 16 * 1024

    func command() throws -> AdministrationCommand {
        let file: [UInt8]
        do { file = try ReadableFile.bytes(privateKey, upTo: Self.longestFile) } catch {
            throw Refusal("\(privateKey) \(error.reason)")
        }
        var registration = AppleRegistration(
            id: id, teamID: teamID, keyID: keyID, privateKey: file, clientIDs: clientIDs)
        registration.privateKeyName = privateKey.split(separator: "/").last.map(String.init)
        registration.brand = brand
        registration.servicesID = servicesID
        registration.base = baseURL
        registration.merchantID = merchantID
        registration.integrationID = integrationID
        registration.cardTemplate = cardTemplate
        registration.activationStore = activationStore
        return .flow(name: AppleVendor.kind, command: Array(try JSONEncoder().encode(AppleCommand.add(registration))))
    }
}
