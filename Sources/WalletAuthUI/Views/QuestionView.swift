#if canImport(SwiftUI)
    import SwiftUI

    /// The question that proves that it is the person, with the fault of the last try at its field.
    struct QuestionView: View {
        let question: VerificationQuestion
        let texts: ScreenTexts
        /// What the button approves; nil if nothing is known of it.
        let approval: String?
        let isChecking: Bool
        @Binding var input: String
        let submit: @MainActor () -> Void
        let useBiometrics: @MainActor () -> Void
        // What only some flows offer.
        var openPage: @MainActor () -> Void = {}
        var waitElsewhere: @MainActor () -> Void = {}
        var resend: @MainActor () -> Void = {}
        let use: @MainActor (VerificationQuestion.Alternative) -> Void

        var body: some View {
            VStack(alignment: .leading, spacing: 12) {
                Text(verbatim: question.instruction)
                switch question.kind {
                case .code: TextField(texts(.code), text: $input).forCode().onSubmit { submit() }
                case .pin: SecureField(texts(.pin), text: $input).forDigits().onSubmit { submit() }
                case .biometrics, .page, .elsewhere: EmptyView()
                }
                if let fault = question.fault { Text(verbatim: fault).font(.footnote).foregroundStyle(.red) }
                if let left = question.attemptsLeft {
                    Text(verbatim: left).font(.footnote).foregroundStyle(.secondary)
                }
                Button(action: act) {
                    if isChecking { ProgressView() } else { Text(verbatim: label) }
                }
                .buttonStyle(.borderedProminent)
                if question.canResend { Button(texts(.resend), action: resend) }
                if !question.alternatives.isEmpty {
                    Menu(texts(.otherWay)) {
                        ForEach(question.alternatives) { way in Button(way.label) { use(way) } }
                    }
                }
            }
            .disabled(isChecking)
        }

        private var label: String {
            switch question.kind {
            case .code, .pin: approval ?? texts(.confirm)
            case .biometrics: texts(.useBiometrics)
            case .page: texts(.openPage)
            case .elsewhere: texts(.checkElsewhere)
            }
        }

        private func act() {
            switch question.kind {
            case .code, .pin: submit()
            case .biometrics: useBiometrics()
            case .page: openPage()
            case .elsewhere: waitElsewhere()
            }
        }
    }

    extension View {
        /// The keyboard of a code, and the system's offer to fill in one that arrived.
        fileprivate func forCode() -> some View {
            #if os(iOS)
                forDigits().textContentType(.oneTimeCode)
            #else
                self
            #endif
        }

        fileprivate func forDigits() -> some View {
            #if os(iOS)
                keyboardType(.numberPad)
            #else
                self
            #endif
        }
    }
#endif
