import Foundation
import Programs
import Testing
import WalletAuth
import WalletAuthWire

@testable import wallet

@Suite("What `wallet` says of the person's own account", .covers("wallet.account"))
struct AccountAdviceTests {
    private static let id = "018cc251-f400-7000-8000-000000000001"

    private func payment(_ payee: String?, _ amount: Money?, _ kind: ApprovalKind = .operation) throws -> OpenPayment {
        OpenPayment(
            kind: kind, id: try TransactionID(Self.id), payee: payee, amount: amount,
            begunAt: NumericDate(clamping: 1_767_225_600), expiresAt: NumericDate(clamping: 1_767_226_500))
    }

    @Test("A closing that payments hold up names each, since when, and how to stop it or until when to wait")
    func openPayments() throws {
        let open = [
            try payment("Dune Bakery", try Money(minorUnits: 1250, currency: Currency("EUR"))),
            try payment(nil, nil, .transaction),
        ]
        let error = WalletError(
            .paymentsOpen, .refused, during: .closeAccount, reachedServer: true, openPayments: open, reason: "r")
        let failure = Failure(error, at: Failure.Place())
        #expect(failure.message.contains("12.50 EUR to Dune Bakery, begun at 2026-01-01T00:00:00Z (id \(Self.id))"))
        #expect(failure.message.contains("a transaction, begun at"), "\(failure.message)")
        #expect(failure.advice.contains("wallet approvals reject ID"))
        #expect(failure.advice.contains("wait until 2026-01-01T00:15:00Z"), "\(failure.advice)")
        #expect(failure.document.error.causes?.count == 2)
    }

    @Test("A sign-in to an account that its holder closed says when it is erased, and what takes that back")
    func closedByHolder() {
        for operation in [WalletError.Operation.loginByUsernamePassword, .recover] {
            let error = WalletError(
                .walletDeactivated, .refused, during: operation, reachedServer: true,
                eraseAt: Date(timeIntervalSince1970: 1_767_225_600), reason: "r")
            let failure = Failure(error, at: Failure.Place())
            #expect(failure.message == "you closed this account; it is erased at 2026-01-01T00:00:00Z")
            #expect(failure.advice.contains("wallet account keep"))
        }
        let byOperator = WalletError(
            .walletDeactivated, .refused, during: .loginByUsernamePassword, reachedServer: true, reason: "r")
        #expect(!Failure(byOperator, at: Failure.Place()).line.contains("account keep"))
    }

    @Test("A PIN of an account that the operator does not allow: the password, and the operator's command")
    func accountPINOff() {
        let error = WalletError(
            .loginStrategyUnavailable, .refused, during: .loginByAccountPIN, reachedServer: true, reason: "r")
        let advice = Failure(error, at: Failure.Place(server: "http://127.0.0.1:8700", username: "ada")).advice
        #expect(
            advice
                == "use the password: wallet sign-in --username ada; the operator can allow them with: walletauth brand update "
                + "default --account-pin on")
    }

    @Test(
        "A feature that the operator has switched off names the operator's command, in a sandbox with the brand's name",
        arguments: [("https://id.example.org", "BRAND"), ("http://127.0.0.1:8700", "default")])
    func switchedOff(server: String, brand: String) {
        for (code, option) in [
            (WalletError.Code.secretQuestionsOff, "--secret-questions on"), (.registrationOff, "--registration on"),
        ] {
            let error = WalletError(code, .refused, during: .listFactors, reachedServer: true, reason: "r")
            let advice = Failure(error, at: Failure.Place(server: server)).advice
            #expect(advice.contains("walletauth brand update \(brand) \(option)"), "\(advice)")
            #expect(!advice.contains("sign in"), "\(advice)")
        }
    }

    @Test("Where no new code is sent, the way on while none arrives is said")
    func noCode() {
        let said = SentCode.tooSoon(.seconds(30))
        #expect(said.contains("in 30 s") && said.contains("press Ctrl-C"), "\(said)")
        #expect(SentCode.wayOn(from: nil).isEmpty && SentCode.wayOn(from: "EMAIL") == SentCode.noneArrives)
    }

    @Test("A profile's name is in the commands about its account")
    func profile() {
        #expect(Failure.naming("work", in: "see: wallet account show") == "see: wallet account show --profile work")
    }

    @Test(
        "A second factor whose code the server cannot send: the other ways, and the operator's command that says what helps"
    )
    func undeliverable() {
        let error = WalletError(
            .unmetAuthenticationRequirements, .refused, during: .signIn, reachedServer: true, isFromWalletAuth: true,
            reason: "this server cannot send the code of the second factor")
        let line = Failure(error, at: Failure.Place()).line
        #expect(line.contains("the code of the second factor; use a passkey"), "\(line)")
        #expect(line.contains("walletauth account explain NAME"), "\(line)")
        let inApp = WalletError(
            .deliveryUnavailable, .refused, during: .loginByUsernamePassword, reachedServer: true, reason: "r")
        let said = Failure(inApp, at: Failure.Place()).line
        #expect(said.contains("cannot send you the code that this sign-in needs; use a device"), "\(said)")
        #expect(!said.contains("--browser"), "\(said)")
        #expect(said.contains("walletauth account explain NAME"), "\(said)")
        let change = WalletError(
            .deliveryUnavailable, .refused, during: .changeContact, reachedServer: true, reason: "r")
        #expect(Failure(change, at: Failure.Place()).line.contains("sends no messages there"))
    }

    @Test("A refusal to remove the phone number says what to do first, or that there is none")
    func phoneRemoval() {
        func line(_ code: WalletError.Code) -> String {
            let error = WalletError(code, .refused, during: .changeContact, reachedServer: true, reason: "r")
            return Failure(error, at: Failure.Place()).line
        }
        #expect(line(.lastContact).hasSuffix("add one first with: wallet account email ADDRESS"))
        #expect(line(.factorNotFound).contains("your account has no phone number"))
    }

    @Test("A refused new password is explained by the rule that it breaks, in every command")
    func passwordRules() {
        for (fault, words) in [
            (PasswordFault.tooShort, "at least 8 characters"), (.tooLong, "at most 256 characters"),
            (.tooCommon, "too common"), (.containsName, "contains the user name"), (.breached, "stolen passwords"),
            (.unchanged, "your current password"),
        ] {
            let error = WalletError(
                .init(rawValue: "password_\(fault.rawValue)"), .refused, during: .changePassword, reachedServer: true,
                reason: "r")
            #expect(PasswordRules.fault(of: error) == fault)
            #expect(PasswordRules.sentence(fault).contains(words))
            let line = Failure(error, at: Failure.Place()).line
            #expect(line.contains(words) && line.hasSuffix("; choose another one"), "\(line)")
        }
        #expect(PasswordRules.fault(in: "1234567")?.hasSuffix("8 characters. Choose another one.") == true)
        #expect(PasswordRules.fault(in: "12345678") == nil)
    }

    @Test("A cooling period's refusal names what was tried, and until when it is refused")
    func cooling() {
        func line(_ code: WalletError.Code, _ operation: WalletError.Operation, _ until: Date?) -> String {
            let error = WalletError(
                code, .refused, during: operation, reachedServer: true, coolingUntil: until, reason: "r")
            return Failure(error, at: Failure.Place()).line
        }
        let until = Date(timeIntervalSince1970: 1_767_225_600)
        let export = line(.recoveryCooling, .exportAccount, until)
        #expect(
            export.contains("until 2026-01-01T00:00:00Z you cannot export your account; try again then"), "\(export)")
        #expect(line(.recoveryCooling, .changePassword, until).contains("cannot change your password"))
        #expect(line(.recoveryCooling, .changeFactors, nil).contains("run: wallet mfa list"))
        let closing = line(.contactCooling, .closeAccount, until)
        #expect(closing.contains("cannot be closed until 2026-01-01T00:00:00Z; try again then"), "\(closing)")
        #expect(line(.contactCooling, .closeAccount, nil).hasSuffix("try again after a day"))
    }

    @Test("A waiting time refuses to close the account before the question, and only while it lasts")
    func waitingTime() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        let later = NumericDate(clamping: 1_767_225_601)
        func refusal(_ recovered: NumericDate?, _ changed: NumericDate?, _ now: Date) -> Failure? {
            let list = AccountFactorList(
                factors: [], recoveryCodes: 0, coolingUntil: recovered, contactCoolingUntil: changed)
            return Failure.ofClosing(list, now: now)
        }
        #expect(refusal(nil, nil, now) == nil)
        let changed = refusal(nil, later, now)
        #expect(changed?.code == "contact_cooling")
        #expect(changed?.message.hasSuffix("cannot be closed until 2026-01-01T00:00:01Z") == true)
        let recovered = refusal(later, later, now)
        #expect(recovered?.code == "recovery_cooling")
        #expect(recovered?.message.hasSuffix("you cannot close your account") == true)
        #expect(refusal(later, later, now.addingTimeInterval(1)) == nil)
    }

    @Test(
        "A new password after a sign-in with too few factors, or during a waiting time, is refused before it is typed")
    func newPassword() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        func refusal(_ acr: String, _ factors: [String], coolingUntil: NumericDate? = nil) -> Failure? {
            let list = AccountFactorList(
                factors: factors.map { .init(method: $0) }, recoveryCodes: 0, coolingUntil: coolingUntil)
            return Failure.ofChange(list, signIn: (nil, acr), during: .changePassword, now: now)
        }
        let (one, two) = ("urn:wallet-auth:acr:1fa", "urn:wallet-auth:acr:2fa")
        #expect(refusal(one, []) == nil && refusal(two, ["totp"]) == nil)
        #expect(refusal(one, ["totp"])?.code == "insufficient_user_authentication")
        let waiting = refusal(two, ["totp"], coolingUntil: NumericDate(clamping: 1_767_225_601))
        #expect(waiting?.message.hasSuffix("you cannot change your password") == true)
    }

    @Test("Closing after an old or weak sign-in is refused before the question, with the sign-in that it needs")
    func oldSignIn() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        let (one, two) = ("urn:wallet-auth:acr:1fa", "urn:wallet-auth:acr:2fa")
        func refusal(_ age: TimeInterval?, _ acr: String?, factors: [String] = []) -> String? {
            let list = AccountFactorList(factors: factors.map { .init(method: $0) }, recoveryCodes: 0)
            return Failure.ofClosing(list, signIn: (age.map { now.addingTimeInterval(-$0) }, acr), now: now)?.line
        }
        #expect(refusal(nil, nil, factors: ["totp"]) == nil)
        #expect(refusal(299, two, factors: ["totp"]) == nil)
        #expect(refusal(299, one) == nil)
        let withTwo = "wallet sign-in --username NAME --two-factors"
        #expect(refusal(300, two, factors: ["totp"])?.contains(withTwo) == true)
        // An enrolled device is a factor that is not in the list.
        #expect(refusal(300, two)?.contains(withTwo) == true)
        #expect(refusal(10, one, factors: ["otp"])?.contains(withTwo) == true)
        let alone = refusal(300, one)
        #expect(alone?.contains("with your password or another of your factors") == true, "\(alone ?? "")")
    }

    @Test(
        "A PIN or enrollment after an old or weak sign-in is refused before anything is typed, with advice that fits the account"
    )
    func weakSignIn() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        let (one, two) = ("urn:wallet-auth:acr:1fa", "urn:wallet-auth:acr:2fa")
        func refusal(_ age: TimeInterval, _ acr: String?, factors: [String] = []) -> Failure? {
            let list = AccountFactorList(factors: factors.map { .init(method: $0) }, recoveryCodes: 0)
            return Failure.ofTwoFactors(
                list, signIn: (now.addingTimeInterval(-age), acr), during: .setPIN, now: now)
        }
        #expect(refusal(299, two) == nil && refusal(10, nil) == nil)
        let setUpFirst = "first run: wallet mfa authenticator"
        for refused in [refusal(300, two), refusal(10, one, factors: ["totp"]), refusal(10, one)] {
            #expect(refused?.code == "insufficient_user_authentication")
            #expect(refused?.advice.contains("wallet sign-in --username NAME --two-factors") == true)
        }
        #expect(refusal(10, one)?.advice.contains(setUpFirst) == true)
        #expect(refusal(10, one, factors: ["totp"])?.advice.contains(setUpFirst) == false)
        #expect(refusal(300, two)?.advice.contains(setUpFirst) == false)
    }

    @Test("A sign-in with a new device's key says until when the key does not count, if two factors were missing")
    func newDevice() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        func refusal(_ acr: String, after seconds: TimeInterval) -> Failure? {
            let error = WalletError(
                .insufficientUserAuthentication,
                .stepUp(AuthenticationRequirements(acrValues: [acr], maximumAge: 300)), during: .changeFactors,
                reachedServer: true, reason: "another sign-in")
            return Failure(error, ofDeviceNewUntil: now, now: now.addingTimeInterval(seconds))
        }
        let two = "urn:wallet-auth:acr:2fa"
        let failure = refusal(two, after: -1)
        #expect(failure?.message.contains("this device is new: until 2026-01-01T00:00:00Z") == true)
        #expect(failure?.advice.contains("use another second factor") == true)
        #expect(failure?.code == "insufficient_user_authentication")
        #expect(refusal(two, after: 0) == nil && refusal("urn:wallet-auth:acr:1fa", after: -1) == nil)
    }

    @Test("Only a sign-in that is known to be recent and of two factors needs no other one before a device is enrolled")
    func freshSignIn() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        func allows(_ age: TimeInterval?, _ acr: String?) -> Bool {
            Failure.allowsChanges(signIn: (age.map { now.addingTimeInterval(-$0) }, acr), now: now)
        }
        #expect(allows(299, "urn:wallet-auth:acr:2fa"))
        #expect(!allows(300, "urn:wallet-auth:acr:2fa") && !allows(nil, "urn:wallet-auth:acr:2fa"))
        #expect(!allows(10, "urn:wallet-auth:acr:1fa") && !allows(10, nil))
    }

    @Test("A user name that the server cannot take is refused before a code is sent")
    func userNames() {
        func fault(_ name: String, _ email: String? = "grace@example.com") -> String? {
            CreateAccount.fault(of: name, proving: email)
        }
        #expect(fault("grace hopper") == "has a space or a control character")
        #expect(fault("grace\u{7}") == "has a space or a control character")
        #expect(fault("grace") == nil && fault("Grace@example.com") == nil)
        #expect(fault("ada@example.com")?.contains("not the one that you prove") == true)
        #expect(fault("grace@example.com", nil)?.contains("not the one that you prove") == true)
    }
}
