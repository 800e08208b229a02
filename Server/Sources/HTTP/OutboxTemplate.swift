import Web

/// The sandbox's outbox: every message, as the person reads it.
struct OutboxValues: PageValues {
    let emptyLabel: String
    let codeLabel: String
    let hasMessages: Bool
    let messages: [Message]
    let home: LinkValues

    struct Message: Encodable {
        let kind: String
        let channel: String
        let recipient: String
        /// For programs.
        let time: String
        let shownTime: String
        let delivery: String?
        let code: String?
        let subject: String?
        let text: String
    }

    static let template = PageTemplate(
        "outbox",
        """
        {{<layout}}
        {{$width}}wide{{/width}}
        {{$content}}
        {{^messages}}
        <p class="empty">{{emptyLabel}}</p>
        {{/messages}}
        {{#hasMessages}}
        <ol class="messages" reversed>
        {{#messages}}
        <li>
        <p class="message-head"><span class="tag">{{kind}}</span> <span class="tag">{{channel}}</span> <strong>{{recipient}}</strong> <time datetime="{{time}}">{{shownTime}}</time></p>
        {{#delivery}}
        <p class="message-body">{{delivery}}</p>
        {{/delivery}}
        {{#code}}
        <p class="message-body">{{codeLabel}} <code>{{code}}</code></p>
        {{/code}}
        {{#subject}}
        <p class="message-body"><strong>{{subject}}</strong></p>
        {{/subject}}
        <p class="message-body message-text">{{text}}</p>
        </li>
        {{/messages}}
        </ol>
        {{/hasMessages}}
        <p><a href="{{home.address}}">{{home.label}}</a></p>
        {{/content}}
        {{/layout}}

        """)
}
