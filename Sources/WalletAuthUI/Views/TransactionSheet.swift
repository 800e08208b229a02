#if canImport(SwiftUI)
    public import SwiftUI
    import WalletAuthWire

    /// The sheet in which a person signs a transaction. Present it with `.sheet(isPresented: $transaction.isPresented)`.
    public struct TransactionSheet: View {
        @Bindable private var model: TransactionModel

        /// Creates a sheet.
        /// - Parameter model: the transaction that it shows.
        public init(model: TransactionModel) { self.model = model }

        /// What the transaction is, and its present step.
        public var body: some View {
            ScrollView {
                VStack(alignment: .leading, spacing: 24) {
                    if let summary = model.summary { SummaryView(summary: summary, texts: model.texts) }
                    step
                }
                .padding()
            }
            .interactiveDismissDisabled(model.phase == .working)
        }

        @ViewBuilder private var step: some View {
            switch model.phase {
            case .idle: EmptyView()
            case .working:
                ProgressView()
                Text(model.texts(.working))
            case .choosingAccount:
                Text(model.texts(.chooseAccount))
                ForEach(model.accounts) { account in Button(account.label) { model.choose(account) } }
                cancel
            case .confirming:
                Button(model.summary?.approval ?? model.texts(.confirm)) { model.confirm() }
                    .buttonStyle(.borderedProminent)
                Button(model.texts(.reject)) { model.reject(.other) }
                Button(model.texts(.notMine), role: .destructive) { model.reject(.unexpected) }
                cancel
            case .verifying:
                if let question = model.question {
                    QuestionView(
                        question: question, texts: model.texts, approval: model.summary?.approval, isChecking: false,
                        input: $model.input, submit: model.submit, useBiometrics: model.useBiometrics, use: model.use)
                }
                cancel
            case .signed: ended(model.texts(.signed))
            case .alreadySigned: ended(model.texts(.alreadySigned))
            case .rejected: ended(model.texts(model.isDisowned ? .notMineAdvice : .rejected))
            case .failed: ended(model.message)
            }
        }

        private var cancel: some View {
            Button(model.texts(.cancel), role: .cancel) { model.cancel() }
        }

        @ViewBuilder private func ended(_ text: String?) -> some View {
            if let text { Text(verbatim: text) }
            Button(model.texts(.done)) { model.isPresented = false }
        }
    }
#endif
