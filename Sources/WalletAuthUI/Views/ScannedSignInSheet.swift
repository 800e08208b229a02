#if canImport(SwiftUI)
    public import SwiftUI

    /// The sheet in which a person signs in on another screen whose code they scanned.
    /// Present it with `.sheet(isPresented: $signIn.isPresented)`.
    public struct ScannedSignInSheet: View {
        @Bindable private var model: ScannedSignInModel

        /// Creates a sheet.
        /// - Parameter model: the sign-in that it shows.
        public init(model: ScannedSignInModel) { self.model = model }

        /// What is asked for, and its present step.
        public var body: some View {
            ScrollView {
                VStack(alignment: .leading, spacing: 24) {
                    if let summary = model.summary { asked(summary) }
                    step
                    if model.canReject {
                        Button(model.texts(.wasNotMe), role: .destructive) { Task { await model.reject() } }
                    }
                    switch model.phase {
                    case .signedIn, .rejected, .failed: Button(model.texts(.done)) { model.isPresented = false }
                    case .idle, .working, .choosing, .verifying:
                        Button(model.texts(.cancel), role: .cancel) { model.cancel() }
                    }
                }
                .padding()
            }
        }

        @ViewBuilder private var step: some View {
            switch model.phase {
            case .idle: EmptyView()
            case .working:
                ProgressView()
                Text(model.texts(.working))
            case .choosing:
                Text(model.texts(.whichNumber)).font(.headline)
                ForEach(model.numbers, id: \.self) { number in
                    Button {
                        Task { await model.choose(number) }
                    } label: {
                        Text(verbatim: String(number)).font(.largeTitle)
                    }
                    .accessibilityLabel(model.texts(.numberLabel, ["number": String(number)]))
                }
                if let fault = model.fault { Text(verbatim: fault).font(.footnote).foregroundStyle(.red) }
            case .verifying:
                if let question = model.question {
                    QuestionView(
                        question: question, texts: model.texts, approval: model.summary?.approval, isChecking: false,
                        input: $model.input, submit: { Task { await model.submit() } },
                        useBiometrics: { Task { await model.useBiometrics() } }, use: model.use)
                }
            case .signedIn: Text(model.texts(.signedInThere))
            case .rejected: Text(model.texts(.scanRejected))
            case .failed: if let message = model.message { Text(verbatim: message) }
            }
        }

        private func asked(_ summary: ScannedSignInSummary) -> some View {
            VStack(alignment: .leading, spacing: 12) {
                Text(model.texts(.scanHeading)).font(.headline)
                LabeledLine(label: model.texts(.scanService), value: summary.service)
                if let account = summary.account { LabeledLine(label: model.texts(.account), value: account) }
                LabeledLine(label: model.texts(.scanBrowser), value: summary.browser)
                LabeledLine(label: model.texts(.scanNetwork), value: summary.network)
                Text(verbatim: summary.advice).font(.footnote)
            }
            .frame(maxWidth: .infinity, alignment: .leading)
        }
    }
#endif
