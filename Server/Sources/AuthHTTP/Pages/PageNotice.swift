/// What a page says about the last submission. It is a fault by default.
struct PageNotice {
    var text: String
    var isFault = true
    /// Whether the page's field is at fault. The notice then links to it and marks it.
    var concernsField = false
    /// A second sentence with advice.
    var hint: String?

    /// The values for the templates' notice.
    /// - Parameters:
    ///   - heading: the heading above a fault.
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
