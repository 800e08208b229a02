extension PageTemplate {
    /// The answer by `response_mode=form_post` (OAuth 2.0 Form Post Response Mode). The page's only script submits the
    /// form at once. Without scripts, the person presses the button.
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
