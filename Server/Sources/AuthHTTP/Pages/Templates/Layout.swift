extension PageTemplate {
    /// The frame of every page. It defines the places where a page inserts its blocks.
    static let layoutText = """
        <!doctype html>
        <html lang="{{language}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex, nofollow">
        <meta name="color-scheme" content="light dark">
        <title>{{title}}</title>
        <link rel="icon" href="{{icon}}" type="image/svg+xml">
        <link rel="stylesheet" href="{{stylesheet}}">
        {{#brandStylesheet}}
        <link rel="stylesheet" href="{{brandStylesheet}}">
        {{/brandStylesheet}}
        </head>
        <body>
        <main class="{{$width}}narrow{{/width}}">
        <header class="brand">
        {{#logo}}
        <img class="logo" src="{{logo}}" alt="{{brandName}}">
        {{/logo}}
        {{^logo}}
        <span class="monogram" aria-hidden="true">{{monogram}}</span>
        <span class="brand-name">{{brandName}}</span>
        {{/logo}}
        </header>
        <div class="card">
        <h1>{{heading}}</h1>
        <p class="lead">{{lead}}</p>
        {{$content}}{{/content}}
        </div>
        {{#footer}}
        <footer>{{footer}}</footer>
        {{/footer}}
        </main>
        {{$script}}{{/script}}
        </body>
        </html>

        """
}
