import AppIntents
import Foundation
import SwiftUI
import WalletAuth
import WidgetKit

@main
struct BalanceWidget: Widget {
    var body: some WidgetConfiguration {
        AppIntentConfiguration(kind: "balance", intent: BalanceIntent.self, provider: BalanceProvider()) { entry in
            Text(verbatim: entry.text).containerBackground(.background, for: .widget)
        }
        .configurationDisplayName("Balance")
    }
}

/// The widget has nothing to configure.
struct BalanceIntent: WidgetConfigurationIntent {
    static var title: LocalizedStringResource { "Balance" }
}

struct BalanceEntry: TimelineEntry {
    let date: Date
    let text: String
}

/// Reads the balance with the app's session. A widget cannot show a page: it restores, calls, and never signs in.
struct BalanceProvider: AppIntentTimelineProvider {
    func placeholder(in context: Context) -> BalanceEntry { BalanceEntry(date: .now, text: "Balance") }

    func snapshot(for configuration: BalanceIntent, in context: Context) async -> BalanceEntry {
        BalanceEntry(date: .now, text: await text())
    }

    func timeline(for configuration: BalanceIntent, in context: Context) async -> Timeline<BalanceEntry> {
        let entry = BalanceEntry(date: .now, text: await text())
        return Timeline(entries: [entry], policy: .after(entry.date + 15 * 60))
    }

    private func text() async -> String {
        do {
            let wallet = try SharedWallet.make()
            guard try await wallet.restore() != nil else { return "Sign in" }
            return try await Backend(wallet).balance()
        } catch {
            // A locked phone or a tunnel: the next timeline tries again.
            return "—"
        }
    }
}
