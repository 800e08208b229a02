package import Core
package import WalletAuthWire

/// The exemptions of the RTS that the operator has enabled, with their limits. All are off by default.
package struct ExemptionSettings: Hashable, Sendable {
    /// Article 10: the types of operation that only show account information; empty disables the exemption.
    package var accountInformation: Set<WalletOperationType>
    /// Article 10(2)(b): the longest time between two consents.
    package var accountInformationInterval: Duration
    /// Article 13.
    package var trustedBeneficiaries: Bool
    /// Article 14.
    package var recurringPayments: Bool
    /// Article 15.
    package var ownAccounts: Bool
    /// Article 16; nil disables it.
    package var lowValue: LowValue?
    /// Article 18; nil disables it.
    package var riskAnalysis: RiskAnalysis?

    /// The limits of article 16 for remote payments.
    package struct LowValue: Hashable, Sendable {
        /// The article's limit of ``cumulative``, in euro cents.
        package static let highestCumulative: Int64 = 100_00
        /// The article's limit of ``count``.
        package static let highestCount = 5

        /// The largest single payment, at most 30 EUR.
        package var single: Money
        /// The largest sum of payments since the last consent.
        package var cumulative: Money
        /// The largest number of payments since the last consent.
        package var count: Int

        /// - Throws: ``MalformedValue`` for limits beyond the article's.
        package init(single: Money, cumulative: Money, count: Int) throws(MalformedValue) {
            guard single.currency == .euro, single.minorUnits <= 30_00 else {
                throw MalformedValue(field: "single", reason: "must be at most 30 EUR (RTS article 16)")
            }
            guard cumulative.currency == .euro, cumulative.minorUnits <= Self.highestCumulative else {
                throw MalformedValue(field: "cumulative", reason: "must be at most 100 EUR (RTS article 16)")
            }
            guard (1...Self.highestCount).contains(count) else {
                throw MalformedValue(field: "count", reason: "must be from 1 to 5 (RTS article 16)")
            }
            self.single = single
            self.cumulative = cumulative
            self.count = count
        }
    }

    /// The parts of article 18 that depend on the operator's fraud rate (annex of the RTS).
    package struct RiskAnalysis: Hashable, Sendable {
        /// The payment instrument. The annex has a column for each.
        package enum Instrument: String, Hashable, Sendable, CaseIterable {
            case card
            case creditTransfer = "credit_transfer"

            /// The annex's reference fraud rates with their thresholds, lowest rate first.
            fileprivate var bands: [(rate: Int64, cents: Int64)] {
                switch self {
                case .card: [(100, 500_00), (600, 250_00), (1300, 100_00)]
                case .creditTransfer: [(50, 500_00), (100, 250_00), (150, 100_00)]
                }
            }

            /// The highest fraud rate at which the annex allows the exemption, in parts per million.
            package var highestFraudRate: Int64 { bands.map(\.rate).max() ?? 0 }
        }

        package var instrument: Instrument
        /// The fraud rate of the last 90 days, calculated as in article 19, in parts per million: 0.13 % is 1300.
        package var fraudRate: Int64

        package init(instrument: Instrument, fraudRate: Int64) {
            self.instrument = instrument
            self.fraudRate = fraudRate
        }

        /// The exemption threshold value in euro cents; nil if the fraud rate is above every band.
        package var threshold: Int64? {
            guard fraudRate >= 0 else { return nil }
            return instrument.bands.first { fraudRate <= $0.rate }?.cents
        }
    }

    package init(
        accountInformation: Set<WalletOperationType> = [],
        accountInformationInterval: Duration = SCALimits.longestInformationInterval,
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

    /// The order in which exemptions are tried: those that use nothing up come first.
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

/// The facts about an account's past that exemptions depend on.
package struct ExemptionHistory: Hashable, Sendable {
    /// The sum of the low-value payments since the last consent, in euro cents.
    package var lowValueSum: Int64
    package var lowValueCount: Int64
    /// Whether low-value payments since the last consent may be missing because a restore lost them.
    package var isIncomplete: Bool
    /// When the person last agreed that this backend shows account information.
    package var informationConsentAt: Timestamp?
    package var isTrustedBeneficiary: Bool
    /// The series that the backend named, if the person agreed to it at this backend.
    package var series: Series?

    package struct Series: Hashable, Sendable {
        /// The amount of each payment.
        package var amount: Money
        /// Whether the operation's payee is the series' payee.
        package var isSamePayee: Bool

        package init(amount: Money, isSamePayee: Bool) {
            self.amount = amount
            self.isSamePayee = isSamePayee
        }
    }

    /// The defaults are those of an account without a history.
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
