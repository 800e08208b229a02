#if canImport(SwiftUI)
    public import SwiftUI

    /// The sheet in which a person agrees to a payment. Present it with `.sheet(isPresented: $consent.isPresented)`.
    public struct ConsentSheet: View {
        @Bindable private var model: ConsentModel

        /// Creates a sheet.
        /// - Parameter model: the consent that it shows.
        public init(model: ConsentModel) { self.model = model }

        /// What is asked for, and how to agree to it.
        public var body: some View {
            ScrollView {
                VStack(alignment: .leading, spacing: 24) {
                    switch model.phase {
                    case .idle: EmptyView()
                    case .asking, .checking: asked
                    case .approved: ended(model.texts(.confirmed))
                    case .declined: ended(model.texts(model.isDisowned ? .notMineAdvice : .declined))
                    case .failed:
                        ended(model.message)
                        if model.isNotStopped {
                            Button(model.texts(.notMine), role: .destructive) { Task { await model.disownAgain() } }
                        }
                    }
                }
                .padding()
            }
            .interactiveDismissDisabled(model.phase == .checking)
        }

        @ViewBuilder private var asked: some View {
            if let summary = model.summary { SummaryView(summary: summary, texts: model.texts) }
            if let requester = model.requester {
                LabeledLine(label: model.texts(.approvalRequester), value: requester)
            }
            if let question = model.question {
                QuestionView(
                    question: question, texts: model.texts, approval: model.summary?.approval,
                    isChecking: model.phase == .checking, input: $model.input,
                    submit: model.submit, useBiometrics: model.useBiometrics, openPage: model.openPage,
                    waitElsewhere: model.waitElsewhere,
                    resend: model.resend, use: model.use)
            }
            Button(model.texts(.cancel), role: .cancel) { model.decline() }.disabled(model.phase == .checking)
            Button(model.texts(.notMine), role: .destructive) { model.decline(isDisowned: true) }
                .disabled(model.phase == .checking)
        }

        @ViewBuilder private func ended(_ text: String?) -> some View {
            if let text { Text(verbatim: text) }
            Button(model.texts(.done)) { model.dismiss() }
        }
    }
#endif
