internal import Kernel
internal import Store

/// The form that an answer of a page came from. No two pages have the same form, so one that arrives twice was reloaded: the browser
/// posts it again, and what it began the first time goes on.
struct SubmittedForm: Sendable, Hashable {
    private let digest: [UInt8]

    /// - Parameter request: the form's field `request`, which is sealed afresh for every page.
    init(_ request: String) { digest = Digests.of("submitted-form", Array(request.utf8)) }

    /// The id of a row that the form creates.
    /// - Parameters:
    ///   - purpose: the kind of row.
    ///   - subject: whom it is about.
    func id(of purpose: String, for subject: [UInt8]) -> UniqueID? {
        UniqueID(bytes: Array(mark(of: purpose, for: subject).prefix(16)))
    }

    /// A mark for something that the form does once.
    func mark(of purpose: String, for subject: [UInt8]) -> [UInt8] { Digests.of(purpose, digest + subject) }
}
