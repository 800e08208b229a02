@_exported public import UIKit

/// A browser inside an app, which shows one page.
@MainActor
public final class SFSafariViewController: UIViewController {
    /// The page.
    public let url: URL

    /// Creates a browser that shows a page.
    public init(url: URL) {
        self.url = url
        super.init()
    }
}
