extension PageTemplate {
    /// The sandbox's outbox: every message that production would have sent.
    static let outboxText = """
        {{<layout}}
        {{$width}}wide{{/width}}
        {{$content}}
        <h1>{{heading}}</h1>
        <p class="lead">{{lead}}</p>
        {{^messages}}
        <p class="empty">{{emptyLabel}}</p>
        {{/messages}}
        {{#hasMessages}}
        <ol class="messages" reversed>
        {{#messages}}
        <li>
        <p class="message-head"><span class="tag">{{kind}}</span> <strong>{{recipient}}</strong> <time datetime="{{time}}">{{time}}</time></p>
        {{#code}}
        <p class="message-body">{{codeLabel}} <code>{{code}}</code></p>
        {{/code}}
        </li>
        {{/messages}}
        </ol>
        {{/hasMessages}}
        {{/content}}
        {{/layout}}

        """
}
