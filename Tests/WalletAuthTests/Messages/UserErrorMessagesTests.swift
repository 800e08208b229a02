import Foundation
import Testing
import WalletAuth
import WalletAuthWire

@Suite("What an app says to the person")
struct UserErrorMessagesTests {
    private func error(
        _ code: WalletError.Code, _ outcome: WalletError.Outcome = .refused,
        during operation: WalletError.Operation = .loginByUsernamePassword, traceID: String? = nil
    ) -> WalletError {
        WalletError(code, outcome, during: operation, reachedServer: true, traceID: traceID, reason: "not shown")
    }

    private func text(_ error: WalletError, _ languages: String..., in messages: UserErrorMessages = .builtIn)
        -> String?
    {
        messages.text(for: error, languages: languages)
    }

    private static let everyOutcome: [WalletError.Outcome] = [
        .signedOut(.neverSignedIn), .signedOut(.loggedOut), .signedOut(.sessionEnded), .signedOut(.tokenExpired),
        .signedOut(.replacedByAnotherSignIn), .signedOut(.keyLost), .signedOut(.appleCredentialRevoked),
        .temporarilyUnavailable(retryAfter: nil), .temporarilyUnavailable(retryAfter: .seconds(600)), .offline,
        .keyLost(recovery: .signInAgain), .keyLost(recovery: .enrollAgain), .keyLost(recovery: .setPINAgain),
        .keyLost(recovery: .enableBiometricsAgain), .storeUnavailable(.locked), .storeUnavailable(.full),
        .storeUnavailable(.denied), .storeUnavailable(.damaged), .storeUnavailable(.busy), .storeUnavailable(.failed),
        .refused, .misconfigured,
    ]

    @Test("Every code of the server's tables has a sentence of its own", arguments: ErrorCode.allCases)
    func codes(code: ErrorCode) throws {
        let general = try #require(text(error("an_unknown_code"), "en"))
        let own = try #require(text(error(.init(rawValue: code.rawValue), during: .perform), "en"))
        #expect(own != general)
    }

    @Test(
        "Every outcome has a sentence in every language, and none of them is the English one", arguments: everyOutcome)
    func outcomes(outcome: WalletError.Outcome) throws {
        let failure = error("an_unknown_code", outcome)
        let english = try #require(text(failure, "en"))
        for language in UserErrorMessages.builtInLanguages where language != "en" {
            let other = try #require(text(failure, language))
            #expect(other != english)
            #expect(!other.contains("{"))
        }
    }

    @Test("The system's localizedDescription is the text for the person, and not the one for developers")
    func localizedDescription() throws {
        let wrong = error(.invalidCredentials)
        let general: any Error = wrong
        let shown = try #require(UserErrorMessages.builtIn.text(for: wrong))
        #expect(general.localizedDescription == shown)
        #expect("\(general)".contains("not shown"))
        #expect(error(.cancelledByPerson, .cancelledByPerson).errorDescription == nil)
    }

    @Test("A refused passkey is called a passkey in every language, and nothing that was typed is to be checked")
    func passkeys() throws {
        let refused = error(.invalidCredentials, during: .loginByPasskey)
        let names = [
            "bg": "ключ за достъп", "de": "Passkey", "en": "passkey", "es": "llave de acceso", "fr": "clé d’accès",
        ]
        for language in UserErrorMessages.builtInLanguages {
            let said = try #require(text(refused, language))
            #expect(try said.contains(#require(names[language])), "\(said)")
            #expect(said != text(error(.invalidCredentials, during: .perform), language))
        }
    }

    @Test("Apple is named in every language: when a sign-in failed, and when its credential was revoked")
    func apple() throws {
        let revoked = error("signed_out", .signedOut(.appleCredentialRevoked), during: .perform)
        for language in UserErrorMessages.builtInLanguages {
            for failure in [revoked, error(.invalidCredentials, during: .loginByApple)] {
                #expect(try #require(text(failure, language)).contains("Apple"), "\(language)")
            }
        }
    }

    @Test(
        "A PIN that a restore locked has words of its own in every language, whatever it was for",
        arguments: [
            ("en", "restored from a backup"), ("de", "aus einer Sicherung"), ("fr", "d’une sauvegarde"),
            ("es", "desde una copia de seguridad"), ("bg", "от резервно копие"),
        ])
    func restoredPIN(language: String, words: String) throws {
        for operation in [WalletError.Operation.loginByPIN, .perform, .signTransaction] {
            func locked(_ reason: PINLockReason?) -> WalletError {
                WalletError(.pinLocked, .refused, during: operation, pinLockReason: reason, reason: "not shown")
            }
            #expect(try #require(text(locked(.restore), language)).contains(words))
            for reason in [PINLockReason.tooManyTries, nil] {
                #expect(try #require(text(locked(reason), language)).contains(words) == false)
            }
        }
        let keys = UserErrorMessages.Key.keys(
            for: WalletError(.pinLocked, .refused, during: .perform, pinLockReason: .restore, reason: "not shown"))
        #expect(keys.first == "perform.pin_locked.restore")
    }

    @Test(
        "A PIN whose tries of thirty days are spent has words of its own in every language, with the way out",
        arguments: [
            ("en", "link this device again", "can’t sign"), ("de", "verknüpfen Sie", "nicht mit PIN signieren"),
            ("fr", "liez de nouveau", "pas y signer"), ("es", "vincule de nuevo", "no puede firmar"),
            ("bg", "свържете устройството наново", "не можете да подписвате"),
        ])
    func exhaustedPIN(language: String, words: String, signs: String) throws {
        let wait = WalletError.Outcome.temporarilyUnavailable(retryAfter: .seconds(2_591_999))
        #expect(try #require(text(error(.pinExhausted, wait, during: .loginByPIN), language)).contains(words))
        // At a till there may be nothing to go on with: what cannot be done now is said first.
        let signing = try #require(text(error(.pinExhausted, wait, during: .signTransaction), language))
        #expect(signing.contains(words))
        #expect(signing.contains(signs), "\(signing)")
        let paying = try #require(text(error(.pinExhausted, wait, during: .perform), language))
        #expect(paying.contains("PIN") || paying.contains("ПИН"))
    }

    @Test("There are five languages, each with the same texts and the same placeholders")
    func languages() throws {
        #expect(UserErrorMessages.builtInLanguages == ["bg", "de", "en", "es", "fr"])
        let english = try #require(UserErrorMessages.shipped(in: "en"))
        #expect(english.count > 150 && UserErrorMessages.shipped(in: "it") == nil)
        for language in UserErrorMessages.builtInLanguages {
            let texts = try #require(UserErrorMessages.shipped(in: language))
            #expect(Set(texts.keys) == Set(english.keys), "\(language)")
            for (key, text) in texts {
                for placeholder in ["{minutes}", "{trace}", "{destination}"] {
                    let isInEnglish = english[key]?.contains(placeholder)
                    #expect(text.contains(placeholder) == isInEnglish, "\(key) in \(language)")
                }
            }
        }
    }

    @Test("No line of a French text ends between a word and the mark that belongs to it")
    func frenchSpaces() throws {
        let french = try #require(UserErrorMessages.shipped(in: "fr"))
        #expect(french.values.contains { $0.contains("\u{A0}:") })
        for (key, text) in french {
            for mark in [" :", " ;", " ?", " !", " »", "« "] { #expect(!text.contains(mark), "\(key)") }
        }
    }

    @Test("A text of an outcome is shown for that outcome: none is written in vain")
    func reachable() throws {
        let reached = Self.everyOutcome.flatMap { UserErrorMessages.Key.keys(for: error("an_unknown_code", $0)) }
        let written = try #require(UserErrorMessages.shipped(in: "en")).keys.filter {
            $0.rawValue.hasPrefix("outcome.")
        }
        #expect(!written.isEmpty)
        #expect(Set(written).subtracting(reached).isEmpty)
        for language in UserErrorMessages.builtInLanguages {
            let shown = text(error(.keyLost, .keyLost(recovery: .setPINAgain), during: .perform), language)
            #expect(shown?.contains(language == "bg" ? "ПИН" : "PIN") == true, "\(language)")
        }
    }

    @Test("The server's trace and its wait are put into the text, and a wait of more than a minute is two at least")
    func placeholders() {
        let keys = [UserErrorMessages.Key("server_error.trace"), "outcome.temporarily_unavailable.minutes"]
        let failure = error("server_error", .temporarilyUnavailable(retryAfter: .seconds(90)), traceID: "4bf92f35")
        let waiting = error("rate_limited", .temporarilyUnavailable(retryAfter: .seconds(90)))
        #expect(UserErrorMessages.Key.keys(for: failure).contains(keys[0]))
        #expect(UserErrorMessages.Key.keys(for: waiting).contains(keys[1]))
        for language in UserErrorMessages.builtInLanguages {
            #expect(text(failure, language)?.contains("4bf92f35") == true)
            #expect(text(waiting, language)?.contains("2") == true)
            for wait in [Duration.milliseconds(60_001), .milliseconds(61_500), .seconds(120)] {
                let alike = error("rate_limited", .temporarilyUnavailable(retryAfter: wait))
                #expect(text(alike, language) == text(waiting, language))
            }
            let minute = text(error("rate_limited", .temporarilyUnavailable(retryAfter: .seconds(60))), language)
            #expect(minute?.contains { $0.isNumber } == false)
        }
    }

    @Test("The metadata of another issuer gets the text of a wrong configuration, a callback from one its own")
    func anotherIssuer() {
        func text(_ code: WalletError.Code, _ outcome: WalletError.Outcome) -> String? {
            UserErrorMessages.builtIn.text(
                for: WalletError(code, outcome, during: .setUp, reachedServer: true, reason: "not shown"),
                languages: ["en"])
        }
        #expect(text(.issuerMismatch, .misconfigured) == text("unknown", .misconfigured))
        #expect(text(.issuerMismatch, .refused) != text("unknown", .refused))
    }

    @Test(
        "What may be signed or paid already has no text that asks for a new code",
        arguments: [
            ("en", "new code"), ("de", "neuen Code"), ("fr", "nouveau code"), ("es", "código nuevo"), ("bg", "нов код"),
        ])
    func noSecondPayment(language: String, asking: String) throws {
        let texts = try #require(UserErrorMessages.shipped(in: language))
        #expect(try #require(texts["transaction_over.expired"]).contains(asking), "the words that are looked for")
        for key: UserErrorMessages.Key in [
            "transaction_over", "transaction_over.signed", "transaction_over.cancelled", "draft_used", "data_error",
            "event_not_found", "already_verified",
        ] {
            #expect(try #require(texts[key]).contains(asking) == false, "\(key) in \(language)")
        }
    }

    @Test(
        "After the last try nothing was paid, and no text asks whether it was",
        arguments: UserErrorMessages.builtInLanguages)
    func noTriesLeft(language: String) throws {
        let locked = WalletError(
            .dataError, .refused, during: .perform, reachedServer: true, remainingAttempts: 0, reason: "not shown")
        let own = try #require(text(locked, language))
        #expect(own != text(error(.dataError, during: .perform), language))
        #expect(own == UserErrorMessages.shipped(in: language)?["data_error.no_tries_left"])
    }

    @Test(
        "Wrong PINs that ended a payment and locked the PIN have a text that says both",
        arguments: UserErrorMessages.builtInLanguages)
    func lockedPIN(language: String) throws {
        let locked = WalletError(
            .dataError, .refused, during: .perform, reachedServer: true, remainingAttempts: 0,
            pinLockReason: .tooManyTries, reason: "not shown")
        let own = try #require(text(locked, language))
        #expect(own == UserErrorMessages.shipped(in: language)?["data_error.pin_locked"])
    }

    @Test(
        "After a refusal nothing was paid, and no text asks whether it was",
        arguments: UserErrorMessages.builtInLanguages)
    func refused(language: String) throws {
        let refused = WalletError(
            .dataError, .refused, during: .submitSCAAttempt, reachedServer: true, isRefusedByPerson: true,
            reason: "not shown")
        let own = try #require(text(refused, language))
        #expect(own == UserErrorMessages.shipped(in: language)?["data_error.refused"])
    }

    @Test("A person who gave up sees no message")
    func cancelled() {
        #expect(text(error(.cancelledByPerson, .cancelledByPerson), "en") == nil)
    }

    @Test("The operation's sentence goes before the code's, the code's before the outcome's")
    func exactness() throws {
        let general = try #require(text(error(.invalidCredentials, during: .changeFactors), "en"))
        let exact = try #require(text(error(.invalidCredentials), "en"))
        #expect(exact != general)
        #expect(
            UserErrorMessages.Key.keys(for: error(.invalidCredentials, .refused, traceID: "1")).map(\.rawValue) == [
                "login_by_username_password.invalid_credentials", "invalid_credentials.trace", "invalid_credentials",
                "outcome.refused",
            ])
        #expect(
            UserErrorMessages.Key.keys(for: error("x", .signedOut(.replacedByAnotherSignIn))).map(\.rawValue).suffix(2)
                == ["outcome.signed_out.replaced_by_another_sign_in", "outcome.signed_out"])
    }

    @Test("The app's sentence goes before the SDK's, more exact ones too, in its language alone")
    func replaced() {
        var messages = UserErrorMessages()
        messages.replace(.init(.invalidCredentials), in: "de", with: "Leider nein.")
        #expect(text(error(.invalidCredentials), "de-AT", in: messages) == "Leider nein.")
        #expect(text(error(.invalidCredentials), "fr", in: messages) == text(error(.invalidCredentials), "fr"))
        messages.replace(
            .init(.invalidCredentials, during: .loginByUsernamePassword), in: "de-AT", with: "Leider nicht.")
        #expect(text(error(.invalidCredentials), "de-AT", in: messages) == "Leider nicht.")
        #expect(text(error(.invalidCredentials), "de", in: messages) == "Leider nein.")
    }

    @Test("A language that the app brings serves where it has the text; the person's next language where not")
    func addedLanguage() {
        var messages = UserErrorMessages()
        messages.replace("outcome.offline", in: "it", with: "Nessuna connessione.")
        #expect(text(error(.offline, .offline), "it-IT", "de", in: messages) == "Nessuna connessione.")
        #expect(text(error(.invalidCredentials), "it-IT", "de", in: messages) == text(error(.invalidCredentials), "de"))
        #expect(text(error(.invalidCredentials), "ja", in: messages) == text(error(.invalidCredentials), "en"))
    }
}
