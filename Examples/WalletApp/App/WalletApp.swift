import SwiftUI
import WalletAuth
import WalletAuthUI

@main
struct WalletApp: App {
    private let model: AppModel

    init() {
        do {
            model = AppModel(WalletSession(try SharedWallet.make()))
        } catch {
            // A mistake in the project's settings, caught at the first launch.
            fatalError("\(error)")
        }
    }

    var body: some Scene {
        WindowGroup { RootView(model: model) }
    }
}

/// What the app shows, by the state of the session.
struct RootView: View {
    let model: AppModel

    var body: some View {
        @Bindable var consent = model.consent
        @Bindable var transaction = model.transaction
        @Bindable var scan = model.scan
        // The modifiers belong to a view that stays: on a Group they would belong to each of its states.
        VStack {
            switch model.session.state {
            case .restoring: ProgressView()
            case .signedOut, .needsAction(.replaceKey): SignInButton(session: model.session)
            case .signedIn(let identity): HomeView(model: model, identity: identity)
            case .needsAction(let action): ActionView(session: model.session, action: action)
            }
        }
        .task { await model.restore() }
        .onOpenURL { url in Task { await model.open(url) } }
        .sheet(isPresented: $consent.isPresented) { ConsentSheet(model: consent) }
        .sheet(isPresented: $transaction.isPresented) { TransactionSheet(model: transaction) }
        .sheet(isPresented: $scan.isPresented) { ScannedSignInSheet(model: scan) }
    }
}

/// What the person has to do before the app can continue. None of it means that they are signed out.
struct ActionView: View {
    let session: WalletSession
    let action: WalletSession.Action

    var body: some View {
        VStack(spacing: 12) {
            Text(session.message ?? "Sign in on the page that is open in your browser.")
            switch action {
            // Signing out replaces a store that is damaged.
            case .makeStoreAvailable(.damaged), .renewSession:
                Button("Sign out", role: .destructive) { Task { await session.signOut() } }
            case .makeStoreAvailable, .tryAgain: Button("Try again") { Task { await session.restore() } }
            case .finishInBrowser, .replaceKey: Button("Open another page") { Task { await session.signIn() } }
            }
        }
        .padding()
    }
}
