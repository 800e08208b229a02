package import Core

/// The language of the page whose request is being answered.
///
/// A message that answers the person on a page, such as one with a code, is in the page's language if the account has none. It is set for
/// the whole request, once, so that no flow has to pass it on.
package enum PageLanguage {
    /// `nil` outside of a page's request.
    @TaskLocal package static var current: Language?
    /// Whether the person on the page has proved enough to choose the language of messages. Then it is also that of the messages about
    /// what they do.
    @TaskLocal package static var isHolders = false
}
