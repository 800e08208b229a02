import Foundation

/// How the hosted pages of consents are opened, and where they return to.
struct ConsentPages: Sendable {
    let userAgent: any UserAgent
    /// Nil if the app has no URL to return to. Then no page can be opened.
    let returnURL: URL?
    let security: ConnectionSecurity
    let returns = PageReturns()
}
