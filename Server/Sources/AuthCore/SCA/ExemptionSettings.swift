package import WalletAuthWire

/// The exemptions of the RTS that an operator has switched on, with their limits. None is, unless somebody says so.
package struct ExemptionSettings: Hashable, Sendable {
    /// Article 10: the kinds of operation that show account information and nothing more; none for off.
    package var accountInformation: Set<WalletOperationType>
    /// Article 10(2)(b): after how long consent is needed again, however often it was exempt.
    package var accountInformationInterval: Duration
    /// Article 13.
    package var trustedBeneficiaries: Bool
    /// Article 14.
    package var recurringPayments: Bool
    /// Article 15.
    package var ownAccounts: Bool
    /// Article 16; nil for off.
    package var lowValue: LowValue?
    /// Article 18; nil for off.
    package var riskAnalysis: RiskAnalysis?

    /// The limits of article 16 for remote payments.
    package struct LowValue: Hashable, Sendable {
        /// How much one payment may be: 30 EUR at most.
        package var single: Money
        /// How much all of them since the last consent may be together: 100 EUR at most.
        package var cumulative: Money
        /// How many there may be since the last consent: 5 at most.
        package var count: Int

        /// Checks limits.
        /// - Parameters:
        ///   - single: up to 30 EUR.
        ///   - cumulative: up to 100 EUR.
        ///   - count: up to 5.
        /// - Throws: ``MalformedValue`` for limits beyond the article's.
        package init(single: Money, cumulative: Money, count: Int) throws(MalformedValue) {
            guard single.currency == .euro, single.minorUnits <= 30_00 else {
                throw MalformedValue(field: "single", reason: "is not at most 30 EUR, as RTS article 16 has it")
            }
            guard cumulative.currency == .euro, cumulative.minorUnits <= 100_00 else {
                throw MalformedValue(field: "cumulative", reason: "is not at most 100 EUR, as RTS article 16 has it")
            }
            guard (1...5).contains(count) else {
                throw MalformedValue(field: "count", reason: "is not 1 to 5, as RTS article 16 has it")
            }
            self.single = single
            self.cumulative = cumulative
            self.count = count
        }
    }

    /// What article 18 makes depend on the operator's fraud rate (annex of the RTS).
    package struct RiskAnalysis: Hashable, Sendable {
        /// What is paid by, since the annex has a column for each.
        package enum Instrument: String, Hashable, Sendable, CaseIterable {
            /// Remote card-based payments.
            case card
            /// Remote credit transfers.
            case creditTransfer = "credit_transfer"

            /// The annex's reference fraud rates with their thresholds, the lowest rate first.
            fileprivate var bands: [(rate: Int64, cents: Int64)] {
                switch self {
                case .card: [(100, 500_00), (600, 250_00), (1300, 100_00)]
                case .creditTransfer: [(50, 500_00), (100, 250_00), (150, 100_00)]
                }
            }

            /// The highest fraud rate that the annex allows the exemption with, in parts per million.
            package var highestFraudRate: Int64 { bands.map(\.rate).max() ?? 0 }
        }

        /// By what people pay here.
        package var instrument: Instrument
        /// The fraud rate of the last 90 days as article 19 has it calculated, in parts per million: 0.13 % is 1300.
        package var fraudRate: Int64

        /// - Parameters:
        ///   - instrument: by what people pay here.
        ///   - fraudRate: parts per million.
        package init(instrument: Instrument, fraudRate: Int64) {
            self.instrument = instrument
            self.fraudRate = fraudRate
        }

        /// The exemption threshold value, in euro cents; nil where the fraud rate is above every band.
        package var threshold: Int64? {
            guard fraudRate >= 0 else { return nil }
            return instrument.bands.first { fraudRate <= $0.rate }?.cents
        }
    }

    /// Each parameter is the property of its name.
    package init(
        accountInformation: Set<WalletOperationType> = [], accountInformationInterval: Duration = .days(180),
        trustedBeneficiaries: Bool = false, recurringPayments: Bool = false, ownAccounts: Bool = false,
        lowValue: LowValue? = nil, riskAnalysis: RiskAnalysis? = nil
    ) {
        self.accountInformation = accountInformation
        self.accountInformationInterval = accountInformationInterval
        self.trustedBeneficiaries = trustedBeneficiaries
        self.recurringPayments = recurringPayments
        self.ownAccounts = ownAccounts
        self.lowValue = lowValue
        self.riskAnalysis = riskAnalysis
    }

    /// In which order they are tried: those first that use nothing up.
    static let order: [SCAExemption] = [
        .accountInformation, .ownAccount, .trustedBeneficiary, .recurring, .riskAnalysis, .lowValue,
    ]

    func isOn(_ exemption: SCAExemption) -> Bool {
        switch exemption {
        case .accountInformation: !accountInformation.isEmpty
        case .trustedBeneficiary: trustedBeneficiaries
        case .recurring: recurringPayments
        case .ownAccount: ownAccounts
        case .lowValue: lowValue != nil
        case .riskAnalysis: riskAnalysis != nil
        }
    }
}

/// What is counted of an account, as far as exemptions need it.
package struct ExemptionHistory: Hashable, Sendable {
    /// The sum of the payments of low value since the last consent, in euro cents.
    package var lowValueSum: Int64
    /// Their number.
    package var lowValueCount: Int64
    /// Whether payments of low value since the last consent may be missing: a restore lost them.
    package var isIncomplete: Bool
    /// When the person last agreed that this backend shows account information.
    package var informationConsentAt: Timestamp?
    /// Whether the payee is one of the person's trusted beneficiaries.
    package var isTrustedBeneficiary: Bool
    /// The series that the backend named, where the person began it at this backend.
    package var series: Series?

    /// A series of payments as the person agreed to it.
    package struct Series: Hashable, Sendable {
        /// The amount of each.
        package var amount: Money
        /// Whether the payee of the operation is its payee.
        package var isSamePayee: Bool

        /// - Parameters:
        ///   - amount: the amount of each.
        ///   - isSamePayee: whether the payee of the operation is its payee.
        package init(amount: Money, isSamePayee: Bool) {
            self.amount = amount
            self.isSamePayee = isSamePayee
        }
    }

    /// An account without a history, but for what is named.
    package init(
        lowValueSum: Int64 = 0, lowValueCount: Int64 = 0, isIncomplete: Bool = false,
        informationConsentAt: Timestamp? = nil, isTrustedBeneficiary: Bool = false, series: Series? = nil
    ) {
        self.lowValueSum = lowValueSum
        self.lowValueCount = lowValueCount
        self.isIncomplete = isIncomplete
        self.informationConsentAt = informationConsentAt
        self.isTrustedBeneficiary = isTrustedBeneficiary
        self.series = series
    }
}
