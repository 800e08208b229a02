#if canImport(SwiftUI)
    import SwiftUI

    /// What the person agrees to. Amount and payee come first and large. The kind, all details and what follows come next: nothing is
    /// folded or left out.
    struct SummaryView: View {
        let summary: PaymentSummary
        let texts: ScreenTexts

        var body: some View {
            VStack(alignment: .leading, spacing: 12) {
                Text(verbatim: summary.heading).font(.headline)
                if let amount = summary.amount { Text(verbatim: amount).font(.largeTitle).bold() }
                if let payee = summary.payee { LabeledLine(label: texts(.payee), value: payee).font(.title2) }
                if let account = summary.account { LabeledLine(label: texts(.account), value: account) }
                if summary.name != summary.heading { LabeledLine(label: texts(.type), value: summary.name) }
                ForEach(summary.lines, id: \.self) { LabeledLine(label: $0.label, value: $0.value) }
                if let consequence = summary.consequence { Text(verbatim: consequence).bold() }
                Text(verbatim: summary.advice).font(.footnote)
            }
            .frame(maxWidth: .infinity, alignment: .leading)
        }
    }
#endif
