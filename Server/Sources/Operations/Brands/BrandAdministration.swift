internal import ArgumentParser
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

enum BrandCommands: CommandNoun {
    static let title = "brand"
    static let abstract = "Create and change brands: sets of accounts with their own look and rules."
    static let commands: [any AdminCommand.Type] = [
        BrandCreate.self, BrandList.self, BrandShow.self, BrandUpdate.self, BrandText.self,
    ]
}

struct BrandCreate: AdminCommand {
    static let title = "brand create"
    static let abstract = "Create a brand."

    @Argument(help: "The brand id, as it appears in URLs.")
    var id: String

    @Option(help: "The name that people see on the pages.")
    var name: String

    func execute(in brands: BrandAdministration) async throws -> AdministrationAnswer {
        let now = brands.clock.now()
        let brand = BrandRecord(
            id: try BrandID(id).rawValue, name: try DisplayName.check(name), settings: "{}", createdAt: now)
        let entry = try brands.auditLog.administration(
            AdministrationEvent.brandCreated, details: JSONObject(strings: ["brand": brand.id, "name": brand.name]),
            now: now)
        let isCreated = try await brands.database.write { connection in
            guard try Brands.create(brand, on: connection) else { return false }
            try entry.write(on: connection)
            return true
        }
        guard isCreated else { throw AdministrationRefusal.taken("brand", id) }
        return .done("Brand \(brand.id) created.", try brand.shown())
    }
}

struct BrandList: AdminCommand {
    static let title = "brand list"
    static let access = CommandAccess.reading(.support, .developer, .auditor)
    static let abstract = "List the brands."

    var effect: CommandEffect { .reads }

    func execute(in brands: BrandAdministration) async throws -> AdministrationAnswer {
        let found = try await brands.database.everyPage { after, limit, connection in
            try Brands.list(after: after?.id ?? "", limit: limit, on: connection)
        }
        return .list(
            "brands", columns: ["ID", "NAME"], try found.map { ([$0.id, $0.name], try $0.shown()) }, empty: "No brands."
        )
    }
}

struct BrandShow: AdminCommand {
    static let title = "brand show"
    static let access = CommandAccess.reading(.support, .developer, .auditor)
    static let abstract = "Show everything about a brand."

    @OptionGroup var brand: IDOptions

    var target: CommandTarget { .brand(brand.id) }

    var effect: CommandEffect { .reads }

    func execute(in brands: BrandAdministration) async throws -> AdministrationAnswer {
        let id = brand.id
        guard let brand = try await brands.database.read({ try Brands.find(id, on: $0) }) else {
            throw AdministrationRefusal.notFound("brand", id)
        }
        let look = try BrandProfile(json: brand.settings)
        let facts: [(name: String, value: String?)] = [
            ("id", brand.id), ("name", brand.name), ("color", look.color), ("logo", look.logoURL),
            ("terms", look.termsURL), ("support", look.support),
            ("new devices", (look.newDevice ?? .secondFactor).rawValue),
            ("secret questions", look.secretQuestions ?? false ? "on" : nil),
            ("account PIN", look.accountPIN ?? false ? "on" : nil),
            ("scan sign-in", look.scanSignIn ?? false ? "on" : nil),
            ("registration", RegistrationRule(look).shown),
            ("own names", look.ownNames ?? false ? "on" : nil),
            ("passwords", look.passwordDays.map { "changed after \($0) day\($0 == 1 ? "" : "s")" }),
            ("closed accounts", look.closingDays.map { "erased after \($0) day\($0 == 1 ? "" : "s")" }),
            ("own texts", look.texts.map { String($0.all.count) }),
            ("created", brand.createdAt.text),
        ]
        return .facts(facts.compactMap { fact in fact.value.map { (fact.name, $0) } }, try brand.shown())
    }
}

struct BrandUpdate: AdminCommand {
    static let title = "brand update"
    static let abstract = "Change a brand's name, look and rules; omitted options stay as they are."
    static let discussion = """
        An empty --color, --logo-url, --terms-url or --support removes the value. --new-device decides what a native sign-in \
        needs besides the password on a device that is not linked to its account. Answers to secret questions are \
        often easy to find out: they let people sign in, but never count as a second category of factor. An \
        account PIN replaces the password on the web page of an app that asks for it (login_strategy=PIN), and on \
        first-party apps' own screens; five wrong ones lock it. With --scan-sign-in on, the sign-in page of a first-party app has \
        the button "Sign in with your phone", which shows a code \
        that people scan with their enrolled phone and approve there; such a sign-in changes no settings and \
        approves no payments, but someone who is tricked into scanning a stranger's page can still sign that stranger in. \
        With --registration on, newcomers make an account by themselves, on an app's sign-in page or in its own screens: \
        they prove an e-mail address (or a phone, where SMS is set up) with a code, and choose a user name and a \
        password; with --registration passkey, they may create a passkey instead of the password: on the page, and in \
        an app's own screens if its client has --apple-app-id, --android-app or --passkey-origin. With --password-days, \
        people must choose a new password once theirs is older than that, and existing passwords count too; apps learn the \
        date in advance. NIST SP 800-63B advises against this unless there is evidence that a password is compromised. With \
        --closing-days 0, an account that its holder closes is erased an hour later.
        """

    @Argument(help: "The brand id, as it appears in URLs.")
    var id: String

    @OptionGroup var change: BrandChange

    var target: CommandTarget { .brand(id) }

    func checkRequest() throws {
        guard !change.isEmpty else { throw ValidationError("nothing to change: use at least one option") }
    }

    func execute(in brands: BrandAdministration) async throws -> AdministrationAnswer {
        try await brands.update(id, change)
    }
}

/// Changes to a brand. `nil` leaves a member as it is, an empty color or address removes it.
struct BrandChange: ParsableArguments {
    @Option(help: "The name that people see on the pages.")
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Six hexadecimal digits, the color of buttons and links; text on any color stays readable.",
            valueName: "hex"))
    var color: String?

    @Option(help: ArgumentHelp("The https address of an image that replaces the name.", valueName: "url"))
    var logoURL: String?

    @Option(
        help: ArgumentHelp(
            "The https address of the terms that people accept when they create an account on a page.", valueName: "url"
        ))
    var termsURL: String?

    @Option(
        help: ArgumentHelp(
            "Where people get help, named on pages and in mails: an https address, an e-mail address or a phone number.",
            valueName: "address"))
    var support: String?

    @Option(
        help: ArgumentHelp(
            "What sign-in requires on a device that is not linked: second_factor (the default) or allow.",
            valueName: "rule"),
        completion: .list(NewDevicePolicy.allCases.map(\.rawValue)))
    var newDevice: String?

    @Option(
        help: ArgumentHelp(
            "Whether secret questions can be a second factor: on or off (the default).", valueName: "state"))
    var secretQuestions: Switch?

    @Option(
        help: ArgumentHelp(
            "Whether people can sign in on the web with an account PIN: on or off (the default).", valueName: "state"))
    var accountPIN: Switch?

    @Option(
        help: ArgumentHelp(
            "Whether people can sign in by scanning the sign-in page with their phone: on or off (the default).",
            valueName: "state"))
    var scanSignIn: Switch?

    @Option(
        help: ArgumentHelp(
            "Whether newcomers can make an account by themselves: on (with a password), passkey (with either) or off (the default).",
            valueName: "rule"))
    var registration: RegistrationRule?

    @Option(
        help: ArgumentHelp(
            "Whether people can change their own name on the account's page: on or off (the default).",
            valueName: "state"))
    var ownNames: Switch?

    @Option(
        help: ArgumentHelp(
            "The age in days at which a password has to be changed; 0 (the default) for no limit.", valueName: "days"))
    var passwordDays: Int?

    @Option(
        help: ArgumentHelp(
            "The days after which an account that its holder closed is erased: 0 to 90, 7 by default.",
            valueName: "days"))
    var closingDays: Int?

    var isEmpty: Bool {
        [name, color, logoURL, termsURL, support, newDevice].allSatisfy { $0 == nil } && secretQuestions == nil
            && accountPIN == nil && scanSignIn == nil && registration == nil && ownNames == nil
            && passwordDays == nil && closingDays == nil
    }
}

/// How newcomers make an account by themselves.
enum RegistrationRule: String, ExpressibleByArgument, CaseIterable {
    /// With a password.
    case on
    /// With a password, or on the page with a passkey.
    case passkey
    case off

    fileprivate init(_ look: BrandProfile) {
        self = look.registration != true ? .off : look.registersByPasskey == true ? .passkey : .on
    }

    /// `nil` if no one can.
    fileprivate var shown: String? { self == .off ? nil : rawValue }
}

/// On or off.
enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}

/// What operators do to brands.
struct BrandAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let random: any RandomBytes
    let auditLog: AuditLog

    fileprivate func update(_ id: String, _ change: BrandChange) async throws -> AdministrationAnswer {
        let name = try change.name.map { try DisplayName.check($0) }
        let color = try change.color.map { $0.isEmpty ? nil : try BrandProfile.color($0) }
        let logoURL = try change.logoURL.map { $0.isEmpty ? nil : try BrandProfile.logo($0) }
        let termsURL = try change.termsURL.map { $0.isEmpty ? nil : try BrandProfile.terms($0) }
        let support = try change.support.map { $0.isEmpty ? nil : try BrandProfile.support($0) }
        let newDevice = try change.newDevice.map { text in
            guard let policy = NewDevicePolicy(rawValue: text) else {
                throw MalformedValue(field: "new-device", reason: "must be second_factor or allow")
            }
            return policy
        }
        let passwordDays = try change.passwordDays.map { try BrandProfile.passwordDays($0) }
        let closingDays = try change.closingDays.map { try BrandProfile.closingDays($0) }
        if let rule = change.registration, rule != .off { try await prepareRegistration(id) }
        let run = try random.uniqueID().uuid
        let entry = try auditLog.administration(
            AdministrationEvent.brandChanged, details: details(of: change, to: id), now: clock.now())
        let written = try await database.write { connection -> (brand: BrandRecord, endsPINs: Bool)? in
            guard var brand = try Brands.find(id, on: connection) else { return nil }
            var look = try BrandProfile(json: brand.settings)
            if let name { brand.name = name }
            if let color { look.color = color }
            if let logoURL { look.logoURL = logoURL }
            if let termsURL { look.termsURL = termsURL }
            if let support { look.support = support }
            if let newDevice { look.newDevice = newDevice }
            if let secretQuestions = change.secretQuestions { look.secretQuestions = secretQuestions == .on }
            if let scanSignIn = change.scanSignIn { look.scanSignIn = scanSignIn == .on }
            if let rule = change.registration {
                look.registration = rule != .off
                look.registersByPasskey = rule == .passkey
            }
            if let ownNames = change.ownNames { look.ownNames = ownNames == .on }
            if let passwordDays { look.passwordDays = passwordDays }
            if let closingDays { look.closingDays = closingDays }
            let endsPINs = change.accountPIN.map { look.turnPINs($0 == .on, by: run) } ?? false
            brand.settings = try look.json()
            guard try Brands.update(id, name: brand.name, settings: brand.settings, on: connection) else { return nil }
            try entry.write(on: connection)
            return (brand: brand, endsPINs: endsPINs)
        }
        guard let written else { throw AdministrationRefusal.notFound("brand", id) }
        guard change.accountPIN == .off else { return .done("Brand \(id) changed.", try written.brand.shown()) }
        let ended = written.endsPINs ? try await endSignInsByPIN(of: id, by: run) : 0
        var answer = try written.brand.shown()
        answer.set("sessionsEnded", Int64(ended))
        return .done(
            [
                "Brand \(id) changed.",
                "Account PINs can no longer be used in it. Sessions that ended because an account PIN opened them: \(ended).",
            ], answer)
    }

    /// Has the accounts found by their addresses, also those from before addresses were recorded.
    private func prepareRegistration(_ id: String) async throws {
        guard try await database.read({ try Brands.find(id, on: $0) }) != nil else { return }
        try await AccountDigests.complete(BrandID(id), sealing: auditLog.sealing, in: database)
    }

    /// The change for the audit log. Nothing in it is secret.
    private func details(of change: BrandChange, to id: String) -> JSONObject {
        var details = JSONObject(strings: ["brand": id])
        details.set("name", change.name)
        details.set("color", change.color)
        details.set("logoUrl", change.logoURL)
        details.set("termsUrl", change.termsURL)
        details.set("support", change.support)
        details.set("newDevice", change.newDevice)
        details.set("secretQuestions", change.secretQuestions.map { $0 == .on })
        details.set("accountPin", change.accountPIN.map { $0 == .on })
        details.set("scanSignIn", change.scanSignIn.map { $0 == .on })
        details.set("registration", change.registration.map { $0 != .off })
        details.set("passkeyRegistration", change.registration.map { $0 == .passkey })
        details.set("ownNames", change.ownNames.map { $0 == .on })
        details.set("passwordDays", change.passwordDays.map { Int64($0) })
        details.set("closingDays", change.closingDays.map { Int64($0) })
        return details
    }

    /// Voids pending sign-ins of each account with a PIN, and ends the sessions opened with it, in bounded batches. Browsers
    /// have to sign in again for good: turning PINs off blocks them only until PINs are on again.
    /// - Parameters:
    ///   - brand: the brand of the accounts.
    ///   - run: the id of this run.
    /// - Returns: the number of sessions ended.
    private func endSignInsByPIN(of brand: String, by run: String) async throws -> Int {
        var last: UniqueID?
        var ended = 0
        repeat {
            let after = last
            let batch = try await database.write { connection -> (last: UniqueID?, ended: Int) in
                // The time of each write: a device that signed in while earlier batches were written becomes untrusted as well.
                let now = clock.now()
                let accounts = try AccountPINs.accounts(of: brand, after: after, limit: 200, on: connection)
                var count = 0
                for account in accounts {
                    count += try AccountPINs.voidSignIns(of: account, now: now, on: connection)
                }
                return (accounts.last, count)
            }
            last = batch.last
            ended += batch.ended
        } while last != nil
        try await database.write { connection in
            guard let record = try Brands.find(brand, on: connection) else { return }
            var look = try BrandProfile(json: record.settings)
            // If PINs were turned on in the meantime, or another run began, this run does not know what has been opened since.
            guard look.endOfPINs == .begun(run) else { return }
            look.endOfPINs = .done
            _ = try Brands.update(brand, name: record.name, settings: try look.json(), on: connection)
        }
        return ended
    }
}

extension BrandRecord {
    /// What operators see of it.
    fileprivate func shown() throws -> JSONObject {
        let look = try BrandProfile(json: settings)
        var json = JSONObject()
        json.set("id", id)
        json.set("name", name)
        json.set("color", look.color)
        json.set("logoUrl", look.logoURL)
        json.set("termsUrl", look.termsURL)
        json.set("support", look.support)
        json.set("newDevice", (look.newDevice ?? .secondFactor).rawValue)
        json["secretQuestions"] = .bool(look.secretQuestions ?? false)
        json.set("passwordDays", look.passwordDays.map { Int64($0) })
        json.set("closingDays", look.closingDays.map { Int64($0) })
        json["accountPin"] = .bool(look.accountPIN ?? false)
        json["scanSignIn"] = .bool(look.scanSignIn ?? false)
        json["registration"] = .bool(look.registration ?? false)
        json["passkeyRegistration"] = .bool(RegistrationRule(look) == .passkey)
        json["ownNames"] = .bool(look.ownNames ?? false)
        json.set("createdAt", createdAt.text)
        return json
    }
}

extension BrandProfile {
    /// Turns account PINs on or off.
    /// - Parameters:
    ///   - isOn: whether people may sign in with them from now on.
    ///   - run: the id of the run that ends what they opened.
    /// - Returns: whether to end it. Not if it was already ended, so that repeating the command signs no one out again.
    fileprivate mutating func turnPINs(_ isOn: Bool, by run: String) -> Bool {
        let wasEnded = endOfPINs == .done && accountPIN == false
        accountPIN = isOn
        guard !isOn else {
            endOfPINs = nil
            return false
        }
        if wasEnded { return false }
        endOfPINs = .begun(run)
        return true
    }
}
