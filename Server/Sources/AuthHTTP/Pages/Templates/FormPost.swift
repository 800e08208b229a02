extension PageTemplate {
    /// The answer by `response_mode=form_post` (OAuth 2.0 Form Post Response Mode): a form that the page's one script
    /// sends at once, and the person by its button where no script runs.
    static let formPostText = """
        {{<layout}}
        {{$content}}
        <form method="post" action="{{action}}" id="answer">
        {{#fields}}
        <input type="hidden" name="{{name}}" value="{{value}}">
        {{/fields}}
        <button type="submit">{{submitLabel}}</button>
        </form>
        {{/content}}
        {{$script}}
        <script src="{{scriptSource}}"></script>
        {{/script}}
        {{/layout}}

        """
}
