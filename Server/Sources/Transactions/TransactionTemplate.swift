import Web

extension PageTemplate {
    /// The target of a transaction's link if no app opened it.
    static let transaction = PageTemplate(
        "transaction",
        """
        {{<layout}}
        {{$content}}
        <p class="next">{{nextStep}}</p>
        {{/content}}
        {{/layout}}

        """)
}
