/// What a page says of the press before it: a fault, unless it says otherwise.
struct PageNotice {
    var text: String
    var isFault = true
    /// Whether the field of the page is what is wrong, and is led to and marked.
    var concernsField = false
    /// A second sentence that helps.
    var hint: String?

    /// What the templates' notice needs.
    /// - Parameters:
    ///   - heading: stands above a fault.
    ///   - field: the `id` of the field that a notice which concerns one leads to.
    func values(heading: String, field: String? = nil) -> [String: Any] {
        var values: [String: Any] = [
            "notice": text, "noticeKind": isFault ? "bad" : "good", "noticeRole": isFault ? "alert" : "status",
        ]
        if isFault { values["noticeHeading"] = heading }
        if let hint { values["noticeHint"] = hint }
        if concernsField {
            values["invalid"] = true
            if let field { values["noticeTarget"] = field }
        }
        return values
    }
}
