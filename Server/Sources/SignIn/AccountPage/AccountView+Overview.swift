import Core
import Kernel
import WalletAuthWire
import Web

/// The overview of the account page: groups of rows.
extension AccountView {
    func fields(of overview: AccountOverview) -> AccountValues.Overview {
        .init(
            awaiting: overview.devices.compactMap(confirmation),
            groups: [
                group(own.text[.aboutGroup], aboutRows(of: overview)),
                group(text[.signInGroup], signInRows(of: overview)),
                group(text[.devicesLabel], overview.devices.map(row), nothing: text[.none]),
                sessionGroup(of: overview.sessions),
                group(own.text[.dataGroup], dataRows(of: overview)),
            ].compactMap(\.self),
            clientAccess: consents.section(of: overview.apps, in: language),
            others: [ButtonValues(value: Action.signOut.rawValue, label: text[.signOutLabel])])
    }

    /// A device's name; a mark for one that cannot be read.
    static func shown(_ name: String) -> String { name.isEmpty ? "…" : name }

    /// - Returns: `nil` without rows, unless a text says that there are none.
    private func group(
        _ heading: String, _ rows: [AccountValues.Row], nothing: String? = nil, whole: ButtonsValues? = nil
    ) -> AccountValues.Group? {
        guard !rows.isEmpty || nothing != nil else { return nil }
        return .init(heading: heading, rows: rows, nothing: rows.isEmpty ? nothing : nil, whole: whole)
    }

    private func row(
        _ name: String, _ label: String, _ state: String?, tag: String? = nil, note: String? = nil,
        field: HiddenField? = nil, _ buttons: [ButtonValues?] = []
    ) -> AccountValues.Row {
        let row = "row-\(name)"
        let form = ButtonsValues(buttons.compactMap(\.self), style: "second", field: field, row: row)
        return .init(
            row: row, label: label, state: state, tag: tag, note: note, rowForm: form.buttons.isEmpty ? nil : form)
    }

    private func button(_ action: Action, _ label: AccountText) -> ButtonValues {
        ButtonValues(value: action.rawValue, label: text[label])
    }

    private func button(_ action: OwnAccountPageForm.Action, _ label: String) -> ButtonValues {
        ButtonValues(value: action.rawValue, label: label)
    }

    // MARK: - How one signs in

    private func signInRows(of overview: AccountOverview) -> [AccountValues.Row] {
        var rows = [passwordRow(overview.password)]
        rows += overview.identities.enumerated().map { index, identity in
            row(
                "identity-\(index)", providers[.signInLabel, ["provider": identity.name]],
                text[.identitySince, ["date": language.day(of: identity.linkedAt)]],
                field: HiddenField(name: "identity", value: identity.id),
                [button(OwnAccountPageForm.Action.askToUnlink, text[.removeLabel])])
        }
        rows.append(authenticatorRow(overview))
        if let count = overview.passkeys {
            // The page of passkeys needs a sign-in with two factors.
            let notes = [
                count == 0 ? passkeys[.lead] : nil, overview.mayMakeRecoveryCodes ? nil : text[.authenticatorFirst],
            ].compactMap(\.self)
            rows.append(
                row(
                    "passkeys", passkeys[.label], count == 0 ? passkeys[.none] : String(count),
                    note: notes.isEmpty ? nil : notes.joined(separator: " "),
                    [overview.mayMakeRecoveryCodes ? button(.managePasskeys, .manageLabel) : nil]))
        }
        rows.append(recoveryCodesRow(overview))
        rows += overview.secretQuestions.map { [row(of: $0)] } ?? []
        if let pin = overview.pin {
            let label: AccountText = pin.state == .unset ? .setUpLabel : .changeLabel
            rows.append(
                row(
                    "pin", pins[.label], word(for: pin.state),
                    note: AccountPINView(text: pins).note(on: pin, in: language),
                    [button(.managePIN, label)]))
        }
        return rows
    }

    private func passwordRow(_ password: AccountOverview.Password) -> AccountValues.Row {
        switch password {
        case .unset:
            row("password", common[.passwordLabel], text[.passwordUnset], [button(.managePassword, .setUpLabel)])
        case .set(let since):
            row(
                "password", common[.passwordLabel],
                since.map { text[.passwordSince, ["date": language.day(of: $0)]] } ?? text[.passwordSet],
                [button(.managePassword, .changeLabel)])
        }
    }

    private func authenticatorRow(_ overview: AccountOverview) -> AccountValues.Row {
        guard overview.hasAuthenticator else {
            return row(
                "authenticator", text[.authenticatorLabel], text[.isOff], note: text[.offerLead],
                [button(.setUpAuthenticator, .setUpLabel)])
        }
        return row(
            "authenticator", text[.authenticatorLabel], text[.isOn],
            [button(.setUpAuthenticator, .replaceLabel), button(.askToRemoveAuthenticator, .removeLabel)])
    }

    private func recoveryCodesRow(_ overview: AccountOverview) -> AccountValues.Row {
        let (count, mayMake) = (overview.recoveryCodes, overview.mayMakeRecoveryCodes)
        let note: AccountText = !mayMake ? .authenticatorFirst : count == 0 ? .codesOfferLead : .codesReplaceLead
        return row(
            "recovery-codes", text[.recoveryCodesLabel],
            count == 0 ? text[.none] : text[.codesLeft, ["count": String(count)]], note: text[note],
            [mayMake ? button(.makeRecoveryCodes, count == 0 ? .createLabel : .replaceLabel) : nil])
    }

    private func row(of questions: AccountOverview.SecretQuestions) -> AccountValues.Row {
        let count = questions.answered
        let label = text[count == 0 ? .setUpLabel : .changeLabel]
        // Where the brand accepts none any more, they can only be removed.
        return row(
            "secret-questions", own.text[.questionsLabel],
            count == 0 ? text[.isOff] : own.text[.questionsSet, ["count": String(count)]],
            note: own.text[.questionsNote],
            [
                questions.isOffered
                    ? button(OwnAccountPageForm.Action.chooseQuestions, label)
                    : button(.removeQuestions, own.text[.questionsRemoveLabel])
            ])
    }

    private func word(for state: AccountPINOverview.State) -> String {
        switch state {
        case .unset: text[.isOff]
        case .active: text[.isOn]
        case .locked, .lockedByRestore: pins[.isLocked]
        }
    }

    // MARK: - Who one is, and one's data

    private func aboutRows(of overview: AccountOverview) -> [AccountValues.Row] {
        [
            overview.name.map { name in
                row(
                    "name", own.text[.nameLabel], ClientConsentView.isolated(name),
                    note: overview.isNameOwn
                        ? nil : page.appearance.map { own.text[.nameNote, ["support": $0.contact]] },
                    [overview.isNameOwn ? button(OwnAccountPageForm.Action.changeName, text[.changeLabel]) : nil])
            },
            contactRow(
                "email", text[.emailLabel], overview.email, isConfirmed: overview.isEmailConfirmed,
                isOff: overview.undeliverable.contains(.email) ? .emailOff : nil, .changeEmail, removal: nil),
            contactRow(
                "phone", text[.phoneLabel], overview.phone, isConfirmed: true,
                isOff: overview.undeliverable.contains(.sms) ? .phoneOff : nil, .changePhone,
                removal: .askToRemovePhone),
            row(
                "language", own.text[.languageLabel], overview.language?.ownName ?? own.text[.languageUnset],
                note: overview.language == nil ? own.text[.languageUnsetNote] : nil,
                [button(.chooseLanguage, text[.changeLabel])]),
        ].compactMap(\.self)
    }

    /// - Parameters:
    ///   - isOff: why nothing can be sent there; `nil` if it can.
    ///   - removal: the button that removes it; `nil` for none.
    private func contactRow(
        _ name: String, _ label: String, _ masked: String?, isConfirmed: Bool, isOff: OwnAccountPageText?,
        _ change: OwnAccountPageForm.Action, removal: OwnAccountPageForm.Action?
    ) -> AccountValues.Row {
        row(
            name, label, masked.map(PageText.unbroken) ?? text[.none],
            tag: masked == nil || isConfirmed ? nil : text[.unconfirmed], note: isOff.map { own.text[$0] },
            [
                isOff == nil ? button(change, masked == nil ? own.text[.addLabel] : text[.changeLabel]) : nil,
                masked == nil ? nil : removal.map { button($0, text[.removeLabel]) },
            ])
    }

    private func dataRows(of overview: AccountOverview) -> [AccountValues.Row] {
        let closing = overview.closingFrom.map { own.notice(.contactCooling(until: $0)).text }
        return [
            row(
                "activity", own.text[.activityLabel], own.text[.activityNote],
                [button(.showActivity, own.text[.showLabel])]),
            row(
                "export", own.text[.exportRowLabel], own.text[.exportNote],
                [button(.askToExport, own.text[.exportLabel])]),
            row(
                "closing", own.text[.closingLabel], own.text[.closingNote], note: closing,
                [closing == nil ? button(.askToClose, own.text[.closeLabel]) : nil]),
        ]
    }

    // MARK: - Devices and sessions

    private func row(of device: AccountOverview.Device) -> AccountValues.Row {
        row(
            device.id, Self.shown(device.name), text[.deviceUsed, ["date": language.day(of: device.lastUsedAt)]],
            tag: tag(of: device), field: HiddenField(name: "device", value: device.id),
            [button(.askToRemoveDevice, .removeLabel)])
    }

    private func tag(of device: AccountOverview.Device) -> String? {
        switch device.state {
        case .active: device.awaitsCode ? text[.deviceAwaitsCode] : nil
        case .suspended: text[.deviceSuspended]
        case .deactivated, .removed: text[.deviceDeactivated]
        }
    }

    /// The form for a device's code; `nil` for a device that does not need one.
    private func confirmation(of device: AccountOverview.Device) -> AccountValues.DeviceCode? {
        guard device.awaitsCode else { return nil }
        return .init(
            device: device.id, heading: text[.deviceCodeHeading, ["device": Self.shown(device.name)]],
            lead: text[.deviceCodeLead],
            label: common[.emailCodeLabel], confirm: Action.confirmDevice.rawValue,
            confirmLabel: common[.emailCodeSubmitLabel], send: Action.sendDeviceCode.rawValue,
            sendLabel: common[.resendLabel])
    }

    private func sessionGroup(of sessions: [AccountOverview.Session]) -> AccountValues.Group? {
        let hasOthers = sessions.contains { !$0.session.isOfThisBrowser }
        let names = sessions.compactMap(Self.appName)
        return group(
            text[.sessionsLabel], sessions.map { row(of: $0, among: names) },
            whole: hasOthers ? ButtonsValues([button(.endOtherSessions, .endOthersLabel)], style: "second") : nil)
    }

    /// The app and its device; `nil` for a browser.
    private static func appName(of session: AccountOverview.Session) -> String? {
        guard case .app(let name, _) = session.session.place else { return nil }
        return [ClientConsentView.isolated(name), session.device].compactMap(\.self).filter { !$0.isEmpty }
            .joined(separator: " · ")
    }

    /// - Parameter names: of all sessions of apps.
    private func row(of session: AccountOverview.Session, among names: [String]) -> AccountValues.Row {
        let app = Self.appName(of: session)
        let session = session.session
        switch session.place {
        // It is in use now, and signing out is what ends it.
        case .browser(let kind, isThisOne: true):
            return row(
                session.id, kind.name(in: text), text[.sessionSince, ["date": language.moment(of: session.since)]],
                tag: text[.thisBrowser])
        // A browser's session ends within hours, so the day would say too little.
        case .browser(let kind, isThisOne: false): return row(of: session, kind.name(in: text), language.moment)
        case .app:
            // The day does not tell apart what is called alike.
            let isAlike = names.count { $0 == app } > 1
            return row(of: session, app ?? "", isAlike ? language.moment : language.day)
        }
    }

    /// The row of a session that can be ended here.
    private func row(
        of session: AccountSession, _ name: String, _ written: (Timestamp) -> String
    ) -> AccountValues.Row {
        let note = [
            session.lastUsedAt.map { text[.sessionUsed, ["date": written($0)]] },
            session.network.map { text[.sessionNetwork, ["network": $0]] },
        ].compactMap(\.self)
        return row(
            session.id, name, text[.sessionSince, ["date": written(session.since)]],
            note: note.isEmpty ? nil : note.joined(separator: " · "),
            field: HiddenField(name: "session", value: session.id), [button(.endSession, .endLabel)])
    }
}

extension BrowserKind {
    /// What the holder calls it.
    func name(in text: Texts<AccountText>) -> String {
        let browser = browser?.name ?? text[.browserSession]
        return system.map { text[.browserOnSystem, ["browser": browser, "system": $0.name]] } ?? browser
    }
}
