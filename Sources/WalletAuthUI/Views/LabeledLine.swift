#if canImport(SwiftUI)
    import SwiftUI

    /// A value below its label.
    struct LabeledLine: View {
        let label: String
        let value: String

        var body: some View {
            VStack(alignment: .leading, spacing: 2) {
                Text(verbatim: label).font(.footnote).foregroundStyle(.secondary)
                Text(verbatim: value)
            }
        }
    }
#endif
