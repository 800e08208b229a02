import Foundation
import WalletAuth
import WalletAuthUI

#if canImport(SwiftUI)
    import SwiftUI
#endif
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if canImport(SwiftUI)
    struct RootView: View {
        let session: WalletSession
        @Bindable var transaction: TransactionModel

        var body: some View {
            VStack {
                switch session.state {
                case .restoring: ProgressView()
                case .signedOut, .needsAction(.replaceKey): SignInButton(session: session)
                case .signedIn: HomeView(session: session)
                case .needsAction(let action): ActionView(session: session, action: action)
                }
            }
            .task { await session.restore() }
            .onOpenURL { url in
                Task {
                    guard await session.handle(url) == .transaction else { return }
                    await transaction.sign(url.absoluteString, with: session.wallet)
                }
            }
            .sheet(isPresented: $transaction.isPresented) { TransactionSheet(model: transaction) }
        }
    }

    struct HomeView: View {
        let session: WalletSession
        var body: some View { EmptyView() }
    }

    struct ActionView: View {
        let session: WalletSession
        let action: WalletSession.Action
        var body: some View { EmptyView() }
    }
#endif

@MainActor
func pay(_ transfer: URLRequest, _ session: WalletSession, _ consent: ConsentModel) async throws -> Data {
    try await consent.perform(transfer, with: session.wallet).0
}

@MainActor
func resumePayments(_ session: WalletSession, _ consent: ConsentModel) async throws -> [Data] {
    var answers: [Data] = []
    for pending in try await session.wallet.pendingSCA {
        answers.append(try await consent.resume(pending, with: session.wallet).0)
    }
    return answers
}

@MainActor
func makeSession(_ configuration: Wallet.Configuration) throws -> WalletSession {
    let wallet = try Wallet(configuration: configuration)
    let session = WalletSession(wallet)
    return session
}

@MainActor
func scanned(_ code: String, _ session: WalletSession, _ transaction: TransactionModel) async {
    await transaction.sign(code, with: session.wallet)
}

@MainActor
func pushed(_ userInfo: [AnyHashable: Any], _ session: WalletSession, _ approvals: PendingApprovalsModel) async {
    guard let hint = session.wallet.handle(push: userInfo) else { return await approvals.load(from: session.wallet) }
    await approvals.open(hint, with: session.wallet)
}

@MainActor
func scannedSignIn(_ code: String, _ session: WalletSession, _ signIn: ScannedSignInModel) async {
    await signIn.read(code, with: session.wallet)
}
