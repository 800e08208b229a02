internal import ArgumentParser
internal import Kernel

/// What a new app has to prove when it enrolls a device. Its apps at Apple are those that open links.
struct ClientAttestationOptions: ParsableArguments, Sendable {
    @OptionGroup var policy: ClientAttestationPolicy

    @Option(
        name: .customLong("android-app"),
        help: ArgumentHelp(
            """
            An Android app that may be attested: its package, =, and the SHA-256 of its signing certificate in hexadecimal; may \
            be repeated.
            """, valueName: "package=digest"))
    var androidApps: [String] = []
}

/// The same for a client that exists.
struct ClientAttestationChange: ParsableArguments, Sendable {
    @OptionGroup var policy: ClientAttestationPolicy

    @Option(
        name: .customLong("add-android-app"),
        help: ArgumentHelp(
            "Add an Android app that may be attested; may be repeated.", valueName: "package=digest"))
    var addedAndroidApps: [String] = []

    @Option(
        name: .customLong("remove-android-app"),
        help: ArgumentHelp("Remove such an Android app; may be repeated.", valueName: "package=digest"))
    var removedAndroidApps: [String] = []
}

struct ClientAttestationPolicy: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            Whether the app that enrolls a device is attested by its platform: \(Self.names). With recorded, a device without \
            an attestation is enrolled all the same.
            """, valueName: "policy"),
        completion: .list(AttestationPolicy.allCases.map(\.rawValue)))
    var attest: String?

    private static let names = AttestationPolicy.allCases.map(\.rawValue).joined(separator: ", ")

    /// - Throws: ``AdministrationRefusal`` for another word.
    var value: AttestationPolicy? {
        get throws(AdministrationRefusal) {
            guard let attest else { return nil }
            guard let policy = AttestationPolicy(rawValue: attest) else {
                throw AdministrationRefusal("--attest must be one of \(Self.names).", code: "malformed")
            }
            return policy
        }
    }
}

extension ClientSettings {
    /// Checks the apps, and brings them into their one form.
    /// - Throws: ``AdministrationRefusal`` for another party's app, and for a policy that no app could satisfy.
    mutating func checkAttestation(of kind: ClientKind) throws(AdministrationRefusal) {
        var apps: [String] = []
        for text in androidApps {
            guard let app = AndroidApp(text) else {
                throw AdministrationRefusal(
                    """
                    \(CommandLineSyntax.quoted(text)) is not an Android app: it consists of the package, = and the SHA-256 of the \
                    signing certificate, as `keytool -printcert` shows it.
                    """, code: "malformed")
            }
            if !apps.contains(app.text) { apps.append(app.text) }
        }
        androidApps = apps
        guard !androidApps.isEmpty || attestation != .off else { return }
        guard kind == .public, firstParty else {
            throw AdministrationRefusal(
                "Only the operator's own apps enroll devices: leave out --attest and --android-app, or add --first-party.",
                code: "contradiction")
        }
        guard attestation == .off || !androidApps.isEmpty || !appleAppIDs.isEmpty else {
            throw AdministrationRefusal(
                """
                No app could be attested: name the client's apps, with --apple-app-id or --android-app (in an update \
                --add-apple-app-id or --add-android-app).
                """, code: "contradiction")
        }
    }
}
