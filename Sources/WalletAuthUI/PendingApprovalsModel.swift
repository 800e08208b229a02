public import Foundation
public import Observation
public import WalletAuth
public import WalletAuthWire

/// What waits for the person's approval on this device, as a list shows it.
///
/// Opening an entry asks about it in the sheet of a payment or of a transaction: present both for ``consent`` and ``transaction``.
@Observable @MainActor
public final class PendingApprovalsModel {
    /// What waits, oldest first.
    public private(set) var items: [PendingApprovalItem] = []
    /// Whether the list is being read.
    public private(set) var isLoading = false
    /// Whether the list was read. Before that, nothing is known.
    public private(set) var isLoaded = false
    /// The error of the last reading.
    public private(set) var error: WalletError?
    /// Asks about payments.
    public let consent: ConsentModel
    /// Asks about transactions.
    public let transaction: TransactionModel

    @ObservationIgnored private var waiting: [PendingApproval] = []
    @ObservationIgnored private var reading: UUID?
    let texts: ScreenTexts
    private let locale: Locale

    /// Creates a model that has read nothing yet.
    /// - Parameters:
    ///   - consent: asks about payments.
    ///   - transaction: asks about transactions.
    ///   - messages: the texts of the errors and labels.
    ///   - languages: the person's languages in order of preference (BCP 47).
    ///   - locale: how amounts and times are written.
    public init(
        consent: ConsentModel, transaction: TransactionModel, messages: UserErrorMessages = .builtIn,
        languages: [String] = Locale.preferredLanguages, locale: Locale = .current
    ) {
        self.consent = consent
        self.transaction = transaction
        self.locale = locale
        texts = ScreenTexts(messages: messages, languages: languages)
    }

    /// Reads the list: when the app comes to the foreground, and when a push message opened it.
    /// - Parameter wallet: the wallet.
    public func load(from wallet: Wallet) async {
        let run = UUID()
        (reading, isLoading) = (run, true)
        do {
            let found = try await wallet.transactions.pending()
            guard reading == run else { return }
            waiting = found
            items = found.map { PendingApprovalItem($0, locale: locale, texts: texts) }
            (error, isLoaded) = (nil, true)
        } catch {
            guard reading == run else { return }
            self.error = error as? WalletError
            // Without a connection, what was read before still helps. Anything else may be another person's.
            if self.error?.isTemporary == false { (items, waiting, isLoaded) = ([], [], false) }
        }
        (reading, isLoading) = (nil, false)
    }

    /// Asks about an entry, and reads the list again once that is over.
    /// - Parameters:
    ///   - item: one of ``items``.
    ///   - wallet: the wallet.
    public func open(_ item: PendingApprovalItem, with wallet: Wallet) async {
        guard let approval = waiting.first(where: { $0.id == item.id }) else { return }
        switch approval {
        case .payment(let payment): await consent.approve(payment, with: wallet)
        case .transaction(let pending): await transaction.sign(pending, with: wallet)
        }
        await load(from: wallet)
    }

    /// Reads the list, and asks about what a push message names, if it still waits.
    /// - Parameters:
    ///   - hint: what `Wallet.handle(push:)` returned.
    ///   - wallet: the wallet.
    public func open(_ hint: ApprovalHint, with wallet: Wallet) async {
        await load(from: wallet)
        guard let item = items.first(where: { $0.id == hint.id }) else { return }
        await open(item, with: wallet)
    }

    /// Forgets the list, when the person signs out.
    public func clear() {
        (items, waiting, error) = ([], [], nil)
        (reading, isLoading, isLoaded) = (nil, false, false)
    }

    /// The text of the error.
    public var message: String? { error.flatMap { texts.text(of: $0) } }
}

/// An entry of the list of what waits.
public struct PendingApprovalItem: Hashable, Sendable, Identifiable {
    /// Its id, which a push message names.
    public let id: TransactionID
    /// What it is: a transfer, for instance. A transaction says that only once it is opened.
    public let name: String
    /// The amount as the person's locale writes it; nil if nothing is paid, or it is not opened yet.
    public let amount: String?
    /// The payee's name; nil if there is none, or it is not opened yet.
    public let payee: String?
    /// The app, device or browser that asked for it; nil if the server does not say.
    public let requester: String?
    /// Until when it can be approved.
    public let until: String
}

extension PendingApprovalItem {
    fileprivate init(_ approval: PendingApproval, locale: Locale, texts: ScreenTexts) {
        let summary: PaymentSummary?
        var requester: String?
        switch approval {
        case .payment(let payment):
            summary = PaymentSummary(payment.operation, locale: locale, texts: texts)
            requester = payment.requester.map { texts.name(of: $0) }
        case .transaction(let transaction):
            summary = transaction.details.map { PaymentSummary($0, locale: locale, texts: texts) }
        }
        let time = approval.expiresAt.formatted(Date.FormatStyle(date: .omitted, time: .shortened, locale: locale))
        self.init(
            id: approval.id, name: summary?.name ?? texts(.approvalTransaction), amount: summary?.amount,
            payee: summary?.payee, requester: requester, until: texts(.approvalUntil, ["time": time]))
    }
}

extension ScreenTexts {
    /// The app or site, its device and its browser.
    func name(of requester: ApprovalRequester) -> String {
        [
            requester.service.isolated, requester.device?.rawValue.isolated,
            name(ofBrowser: requester.browser, on: requester.system),
        ].compactMap(\.self).joined(separator: ", ")
    }
}
