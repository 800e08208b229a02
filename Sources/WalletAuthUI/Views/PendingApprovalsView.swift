#if canImport(SwiftUI)
    public import SwiftUI
    public import WalletAuth

    /// The list of what waits for the person's approval on this device. The view around it presents `ConsentSheet` and `TransactionSheet`
    /// for the list's models.
    public struct PendingApprovalsView: View {
        private let model: PendingApprovalsModel
        private let wallet: Wallet

        /// Creates a list.
        /// - Parameters:
        ///   - model: what it shows.
        ///   - wallet: the wallet.
        public init(model: PendingApprovalsModel, wallet: Wallet) {
            self.model = model
            self.wallet = wallet
        }

        /// The list.
        public var body: some View {
            VStack(alignment: .leading, spacing: 12) {
                Text(model.texts(.approvals)).font(.headline)
                if model.isLoaded, model.items.isEmpty { Text(model.texts(.noApprovals)) }
                ForEach(model.items) { item in
                    Button {
                        Task { await model.open(item, with: wallet) }
                    } label: {
                        entry(item)
                    }
                }
                if let message = model.message {
                    Text(verbatim: message).font(.footnote).foregroundStyle(.red)
                }
                Button(model.texts(.checkApprovals)) { Task { await model.load(from: wallet) } }
                    .disabled(model.isLoading)
            }
            .task { await model.load(from: wallet) }
        }

        private func entry(_ item: PendingApprovalItem) -> some View {
            VStack(alignment: .leading, spacing: 2) {
                Text(verbatim: item.name).font(.footnote).foregroundStyle(.secondary)
                if let amount = item.amount { Text(verbatim: amount).bold() }
                if let payee = item.payee { Text(verbatim: payee) }
                if let requester = item.requester {
                    LabeledLine(label: model.texts(.approvalRequester), value: requester)
                }
                Text(verbatim: item.until).font(.footnote).foregroundStyle(.secondary)
            }
        }
    }
#endif
