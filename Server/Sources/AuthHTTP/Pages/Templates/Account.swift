extension PageTemplate {
    /// The account's own page. It works without script, the secret's drawing is part of it, and each button stands in a form
    /// of its own.
    static let accountText = """
        {{<layout}}
        {{$content}}
        <h1>{{heading}}</h1>
        <p class="lead">{{lead}}</p>
        {{#notice}}
        <div class="notice {{noticeKind}}" role="{{noticeRole}}" id="notice">
        {{#noticeHeading}}
        <h2>{{noticeHeading}}</h2>
        {{/noticeHeading}}
        {{#noticeTarget}}
        <p><a href="#{{noticeTarget}}">{{notice}}</a></p>
        {{/noticeTarget}}
        {{^noticeTarget}}
        <p>{{notice}}</p>
        {{/noticeTarget}}
        </div>
        {{/notice}}
        {{#overview}}
        <dl class="facts">
        {{#rows}}
        <div><dt>{{label}}</dt><dd>{{value}}{{#note}} <span class="tag">{{note}}</span>{{/note}}</dd></div>
        {{/rows}}
        <div><dt>{{devicesLabel}}</dt>
        {{#devices}}
        <dd>{{name}}{{#state}} <span class="tag">{{state}}</span>{{/state}}</dd>
        {{/devices}}
        {{#noDevices}}
        <dd>{{noDevices}}</dd>
        {{/noDevices}}
        </div>
        </dl>
        <section>
        <h2>{{authenticatorHeading}}</h2>
        <p>{{authenticatorLead}}</p>
        <form method="post" action="{{action}}">
        <input type="hidden" name="request" value="{{request}}">
        <input type="hidden" name="csrf" value="{{csrf}}">
        <button type="submit" name="action" value="{{authenticatorAction}}">{{authenticatorButton}}</button>
        </form>
        </section>
        {{#codes}}
        <section>
        <h2>{{heading}}</h2>
        <p>{{lead}}</p>
        <form method="post" action="{{action}}">
        <input type="hidden" name="request" value="{{request}}">
        <input type="hidden" name="csrf" value="{{csrf}}">
        <button type="submit" name="action" value="{{press}}">{{button}}</button>
        </form>
        </section>
        {{/codes}}
        {{> passkeySection}}
        <form method="post" action="{{action}}" class="others">
        <input type="hidden" name="request" value="{{request}}">
        <input type="hidden" name="csrf" value="{{csrf}}">
        <button type="submit" class="quiet" name="action" value="{{signOutAction}}">{{signOutLabel}}</button>
        </form>
        {{/overview}}
        {{#authenticator}}
        {{#symbol}}
        <svg class="symbol" viewBox="0 0 {{size}} {{size}}" role="img" aria-label="{{label}}" shape-rendering="crispEdges">\
        <path d="{{path}}"/></svg>
        {{/symbol}}
        <p><a href="{{uri}}">{{openLabel}}</a></p>
        <p class="hint" id="secret-label">{{typeLead}}</p>
        <p class="secret" aria-labelledby="secret-label"><code>{{secret}}</code></p>
        <form method="post" action="{{action}}" accept-charset="utf-8">
        <input type="hidden" name="request" value="{{request}}">
        <input type="hidden" name="csrf" value="{{csrf}}">
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="code">{{codeLabel}}</label>
        <p class="hint" id="code-hint">{{codeHint}}</p>
        <input id="code" class="code" name="code" type="text" required maxlength="16" inputmode="numeric" \
        autocomplete="one-time-code" autofocus\
        {{#invalid}} aria-invalid="true" aria-describedby="notice code-hint"{{/invalid}}\
        {{^invalid}} aria-describedby="code-hint"{{/invalid}}>
        </div>
        <button type="submit" name="action" value="{{confirm}}">{{confirmLabel}}</button>
        </form>
        <form method="post" action="{{action}}" class="others">
        <input type="hidden" name="request" value="{{request}}">
        <input type="hidden" name="csrf" value="{{csrf}}">
        <button type="submit" class="quiet" name="action" value="{{back}}">{{backLabel}}</button>
        </form>
        {{/authenticator}}
        {{#recoveryCodes}}
        <ol class="recovery-codes">
        {{#codes}}
        <li><code>{{code}}</code></li>
        {{/codes}}
        </ol>
        <p>{{print}}</p>
        <form method="post" action="{{action}}" class="others">
        <input type="hidden" name="request" value="{{request}}">
        <input type="hidden" name="csrf" value="{{csrf}}">
        <button type="submit" class="quiet" name="action" value="{{back}}">{{backLabel}}</button>
        </form>
        {{/recoveryCodes}}
        {{> passkeyPage}}
        {{/content}}
        {{$script}}
        {{> passkeyScript}}
        {{/script}}
        {{/layout}}

        """
}
