internal import Core
package import WalletAuthWire

extension ExemptionSettings {
    /// Judges one enabled exemption.
    func finding(
        _ exemption: SCAExemption, for operation: WalletOperation, grounds: ExemptionGrounds,
        session: OperationSession, history: ExemptionHistory, now: Timestamp
    ) -> ExemptionFinding {
        let verdict =
            switch exemption {
            case .accountInformation: accountInformation(operation, history, now)
            case .trustedBeneficiary: trustedBeneficiary(operation, history)
            case .recurring: recurring(operation, grounds, history)
            case .ownAccount: ownAccount(operation, grounds)
            case .lowValue: lowValue(operation, history)
            case .riskAnalysis: riskAnalysis(operation, grounds, session)
            }
        return switch verdict {
        case .granted(let reason): ExemptionFinding(exemption, isGranted: true, reason: reason)
        case .denied(let reason): ExemptionFinding(exemption, isGranted: false, reason: reason)
        }
    }

    private enum Verdict {
        case granted(String)
        case denied(String)
    }

    private func accountInformation(
        _ operation: WalletOperation, _ history: ExemptionHistory, _ now: Timestamp
    ) -> Verdict {
        guard accountInformation.contains(operation.type), operation.amount == nil else {
            return .denied("It shows no account information, or does more than that.")
        }
        guard let last = history.informationConsentAt else {
            return .denied("The person has to agree the first time with each backend.")
        }
        let days = accountInformationInterval.wholeSeconds / 86_400
        // A time in the future was written by a wrong clock. It is unknown when it begins to count.
        guard last <= now + SCALimits.clockTolerance else {
            return .denied("The time of the person's last consent is in the future.")
        }
        guard now - last < accountInformationInterval else {
            return .denied("The person's last consent was \(days) or more days ago.")
        }
        return .granted("The person agreed to see account information less than \(days) days ago.")
    }

    private func trustedBeneficiary(_ operation: WalletOperation, _ history: ExemptionHistory) -> Verdict {
        if let lack = operation.lackForPayment { return .denied(lack) }
        return history.isTrustedBeneficiary
            ? .granted("The person has made the payee a trusted beneficiary.")
            : .denied("The payee is not one of the person's trusted beneficiaries.")
    }

    private func recurring(
        _ operation: WalletOperation, _ grounds: ExemptionGrounds, _ history: ExemptionHistory
    ) -> Verdict {
        if let lack = operation.lackForPayment { return .denied(lack) }
        guard grounds.series != nil else { return .denied("No series was named.") }
        guard let series = history.series else { return .denied("The person has not agreed to a series of that name.") }
        guard operation.amount == series.amount, series.isSamePayee else {
            return .denied("The amount or the payee differs from the series.")
        }
        return .granted("The person agreed to the series, and this payment has the same amount and payee.")
    }

    private func ownAccount(_ operation: WalletOperation, _ grounds: ExemptionGrounds) -> Verdict {
        if let lack = operation.lackForPayment { return .denied(lack) }
        return grounds.isOwnAccount
            ? .granted("The backend confirms that payer and payee are the same person, with accounts here.")
            : .denied("The backend does not confirm that payer and payee are the same person.")
    }

    private func lowValue(_ operation: WalletOperation, _ history: ExemptionHistory) -> Verdict {
        if let lack = operation.lackForPayment { return .denied(lack) }
        guard let limits = lowValue, let amount = operation.amount else { return .denied("It has no limits.") }
        guard amount.currency == limits.single.currency else {
            return .denied("The limits are in \(limits.single.currency), but the amount is not.")
        }
        guard amount.minorUnits <= limits.single.minorUnits else {
            return .denied("The amount is above \(limits.single.words).")
        }
        guard !history.isIncomplete else {
            return .denied("Payments since the last consent were lost in a restore. The person has to agree once.")
        }
        let (sum, overflow) = history.lowValueSum.addingReportingOverflow(amount.minorUnits)
        guard !overflow, sum <= limits.cumulative.minorUnits else {
            return .denied("It would bring the payments since the last consent above \(limits.cumulative.words).")
        }
        guard history.lowValueCount < Int64(limits.count) else {
            return .denied("There were \(limits.count) such payments since the last consent.")
        }
        return .granted(
            "Low-value payment \(history.lowValueCount + 1) of \(limits.count) since the last consent.")
    }

    /// Whether article 16 exempts a payment by the account's present history, not counting the payment itself.
    ///
    /// An operation that was exempt is checked again when it is carried out after a consent, since other payments may
    /// have passed meanwhile.
    package func isOfLowValue(_ operation: WalletOperation, history: ExemptionHistory) -> Bool {
        if case .granted = lowValue(operation, history) { true } else { false }
    }

    private func riskAnalysis(
        _ operation: WalletOperation, _ grounds: ExemptionGrounds, _ session: OperationSession
    ) -> Verdict {
        if let lack = operation.lackForPayment { return .denied(lack) }
        guard let riskAnalysis, let amount = operation.amount else { return .denied("It has no fraud rate.") }
        guard let threshold = riskAnalysis.threshold else {
            return .denied("The fraud rate is above the highest for which the RTS allows this exemption.")
        }
        guard amount.currency == .euro, amount.minorUnits <= threshold else {
            return .denied("The amount is not in EUR, or above the threshold for the fraud rate.")
        }
        guard grounds.isLowRisk else { return .denied("The backend did not find a low risk, or did no analysis.") }
        guard session.isOnTrustedDevice else {
            return .denied("The session is not on an enrolled device past its cooling period.")
        }
        return .granted("The backend's analysis found a low risk, and the fraud rate allows the amount.")
    }
}

extension WalletOperation {
    /// What the operation lacks to be a payment, which moves money to a payee and has no other effect; `nil` for a payment.
    fileprivate var lackForPayment: String? {
        guard ![.trustPayee, .distrustPayee, .beginSeries].contains(type) else {
            return "\(type) has an effect of its own, which no exemption covers."
        }
        return switch (amount, payee) {
        case (nil, nil): "It names neither an amount nor a payee, so it is not a payment."
        case (nil, _?): "It names no amount, so it is not a payment."
        case (_?, nil): "It names no payee: only a payment to a named payee can be exempt."
        case (_?, _?): nil
        }
    }
}
