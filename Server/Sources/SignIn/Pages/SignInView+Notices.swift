import Core
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// The sign-in page's notices, and the status that goes with each.
extension SignInView {
    var status: HTTPResponse.Status {
        switch page.notice {
        case .tooManyAttempts, .networkHeld: .tooManyRequests
        case .busy, .unavailable, .providerUnavailable: .serviceUnavailable
        case .nameTaken, .lookAlikeTaken, .addressTaken, .numberMismatch, .scanExpired: .conflict
        case .invalidCredentials, .passkeyRefused, .newPasskeyRefused, .passwordUnacceptable,
            .passwordUnusable, .passwordMissing,
            .passwordMistyped,
            .invalidCode, .codeUsed, .wrongAnswer, .factorFailed, .factorHeld, .factorOver, .unusableName,
            .providerFailed,
            .providerGone, .providerAnswerUsed, .newNameMissing, .nameIsAddress, .unusableAddress, .registrationOver,
            .newPasswordMissing, .newPasswordMistyped:
            .badRequest
        case .walletDeactivated, .closedByFailures, .closedByHolder, .recoveryUnavailable, .passwordNeeded,
            .providerSessionOld, .scanRejected, .registrationOff:
            .forbidden
        case .codeSent, .codeSentRecently, .codeElsewhere, .recoveryCodeSent, .providerDeclined, .forgotten, nil: .ok
        }
    }

    var retryAfter: Int64? {
        switch page.notice {
        case .tooManyAttempts(let seconds), .networkHeld(let seconds), .busy(let seconds), .unavailable(let seconds):
            seconds
        // The server also waits this long before it contacts a provider that failed.
        case .providerUnavailable: 5
        default: nil
        }
    }

    /// What is wrong with the answer to a second factor, and what helps.
    private var wrongAnswer: String {
        guard case .secondFactor(let factor) = page.step else { return text[.wrongAnswer] }
        if factor.kind == .totp { return account[.invalidCode] }
        return factor.kind.isSent && factor.canResend ? text[.invalidCode] : text[.wrongAnswer]
    }

    private var remainingTries: String? {
        guard case .secondFactor(let factor) = page.step else { return nil }
        return factor.remainingTries.map { text[.remainingTries, ["count": String($0)]] }
    }

    /// The notice of a step whose code could not be sent; `nil` on any other.
    var unsentCode: PageNotice? {
        guard case .secondFactor(let factor) = page.step, factor.kind.isSent, !factor.isCodeSent else { return nil }
        let minutes = ((factor.sendableAfter ?? 3600) + 59) / 60
        return PageNotice(text: text[.codeNotSent, ["minutes": String(minutes)]])
    }

    var notice: PageNotice? {
        switch page.notice {
        case nil: unsentCode
        case .wrongAnswer where unsentCode != nil: unsentCode
        case .invalidCredentials: wrongCredentials
        case .passwordNeeded: PageNotice(text: text[.passwordNeeded])
        case .forgotten(let alternative):
            alternative.form.forgot.map { PageNotice(text: $0.answer(language, accountPage), kind: .information) }
        case .passkeyRefused: PageNotice(text: passkeys.text[.refused])
        case .newPasskeyRefused: PageNotice(text: registration[.passkeyRefused])
        case .providerDeclined(let name):
            PageNotice(text: providers.text[.declined, ["provider": name]], kind: .information)
        case .providerFailed(let name): PageNotice(text: providers.text[.failed, ["provider": name]])
        case .providerSessionOld(let name): PageNotice(text: providers.text[.sessionOld, ["provider": name]])
        case .providerUnavailable(let name): PageNotice(text: providers.text[.unavailable, ["provider": name]])
        case .providerGone: PageNotice(text: providers.text[.gone])
        case .providerAnswerUsed: PageNotice(text: providers.text[.answerUsed])
        case .numberMismatch: PageNotice(text: scan[.numberMismatch])
        case .scanExpired: PageNotice(text: scan[.expired])
        case .scanRejected: PageNotice(text: scan[.rejected])
        case .nameTaken: PageNotice(text: providers.text[.nameTaken], concernsField: true)
        case .lookAlikeTaken: newNameFault(registration[.nameTaken])
        case .newNameMissing: PageNotice(text: registration[.nameMissing], concernsField: true)
        case .nameIsAddress: newNameFault(registration[.nameIsAddress])
        case .unusableAddress: unusableAddress
        case .addressTaken: PageNotice(text: registration[.addressTaken])
        case .registrationOff: PageNotice(text: registration[.off, names])
        case .registrationOver: PageNotice(text: registration[.over])
        case .newPasswordMissing: PageNotice(text: registration[.passwordMissing], concernsField: true)
        case .newPasswordMistyped: PageNotice(text: registration[.passwordMistyped], concernsField: true)
        case .walletDeactivated: PageNotice(text: text[.walletDeactivated, names])
        case .closedByFailures: PageNotice(text: text[isRecovery ? .closedByFailures : .closedByFailuresElsewhere])
        case .closedByHolder(let end):
            PageNotice(text: text[.closedByHolder, ["erase_at": language.language.moment(of: end.roundedUpToMinute)]])
        case .recoveryCodeSent: PageNotice(text: text[.recoveryCodeSent], kind: .information)
        case .unusableName: newNameFault(text[.unusableName])
        case .recoveryUnavailable(let ways): PageNotice(text: "\(text[.recoveryUnavailable]) \(text[way(ways), names])")
        case .passwordUnacceptable(let fault):
            PageNotice(text: NewPasswordFault.unacceptable(fault).sentence(in: text), concernsField: true)
        case .passwordUnusable: PageNotice(text: NewPasswordFault.unusable.sentence(in: text), concernsField: true)
        case .passwordMissing: PageNotice(text: NewPasswordFault.missing.sentence(in: text), concernsField: true)
        case .passwordMistyped: PageNotice(text: NewPasswordFault.mistyped.sentence(in: text), concernsField: true)
        case .invalidCode: PageNotice(text: text[.invalidCode], concernsField: true)
        case .codeUsed: PageNotice(text: text[.codeUsed], concernsField: true)
        case .wrongAnswer: PageNotice(text: wrongAnswer, concernsField: true, hint: remainingTries)
        case .factorFailed: PageNotice(text: text[.factorFailed])
        case .factorHeld(let seconds): PageNotice(text: text[.factorHeld, waiting: seconds])
        case .factorOver: PageNotice(text: text[.factorOver])
        case .codeSent: PageNotice(text: text[.codeSent], kind: .success)
        case .codeSentRecently(let seconds):
            PageNotice(text: text[.codeSentRecently, waiting: seconds], kind: .information)
        case .codeElsewhere(let seconds):
            PageNotice(
                text: registration[.codeElsewhere, ["wait": text.span(.seconds(seconds))]], kind: .information)
        case .tooManyAttempts(let seconds): PageNotice(text: text[.tooManyAttempts, waiting: seconds])
        case .networkHeld(let seconds):
            PageNotice(text: text[.networkHeld, ["minutes": String((seconds + 59) / 60)]])
        case .busy(let seconds): PageNotice(text: text[.busy, waiting: seconds])
        case .unavailable: PageNotice(text: text[.unavailable])
        }
    }

    /// What a person whose recovery was refused has instead.
    private func way(_ ways: WaysBesideMailbox) -> PageText {
        switch (ways.hasPasskey, ways.hasDevice) {
        case (true, true): .recoveryByPasskeyOrDevice
        case (true, false): .recoveryByPasskey
        case (false, true): .recoveryByDevice
        case (false, false): .recoveryByHelp
        }
    }

    /// The fault of a name, on a page that may have a password as well, whose fields are empty again.
    private func newNameFault(_ sentence: String) -> PageNotice {
        var notice = PageNotice(text: sentence, concernsField: true)
        if case .registrationAccount = page.step { notice.hint = registration[.passwordAgain] }
        return notice
    }

    /// What was typed, in full, so that a typing error is noticed.
    var recoveryName: [String: String] { ["user": page.recoveryName.map(ClientConsentView.isolated) ?? "…"] }

    /// Where the closing of the account is taken back, if the notice speaks of it.
    var keepLink: LinkValues? {
        guard case .closedByHolder = page.notice else { return nil }
        return LinkValues(address: keepingPage, label: language.ownAccountPageText[.keepLabel])
    }

    private var isRecovery: Bool { if case .recovery = page.step { true } else { false } }

    private var unusableAddress: PageNotice {
        guard case .registration(address: _, takesPhones: true) = page.step else {
            return PageNotice(text: registration[.unusableAddress], concernsField: true)
        }
        return PageNotice(text: registration[.unusablePhone], concernsField: true)
    }

    /// The same text for everyone. It reveals neither whether attempts are being slowed down nor whether the account exists: the page
    /// counts its own misses, and tells the rule from the third.
    private var wrongCredentials: PageNotice {
        var (wrong, rule) = (text[.invalidCredentials], text[.triedOften])
        if case .alternative(let alternative, _) = page.step {
            let words = alternative.form.text(language)
            (wrong, rule) = (words.wrong, words.triedOften)
        } else if let left = page.attemptsLeft {
            return PageNotice(text: wrong, concernsField: true, hint: text[.remainingTries, ["count": String(left)]])
        } else if let seconds = page.slowedFor {
            return PageNotice(text: text[.slowedDown, waiting: seconds], concernsField: true)
        }
        return PageNotice(text: wrong, concernsField: true, hint: page.misses >= 3 ? rule : nil)
    }
}
