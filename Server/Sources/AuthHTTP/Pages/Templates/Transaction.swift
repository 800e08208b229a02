extension PageTemplate {
    /// The page that a transaction's link leads to where no app opened it.
    static let transactionText = """
        {{<layout}}
        {{$content}}
        <p class="next">{{nextStep}}</p>
        {{/content}}
        {{/layout}}

        """
}
